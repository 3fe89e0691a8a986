#pragma once
#include <cstdint>
#include <string>

#include "spmvgen/types.hpp"

namespace spmvgen {

/// Bytes that this process can still get without swapping: what the system says is available, or
/// what the control group or the limit of the address space (ulimit -v) allows if that is less.
std::int64_t available_memory();

/// "1.5 GiB".
std::string format_bytes(double bytes);

/// Throws Error(unsupported), which tells what is needed and what is free, when x and `y_copies` of
/// y are more than the memory that is available now. To be called before they are allocated.
void check_vectors_fit(ValueType type, double x_elements, double y_elements, int y_copies = 1);

}  // namespace spmvgen
