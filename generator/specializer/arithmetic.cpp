#include "specializer/arithmetic.hpp"

#include "clang/AST/ExprCXX.h"
#include "specializer/constants.hpp"
#include "specializer/liveness.hpp"

namespace spmvgen::specializer {
namespace {

/// The value of a literal or of a constexpr name; nothing for longer expressions.
std::optional<llvm::APSInt> known(const clang::Expr* e, const clang::ASTContext& context) {
    const auto* bare = e->IgnoreParenImpCasts();
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare);
    const auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!is_literal(bare) && !(v && v->isConstexpr())) return std::nullopt;
    return constant(e, context);
}

bool is_value(const clang::Expr* e, std::int64_t value, const clang::ASTContext& context) {
    const auto v = known(e, context);
    return v && *v == value;
}

/// Whether `operand` alone has the type that the whole has.
bool has_type_of(const clang::Expr* operand, const clang::Expr* whole) {
    const auto type = operand->IgnoreParenImpCasts()->getType();
    if (whole->getType()->isPointerType()) return type->isPointerType() || type->isArrayType();
    return same_type(type, whole->getType());
}

/// The operand that equals the whole, or nothing.
const clang::Expr* equal_operand(const clang::BinaryOperator* e, const clang::ASTContext& context) {
    const auto* l = e->getLHS();
    const auto* r = e->getRHS();
    const bool whole_numbers = e->getType()->isIntegerType() || e->getType()->isPointerType();
    switch (whole_numbers ? e->getOpcode() : clang::BO_Comma) {
        case clang::BO_Mul:
            if (is_value(r, 1, context)) return l;
            return is_value(l, 1, context) ? r : nullptr;
        case clang::BO_Div:
            return is_value(r, 1, context) ? l : nullptr;
        case clang::BO_Add:
            if (is_value(r, 0, context)) return l;
            return is_value(l, 0, context) ? r : nullptr;
        case clang::BO_Sub:
            return is_value(r, 0, context) ? l : nullptr;
        case clang::BO_LAnd:
            if (is_value(l, 1, context)) return r;
            return is_value(r, 1, context) ? l : nullptr;
        case clang::BO_LOr:
            if (is_value(l, 0, context)) return r;
            return is_value(r, 0, context) ? l : nullptr;
        default:
            return nullptr;
    }
}

bool simplify_binary(const clang::BinaryOperator* e, const clang::Stmt* parent,
                     const Source& source, TextEdits& edits) {
    auto& context = source.context;
    if (const auto* kept = equal_operand(e, context); kept && has_type_of(kept, e)) {
        edits.keep_only(source.range(e->getSourceRange()), source.range(kept->getSourceRange()));
        return true;
    }
    const bool product = e->getOpcode() == clang::BO_Mul && e->getType()->isIntegerType();
    const bool zero = product && ((is_value(e->getLHS(), 0, context) && can_go(e->getRHS())) ||
                                  (is_value(e->getRHS(), 0, context) && can_go(e->getLHS())));
    // A product or sum with a literal 0 or 1 that a vanished loop left behind.
    const bool small = (product || e->getOpcode() == clang::BO_Add) && is_literal(e) &&
                       e->getType()->isIntegerType() &&
                       (equal_operand(e, context) != nullptr || zero);
    const bool truth = is_literal(e) && e->getType()->isBooleanType();
    if (!zero && !small && !truth) return false;
    const auto value = zero ? std::optional(llvm::APSInt::get(0)) : constant(e, context);
    if (!value) return false;
    edits.replace(source.range(e->getSourceRange()), placed_literal(*value, e, parent));
    return true;
}

/// Whether the text of e stays one operand without parentheses.
bool is_operand(const clang::Expr* e) {
    return llvm::isa<clang::DeclRefExpr, clang::IntegerLiteral, clang::FloatingLiteral,
                     clang::CXXBoolLiteralExpr, clang::CallExpr, clang::ArraySubscriptExpr,
                     clang::MemberExpr, clang::ParenExpr, clang::CXXNamedCastExpr>(e) &&
           !llvm::isa<clang::CXXOperatorCallExpr>(e);
}

bool simplify_parentheses(const clang::ParenExpr* e, const clang::Stmt* parent,
                          const Source& source, TextEdits& edits) {
    if (!is_operand(e->getSubExpr()->IgnoreImplicit()) ||
        llvm::isa_and_nonnull<clang::UnaryExprOrTypeTraitExpr>(parent))
        return false;
    edits.replace({source.begin(e->getLParen()), source.end(e->getLParen())}, " ");
    edits.replace({source.begin(e->getRParen()), source.end(e->getRParen())}, " ");
    return true;
}

bool simplify_cast(const clang::CXXStaticCastExpr* e, const Source& source, TextEdits& edits) {
    const auto* from = e->getSubExpr()->IgnoreImplicit();
    if (e->isLValue() || !e->getType()->isArithmeticType() ||
        !same_type(from->getType(), e->getType()))
        return false;
    const Range all = source.range(e->getSourceRange());
    Range kept = source.range(from->getSourceRange());
    if (!is_operand(from)) {
        kept.begin = source.begin(e->getAngleBrackets().getEnd()) + 1;
        kept.end = all.end;
    }
    edits.keep_only(all, kept);
    return true;
}

bool simplify_conditional(const clang::ConditionalOperator* e, const Source& source,
                          TextEdits& edits) {
    if (!is_literal(e->getCond())) return false;
    const auto value = constant(e->getCond(), source.context);
    if (!value) return false;
    const auto* live = value->getBoolValue() ? e->getTrueExpr() : e->getFalseExpr();
    if (!same_type(live->IgnoreImplicit()->getType(), e->getType())) return false;
    edits.keep_only(source.range(e->getSourceRange()), source.range(live->getSourceRange()));
    return true;
}

}  // namespace

bool is_literal(const clang::Expr* e) {
    e = e->IgnoreParenImpCasts();
    if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e))
        return !u->isIncrementDecrementOp() && is_literal(u->getSubExpr());
    if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(e))
        return is_literal(b->getLHS()) && is_literal(b->getRHS());
    if (auto* r = llvm::dyn_cast<clang::DeclRefExpr>(e))
        return llvm::isa<clang::EnumConstantDecl>(r->getDecl());
    return llvm::isa<clang::IntegerLiteral, clang::CXXBoolLiteralExpr>(e);
}

bool simplify_expression(const clang::Expr* e, const clang::Stmt* parent, const Source& source,
                         TextEdits& edits) {
    if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(e))
        return !b->isAssignmentOp() && simplify_binary(b, parent, source, edits);
    if (auto* p = llvm::dyn_cast<clang::ParenExpr>(e))
        return simplify_parentheses(p, parent, source, edits);
    if (auto* c = llvm::dyn_cast<clang::CXXStaticCastExpr>(e))
        return simplify_cast(c, source, edits);
    if (auto* c = llvm::dyn_cast<clang::ConditionalOperator>(e))
        return simplify_conditional(c, source, edits);
    if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e)) {
        if (u->getOpcode() != clang::UO_LNot || !is_literal(u)) return false;
        edits.replace(source.range(e->getSourceRange()),
                      literal(*constant(e, source.context), e->getType()));
        return true;
    }
    return false;
}

}  // namespace spmvgen::specializer
