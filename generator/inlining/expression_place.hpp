#pragma once
#include <string>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace spmvgen::specializer {

/// How tightly the top of an expression binds.
enum class Binding { any, comparison, additive, multiplicative, unary, primary };

/// What an expression has to be where it stands: at least so tight, and of the type that the AST
/// gives it. Where it is converted anyhow, a narrower integer does as well.
struct Place {
    Binding binding = Binding::primary;
    bool converts = false;
    bool operator==(const Place&) const = default;
};

/// The text of an expression with what it needs to be put elsewhere.
struct PlacedText {
    std::string text;
    Binding binding = Binding::primary;
    clang::QualType type;
};

/// How tightly the top of `e` binds, implicit conversions left aside.
Binding binding_of(const clang::Expr* e);

/// The place of an expression below `parents`, the innermost last.
Place place_of(const clang::Expr* e, const std::vector<clang::Stmt*>& parents);

/// Whether the conversion of integers from one type to the other keeps every value.
bool widens(clang::QualType from, clang::QualType to, const clang::ASTContext& context);

/// The text as an expression of type `wanted` at the place: in parentheses or converted where it
/// needs to be. `integer_literal`: it is one that is not negative.
std::string fitted(const PlacedText& given, const Place& place, clang::QualType wanted,
                   bool integer_literal, const clang::ASTContext& context);

/// The type's name as source text, without qualifiers of its own.
std::string type_name(clang::QualType type, const clang::ASTContext& context);

}  // namespace spmvgen::specializer
