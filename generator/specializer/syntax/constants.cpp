#include "specializer/syntax/constants.hpp"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/StringExtras.h"

namespace spmvgen::specializer {

std::optional<llvm::APSInt> constant(const clang::Expr* e, const clang::ASTContext& context) {
    if (e->isValueDependent() || e->isTypeDependent() ||
        !e->getType()->isIntegralOrEnumerationType())
        return std::nullopt;
    clang::Expr::EvalResult result;
    if (!e->EvaluateAsInt(result, context, clang::Expr::SE_NoSideEffects)) return std::nullopt;
    return result.Val.getInt();
}

std::string literal(const llvm::APSInt& value, clang::QualType type) {
    type = type.getCanonicalType().getUnqualifiedType();
    if (type->isBooleanType()) return value.getBoolValue() ? "true" : "false";
    std::string text = llvm::toString(value, 10);
    const auto* builtin = type->getAs<clang::BuiltinType>();
    switch (builtin ? builtin->getKind() : clang::BuiltinType::Int) {
        case clang::BuiltinType::Int:
            break;
        case clang::BuiltinType::UInt:
            text += "u";
            break;
        case clang::BuiltinType::Long:
            text += "l";
            break;
        case clang::BuiltinType::ULong:
            text += "ul";
            break;
        case clang::BuiltinType::LongLong:
            text += "ll";
            break;
        case clang::BuiltinType::ULongLong:
            text += "ull";
            break;
        default:
            return "static_cast<" + type.getAsString() + ">(" + text + ")";
    }
    return value.isNegative() ? "(" + text + ")" : text;
}

std::string converted_literal(const llvm::APSInt& value, clang::QualType type) {
    const bool fits = value.isSignedIntN(32) || (value.isUnsigned() && value.isIntN(31));
    if (!fits || type->isBooleanType() || !type->isIntegerType()) return literal(value, type);
    const std::string text = llvm::toString(value, 10);
    return value.isNegative() ? "(" + text + ")" : text;
}

std::string placed_literal(const llvm::APSInt& value, const clang::Expr* e,
                           const clang::Stmt* parent) {
    bool converts = llvm::isa_and_nonnull<clang::ArraySubscriptExpr, clang::CallExpr>(parent);
    if (auto* cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(parent))
        converts = cast->getCastKind() == clang::CK_IntegralCast;
    if (auto* b = llvm::dyn_cast_or_null<clang::BinaryOperator>(parent)) {
        const auto* other = b->getLHS() == e ? b->getRHS() : b->getLHS();
        converts = same_type(other->IgnoreParenImpCasts()->getType(), e->getType());
    }
    return converts ? converted_literal(value, e->getType()) : literal(value, e->getType());
}

std::string floating_literal(const llvm::APSInt& value, clang::QualType type) {
    const std::string text = llvm::toString(value, 10) +
                             (type.getCanonicalType().getUnqualifiedType()->isSpecificBuiltinType(
                                  clang::BuiltinType::Float)
                                  ? ".0f"
                                  : ".0");
    return value.isNegative() ? "(" + text + ")" : text;
}

bool same_type(clang::QualType a, clang::QualType b) {
    return a.getCanonicalType().getUnqualifiedType() == b.getCanonicalType().getUnqualifiedType();
}

bool is_pure(const clang::Expr* e, const clang::ASTContext& context) {
    return !e->HasSideEffects(context);
}

}  // namespace spmvgen::specializer
