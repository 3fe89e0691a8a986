#pragma once
#include "clang/AST/Expr.h"
#include "specializer/source.hpp"

namespace spmvgen::specializer {

/// Takes out what does nothing in this expression itself (not in its operands): `* 1`, `/ 1`,
/// `+ 0`, `true &&`, `0 *`, conditions on literals, parentheses around a name, casts to the same
/// type. True when an edit was made.
bool simplify_expression(const clang::Expr* e, const clang::Stmt* parent, const Source& source,
                         TextEdits& edits);

/// Whether the expression is made of literals only.
bool is_literal(const clang::Expr* e);

}  // namespace spmvgen::specializer
