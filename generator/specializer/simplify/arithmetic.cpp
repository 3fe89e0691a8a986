#include "specializer/simplify/arithmetic.hpp"

#include "clang/AST/ExprCXX.h"
#include "inlining/expression_place.hpp"
#include "specializer/syntax/constants.hpp"
#include "specializer/syntax/liveness.hpp"

namespace spmvgen::specializer {
namespace {

/// Numbers beyond this are left alone, so that no operation on two of them overflows.
constexpr std::int64_t value_limit = std::int64_t{1} << 31;

std::optional<std::int64_t> limited(std::int64_t v) {
    return v > -value_limit && v < value_limit ? std::optional(v) : std::nullopt;
}

/// Whether `operand` alone has the type that the whole has.
bool has_type_of(const clang::Expr* operand, const clang::Expr* whole) {
    const auto type = operand->IgnoreParenImpCasts()->getType();
    if (whole->getType()->isPointerType()) return type->isPointerType() || type->isArrayType();
    return same_type(type, whole->getType());
}

/// Whether the text of e is one operand without parentheses.
bool is_operand(const clang::Expr* e) {
    return llvm::isa<clang::DeclRefExpr, clang::IntegerLiteral, clang::FloatingLiteral,
                     clang::CXXBoolLiteralExpr, clang::CallExpr, clang::ArraySubscriptExpr,
                     clang::MemberExpr, clang::ParenExpr, clang::CXXNamedCastExpr>(e) &&
           !llvm::isa<clang::CXXOperatorCallExpr>(e);
}

bool is_literal(const clang::Expr* e) {
    return llvm::isa<clang::IntegerLiteral, clang::CXXBoolLiteralExpr>(e->IgnoreParenImpCasts());
}

}  // namespace

std::optional<std::int64_t> ExpressionCleaner::value_of(const clang::Expr* e) const {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
    const auto found = name ? values_.find(name->getDecl()) : values_.end();
    return found == values_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::int64_t> ExpressionCleaner::value(const clang::Expr* e) const {
    const auto v = bare_value(e->IgnoreParenImpCasts());
    const auto type = e->getType();
    if (!v || type->isBooleanType()) return v;
    const bool changes = (*v < 0 && type->isUnsignedIntegerType()) ||
                         (type->isIntegerType() && source_.context.getTypeSize(type) < 32);
    return changes ? std::nullopt : v;
}

std::optional<std::int64_t> ExpressionCleaner::bare_value(const clang::Expr* e) const {
    if (const auto set = value_of(e)) return set;
    if (auto* number = llvm::dyn_cast<clang::IntegerLiteral>(e))
        return number->getValue().getActiveBits() < 32
                   ? limited(static_cast<std::int64_t>(number->getValue().getZExtValue()))
                   : std::nullopt;
    if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(e)) return binary_value(b);
    if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e)) {
        const auto v = value(u->getSubExpr());
        if (!v) return std::nullopt;
        if (u->getOpcode() == clang::UO_LNot) return *v == 0;
        return u->getOpcode() == clang::UO_Minus ? std::optional(-*v) : std::nullopt;
    }
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
    const auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!is_literal(e) && !(v && v->isConstexpr())) return std::nullopt;
    const auto known = constant(e, source_.context);
    if (!known || known->getSignificantBits() > 32) return std::nullopt;
    return limited(known->getExtValue());
}

std::optional<std::int64_t> ExpressionCleaner::binary_value(const clang::BinaryOperator* e) const {
    const auto l = value(e->getLHS());
    const auto r = value(e->getRHS());
    if (is_zero_product(e)) return 0;
    if (!l || !r) return std::nullopt;
    switch (e->getOpcode()) {
        case clang::BO_Add:
            return limited(*l + *r);
        case clang::BO_Sub:
            return limited(*l - *r);
        case clang::BO_Mul:
            return limited(*l * *r);
        case clang::BO_Div:
            return *r == 0 ? std::nullopt : limited(*l / *r);
        case clang::BO_EQ:
            return *l == *r;
        case clang::BO_NE:
            return *l != *r;
        case clang::BO_LT:
            return *l < *r;
        case clang::BO_LE:
            return *l <= *r;
        case clang::BO_GT:
            return *l > *r;
        case clang::BO_GE:
            return *l >= *r;
        case clang::BO_LAnd:
            return *l != 0 && *r != 0;
        case clang::BO_LOr:
            return *l != 0 || *r != 0;
        default:
            return std::nullopt;
    }
}

/// The operand that equals the whole, or nothing.
const clang::Expr* ExpressionCleaner::equal_operand(const clang::BinaryOperator* e) const {
    if (!e->getType()->isIntegerType() && !e->getType()->isPointerType()) return nullptr;
    const auto* l = e->getLHS();
    const auto* r = e->getRHS();
    const auto either = [&](std::int64_t neutral) {
        const auto* kept = value(r) == neutral ? l : value(l) == neutral ? r : nullptr;
        return kept && has_type_of(kept, e) ? kept : nullptr;
    };
    switch (e->getOpcode()) {
        case clang::BO_Mul:
        case clang::BO_LAnd:
            return either(1);
        case clang::BO_Add:
        case clang::BO_LOr:
            return either(0);
        case clang::BO_Div:
            return value(r) == 1 && has_type_of(l, e) ? l : nullptr;
        case clang::BO_Sub:
        case clang::BO_Shl:
        case clang::BO_Shr:
            return value(r) == 0 && has_type_of(l, e) ? l : nullptr;
        default:
            return nullptr;
    }
}

