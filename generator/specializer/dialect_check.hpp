#pragma once
#include <string>

#include "clang/AST/ASTContext.h"
#include "specializer/pass_variables.hpp"
#include "specializer/syntax/front_end.hpp"

namespace clang {
class FunctionDecl;
}

namespace spmvgen::specializer {

/// Checks the preprocessor lines of `file` and of all it includes (rules 1 to 4) before Clang sees
/// them. Throws Error(invalid_input) "templates/FILE:LINE: rule N: …"; the rules are in
/// docs/explanation/dialect.md.
void check_directives(const Files& files, const std::string& file);

/// Checks what Clang read (all other rules but 11 and 19, which show when texts are taken).
void check_declarations(clang::ASTContext& context, const std::vector<Variable>& variables = {});

/// Checks the signature of a step (rule 16).
void check_step(const clang::FunctionDecl& function);

}  // namespace spmvgen::specializer
