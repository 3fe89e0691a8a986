#pragma once
#include <set>
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "specializer/syntax/text_edits.hpp"

namespace spmvgen::specializer {

/// Puts helpers where they are called, in plain C++ text: those of one short expression or
/// statement everywhere, and those that are called once, as long as the caller then still fits a
/// screen. Functions that nobody calls any more go. `steps` stay functions.
TextEdits inline_helpers(clang::ASTContext& context, const std::string& text,
                         const std::vector<std::string>& steps);

}  // namespace spmvgen::specializer
