#pragma once
#include <string>
#include <vector>

#include "specializer/source.hpp"

namespace spmvgen::specializer {

/// One round of simplification of a plain C++ text; no edits when nothing is left to do. What
/// simplify() does, in the words of its comment.
TextEdits cleaning_edits(clang::ASTContext& context, const std::string& text,
                         const std::vector<std::string>& steps);

}  // namespace spmvgen::specializer
