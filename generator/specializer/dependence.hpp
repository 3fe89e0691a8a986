#pragma once
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace spmvgen::specializer {

/// Whether an expression or statement depends on what the template is bound to.
bool depends_on_bindings(clang::Stmt* s);

/// Whether the function is a conversion of a type into another, which are the same one here.
bool converts_nothing(const clang::FunctionDecl& function, const clang::ASTContext& context);

}  // namespace spmvgen::specializer