bool ExpressionCleaner::is_zero_product(const clang::BinaryOperator* e) const {
    if (e->getOpcode() == clang::BO_Rem) return value(e->getRHS()) == 1 && can_go(e->getLHS());
    return e->getOpcode() == clang::BO_Mul && e->getType()->isIntegerType() &&
           ((value(e->getLHS()) == 0 && can_go(e->getRHS())) ||
            (value(e->getRHS()) == 0 && can_go(e->getLHS())));
}

/// Whether a variable with a set value occurs in e.
bool ExpressionCleaner::names_set_value(const clang::Expr* e) const {
    e = e->IgnoreParenImpCasts();
    if (value_of(e)) return true;
    if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e)) return names_set_value(u->getSubExpr());
    auto* b = llvm::dyn_cast<clang::BinaryOperator>(e);
    return b && (names_set_value(b->getLHS()) || names_set_value(b->getRHS()));
}

bool ExpressionCleaner::becomes_literal(const clang::BinaryOperator* e) const {
    return value(e) && (e->getType()->isBooleanType() || is_zero_product(e) || names_set_value(e));
}

/// Whether e is one operand when its own edits are done.
bool ExpressionCleaner::becomes_operand(const clang::Expr* e) const {
    e = e->IgnoreImplicit();
    if (auto* c = llvm::dyn_cast<clang::ConditionalOperator>(e)) {
        const auto* live = live_branch(c);
        return live && becomes_operand(live);
    }
    const auto* b = llvm::dyn_cast<clang::BinaryOperator>(e);
    if (!b) return is_operand(e);
    if (is_zero_product(b) || (value(e) && names_set_value(e))) return value(e) >= 0;
    const auto* kept = equal_operand(b);
    return kept && becomes_operand(kept);
}

bool ExpressionCleaner::is_idle_cast(const clang::Expr* e, const clang::Stmt* parent) const {
    const auto* cast = llvm::dyn_cast<clang::CXXStaticCastExpr>(e);
    if (!cast || e->isLValue() || !e->getType()->isArithmeticType()) return false;
    const auto from = cast->getSubExpr()->IgnoreImplicit()->getType();
    return same_type(from, e->getType()) ||
           (llvm::isa_and_nonnull<clang::ArraySubscriptExpr>(parent) &&
            widens(from, e->getType(), source_.context));
}

const clang::Expr* ExpressionCleaner::left_of(const clang::Expr* e) const {
    e = e->IgnoreImplicit();
    const clang::Expr* operand = nullptr;
    if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(e); b && !b->isAssignmentOp())
        operand = becomes_literal(b) ? nullptr : equal_operand(b);
    if (auto* p = llvm::dyn_cast<clang::ParenExpr>(e)) operand = p->getSubExpr();
    if (is_idle_cast(e, nullptr)) operand = llvm::cast<clang::CastExpr>(e)->getSubExpr();
    return operand ? left_of(operand) : e;
}

ExpressionCleaner::Outcome ExpressionCleaner::keep(const clang::Expr* e,
                                                   const clang::Expr* operand) {
    edits_.keep_only(source_.range(e->getSourceRange()), source_.range(operand->getSourceRange()));
    gone_.insert(e);
    return {Left::operand, operand};
}

ExpressionCleaner::Outcome ExpressionCleaner::replace(const clang::Expr* e, std::int64_t value,
                                                      const clang::Stmt* parent) {
    edits_.replace(source_.range(e->getSourceRange()),
                   placed_literal(llvm::APSInt::get(value), e, parent));
    return {Left::literal};
}

ExpressionCleaner::Outcome ExpressionCleaner::clean_binary(const clang::BinaryOperator* e,
                                                           const clang::Stmt* parent) {
    if (e->isAssignmentOp()) return {};
    if (becomes_literal(e)) return replace(e, *value(e), parent);
    const auto* kept = equal_operand(e);
    return kept ? keep(e, kept) : Outcome{};
}

ExpressionCleaner::Outcome ExpressionCleaner::clean_parentheses(const clang::ParenExpr* e,
                                                                const clang::Stmt* parent) {
    const bool operand = llvm::isa_and_nonnull<clang::ConditionalOperator>(parent) &&
                         llvm::isa<clang::UnaryOperator>(e->getSubExpr());
    if (!(operand || becomes_operand(e->getSubExpr())) ||
        llvm::isa_and_nonnull<clang::UnaryExprOrTypeTraitExpr>(parent))
        return {};
    gone_.insert(e);
    edits_.replace({source_.begin(e->getLParen()), source_.end(e->getLParen())}, " ");
    edits_.replace({source_.begin(e->getRParen()), source_.end(e->getRParen())}, " ");
    return {};
}

