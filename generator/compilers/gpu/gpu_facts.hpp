#pragma once
#include <map>
#include <string>
#include <string_view>

#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// The facts of each kernel, by name, of a cubin or an AMD code object (of version 3 or later,
/// bundled by hiprtc or not). PTX has none: registers are given out when a driver loads it; the map
/// is empty then. Throws Error(invalid_input) for bytes that are none of these or are damaged.
std::map<std::string, KernelFacts> kernel_facts(std::string_view blob);

}  // namespace spmvgen
