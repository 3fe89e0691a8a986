#pragma once
#include <cstdint>
#include <string>

namespace spmvgen {

/// Bytes that this process can still get without swapping: what the system says is available, or
/// what the control group or the limit of the address space (ulimit -v) allows if that is less.
std::int64_t available_memory();

/// "1.5 GiB".
std::string format_bytes(double bytes);

}  // namespace spmvgen
