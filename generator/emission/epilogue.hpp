#pragma once
#include <string>

namespace spmvgen {

/// The virtual file that defines epilogue() for the templates.
inline const std::string epilogue_file = "dialect/epilogue.hpp";

/// Its text for a user's expression, in a GPU's kernel or a CPU's. Throws Error(invalid_argument)
/// for what cannot be one expression: empty, too long, with unbalanced parentheses, or with
/// characters that could end it.
std::string epilogue_text(const std::string& expression, bool gpu);

}  // namespace spmvgen
