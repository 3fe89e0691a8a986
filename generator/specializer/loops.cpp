#include "specializer/loops.hpp"

#include "clang/AST/RecursiveASTVisitor.h"

namespace spmvgen::specializer {
namespace {

/// Whether the body may be taken out of the loop with the variable replaced by its value.
class BodyCheck : public clang::RecursiveASTVisitor<BodyCheck> {
    using Base = clang::RecursiveASTVisitor<BodyCheck>;

  public:
    explicit BodyCheck(const clang::VarDecl* variable) : variable_(variable) {}
    bool safe() const { return reads_ == references_ && !leaves_; }

    bool VisitDeclRefExpr(clang::DeclRefExpr* e) {
        references_ += e->getDecl() == variable_;
        return true;
    }
    bool VisitImplicitCastExpr(clang::ImplicitCastExpr* e) {
        const auto* r = llvm::dyn_cast<clang::DeclRefExpr>(e->getSubExpr()->IgnoreParens());
        reads_ += e->getCastKind() == clang::CK_LValueToRValue && r && r->getDecl() == variable_;
        return true;
    }
    bool VisitBreakStmt(clang::BreakStmt*) { return leave(depth_ == 0 && switches_ == 0); }
    bool VisitContinueStmt(clang::ContinueStmt*) { return leave(depth_ == 0); }
    bool VisitLabelStmt(clang::LabelStmt*) { return leave(true); }
    bool VisitLambdaExpr(clang::LambdaExpr*) { return leave(true); }
    bool TraverseForStmt(clang::ForStmt* s) { return inside(depth_, &Base::TraverseForStmt, s); }
    bool TraverseWhileStmt(clang::WhileStmt* s) {
        return inside(depth_, &Base::TraverseWhileStmt, s);
    }
    bool TraverseDoStmt(clang::DoStmt* s) { return inside(depth_, &Base::TraverseDoStmt, s); }
    bool TraverseSwitchStmt(clang::SwitchStmt* s) {
        return inside(switches_, &Base::TraverseSwitchStmt, s);
    }

  private:
    template <typename Traverse, typename S>
    bool inside(int& level, Traverse traverse, S* s) {
        ++level;
        const bool result = (this->*traverse)(s, nullptr);
        --level;
        return result;
    }
    bool leave(bool leaves) {
        leaves_ |= leaves;
        return true;
    }

    const clang::VarDecl* variable_;
    int references_ = 0;
    int reads_ = 0;
    int depth_ = 0;
    int switches_ = 0;
    bool leaves_ = false;
};

bool is_variable(const clang::Expr* e, const clang::VarDecl* variable) {
    const auto* r = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts());
    return r && r->getDecl() == variable;
}

std::optional<bool> compare(clang::BinaryOperatorKind op, std::int64_t a, std::int64_t b) {
    switch (op) {
        case clang::BO_LT:
            return a < b;
        case clang::BO_LE:
            return a <= b;
        case clang::BO_GT:
            return a > b;
        case clang::BO_GE:
            return a >= b;
        case clang::BO_NE:
            return a != b;
        default:
            return std::nullopt;
    }
}

/// The variable's value after one step of the loop.
std::optional<std::int64_t> next_value(const clang::Expr* step, const clang::VarDecl* variable,
                                       std::int64_t value, const ExpressionCleaner& known) {
    if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(step)) {
        if (!u->isIncrementDecrementOp() || !is_variable(u->getSubExpr(), variable))
            return std::nullopt;
        return value + (u->isIncrementOp() ? 1 : -1);
    }
    const auto* a = llvm::dyn_cast<clang::CompoundAssignOperator>(step);
    if (!a || !is_variable(a->getLHS(), variable)) return std::nullopt;
    const auto amount = known.value(a->getRHS());
    if (!amount) return std::nullopt;
    const std::int64_t n = *amount;
    switch (a->getOpcode()) {
        case clang::BO_AddAssign:
            return value + n;
        case clang::BO_SubAssign:
            return value - n;
        case clang::BO_MulAssign:
            return value * n;
        case clang::BO_DivAssign:
            return n == 0 ? std::nullopt : std::optional(value / n);
        default:
            return std::nullopt;
    }
}

}  // namespace

std::optional<ShortLoop> short_loop(const clang::ForStmt* loop, const ExpressionCleaner& known) {
    const auto* init = llvm::dyn_cast_or_null<clang::DeclStmt>(loop->getInit());
    const auto* condition = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop->getCond());
    if (!init || !init->isSingleDecl() || !condition || !loop->getInc() ||
        loop->getConditionVariable())
        return std::nullopt;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(init->getSingleDecl());
    if (!variable || !variable->getInit() || !variable->getType()->isIntegerType() ||
        !is_variable(condition->getLHS(), variable))
        return std::nullopt;
    const auto begin = known.value(variable->getInit());
    const auto end = known.value(condition->getRHS());
    if (!begin || !end) return std::nullopt;

    const auto starts = compare(condition->getOpcode(), *begin, *end);
    if (!starts) return std::nullopt;
    if (!*starts) return ShortLoop{false, variable, *begin};
    const auto next = next_value(loop->getInc(), variable, *begin, known);
    if (!next || *compare(condition->getOpcode(), *next, *end)) return std::nullopt;
    BodyCheck check(variable);
    check.TraverseStmt(const_cast<clang::Stmt*>(loop->getBody()));
    if (!check.safe()) return std::nullopt;
    return ShortLoop{true, variable, *begin};
}

}  // namespace spmvgen::specializer