ExpressionCleaner::Outcome ExpressionCleaner::clean_cast(const clang::Expr* e,
                                                         const clang::Stmt* parent) {
    if (!is_idle_cast(e, parent)) return {};
    const auto* cast = llvm::cast<clang::CXXStaticCastExpr>(e);
    const auto* from = cast->getSubExpr()->IgnoreImplicit();
    const Range all = source_.range(e->getSourceRange());
    const Range operand = source_.range(from->getSourceRange());
    const Range parentheses{source_.begin(cast->getAngleBrackets().getEnd()) + 1, all.end};
    edits_.keep_only(all, becomes_operand(from) ? operand : parentheses);
    return {Left::operand, cast->getSubExpr()};
}

const clang::Expr* ExpressionCleaner::live_branch(const clang::ConditionalOperator* e) const {
    const auto known = value(e->getCond());
    if (!known) return nullptr;
    const auto* live = *known != 0 ? e->getTrueExpr() : e->getFalseExpr();
    return same_type(live->IgnoreImplicit()->getType(), e->getType()) ? live : nullptr;
}

ExpressionCleaner::Outcome ExpressionCleaner::clean_conditional(
    const clang::ConditionalOperator* e) {
    const auto* live = live_branch(e);
    return live ? keep(e, live) : Outcome{};
}

/// `(p + a)[i]` to `p[a + i]`, where a is wide enough for the sum, and `(p + a)[0]` to `p[a]`.
ExpressionCleaner::Outcome ExpressionCleaner::clean_subscript(const clang::ArraySubscriptExpr* e) {
    const auto* base = llvm::dyn_cast<clang::ParenExpr>(e->getBase()->IgnoreImplicit());
    const auto* sum =
        base ? llvm::dyn_cast<clang::BinaryOperator>(base->getSubExpr()->IgnoreImplicit())
             : nullptr;
    const auto is_sum = [](const clang::BinaryOperator* b) {
        return b && b->getOpcode() == clang::BO_Add && b->getLHS()->getType()->isPointerType();
    };
    if (!is_sum(sum) || binding_of(e->getIdx()) < Binding::additive) return {};
    const auto* whole = sum;
    bool has_zero = value(sum->getRHS()) == 0;
    while (is_sum(llvm::dyn_cast<clang::BinaryOperator>(sum->getLHS()->IgnoreImplicit()))) {
        sum = llvm::cast<clang::BinaryOperator>(sum->getLHS()->IgnoreImplicit());
        has_zero = has_zero || value(sum->getRHS()) == 0;
    }
    // A zero goes first; the pointer may be a sum in parentheses itself.
    settled_ =
        settled_ && !has_zero && !llvm::isa<clang::ParenExpr>(sum->getLHS()->IgnoreImplicit());
    const auto* first = sum->getRHS()->IgnoreImplicit();
    const bool first_only = value(e->getIdx()) == 0;
    const bool is_narrow = source_.context.getTypeSize(first->getType()) < 64;
    if (is_narrow && !(first_only && sum == whole)) return {};
    // `(p + (a + b))[0]` to `p[a + b]`.
    const auto* inner = llvm::dyn_cast<clang::ParenExpr>(first);
    if (!first_only || sum != whole || (inner && becomes_operand(inner->getSubExpr())))
        inner = nullptr;
    const auto* begin = inner ? inner->getSubExpr() : first;
    const auto end = inner ? inner->getRParen() : base->getRParen();
    edits_.remove({source_.begin(base->getLParen()), source_.end(base->getLParen())});
    edits_.replace({source_.end(sum->getLHS()->getEndLoc()), source_.begin(begin->getBeginLoc())},
                   "[");
    edits_.replace({source_.begin(end), first_only ? source_.end(e->getIdx()->getEndLoc())
                                                   : source_.begin(e->getIdx()->getBeginLoc())},
                   first_only ? "" : " + ");
    if (first_only && sum == whole) gone_.insert({base, sum});
    return {};
}

ExpressionCleaner::Outcome ExpressionCleaner::clean(const clang::Expr* e,
                                                    const clang::Stmt* parent) {
    if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(e)) return clean_binary(b, parent);
    if (auto* p = llvm::dyn_cast<clang::ParenExpr>(e)) return clean_parentheses(p, parent);
    if (auto* c = llvm::dyn_cast<clang::ConditionalOperator>(e)) return clean_conditional(c);
    if (llvm::isa<clang::CXXStaticCastExpr>(e)) return clean_cast(e, parent);
    if (auto* a = llvm::dyn_cast<clang::ArraySubscriptExpr>(e)) return clean_subscript(a);
    const auto* u = llvm::dyn_cast<clang::UnaryOperator>(e);
    const auto known = u && u->getOpcode() == clang::UO_LNot ? value(u) : std::nullopt;
    return known ? replace(e, *known, parent) : Outcome{};
}

}  // namespace spmvgen::specializer
