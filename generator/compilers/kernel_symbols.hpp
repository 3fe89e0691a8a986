#pragma once
#include <string_view>

#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// Looks at the symbols of a compiled object: every step of source.launch is defined, and nothing
/// is left undefined but what a C library holds (memcpy, memset, fma, …). Throws Error(compile)
/// that names the symbol.
void check_symbols(std::string_view object, const KernelSource& source);

bool is_c_identifier(std::string_view text);

}  // namespace spmvgen
