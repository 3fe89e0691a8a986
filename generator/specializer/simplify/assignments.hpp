#pragma once
#include "clang/AST/Expr.h"
#include "specializer/syntax/source.hpp"

namespace spmvgen::specializer {

/// Whether a statement assigns a variable or element to itself: `a = a`.
bool is_idle_assignment(const clang::Stmt* s, const Source& source);

/// `a = a + b` to `a += b`.
void shorten_assignment(const clang::Stmt* s, const Source& source, TextEdits& edits);

/// The local variable that a statement gives another value and does nothing else; null for any
/// other statement.
const clang::VarDecl* written_local(const clang::Stmt* s);

}  // namespace spmvgen::specializer
