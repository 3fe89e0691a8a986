#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace spmvgen {

/// Looks at the symbols of the compiled object of kernel `name`: all of `wanted` are defined, and
/// nothing is left undefined but what a C library holds (memcpy, memset, fma, …) and `others`.
/// Throws Error(compile) that names the symbol.
void check_symbols(std::string_view object, const std::string& name,
                   const std::vector<std::string>& wanted,
                   const std::vector<std::string_view>& others = {});

bool is_c_identifier(std::string_view text);

}  // namespace spmvgen
