#pragma once
#include <optional>
#include <string>

#include "clang/AST/Expr.h"

namespace spmvgen::specializer {

/// The value of an integral expression that has no side effects and needs nothing known at run
/// time only.
std::optional<llvm::APSInt> constant(const clang::Expr* e, const clang::ASTContext& context);

/// The constant as C++ source of exactly the type `type` (integer or bool).
std::string literal(const llvm::APSInt& value, clang::QualType type);

/// The constant as source where it is converted implicitly to `type`: a plain literal when that
/// gives the same.
std::string converted_literal(const llvm::APSInt& value, clang::QualType type);

/// The constant where it takes the place of `e`, whose parent in the AST is `parent`: plain where
/// the surroundings convert it or have the same type, else of exactly e's type.
std::string placed_literal(const llvm::APSInt& value, const clang::Expr* e,
                           const clang::Stmt* parent);

/// "0.0", "1.0f" for a small whole number.
std::string floating_literal(const llvm::APSInt& value, clang::QualType type);

bool same_type(clang::QualType a, clang::QualType b);

/// Whether leaving the expression away changes nothing: no call, assignment or volatile access.
bool is_pure(const clang::Expr* e, const clang::ASTContext& context);

}  // namespace spmvgen::specializer
