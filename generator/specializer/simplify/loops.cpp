#include "specializer/simplify/loops.hpp"

#include "clang/AST/ExprCXX.h"
#include "specializer/syntax/syntax_walk.hpp"

namespace spmvgen::specializer {
namespace {

/// Whether the body may be taken out of the loop with the variable replaced by its value.
class BodyCheck : public SyntaxWalk {
  public:
    explicit BodyCheck(const clang::VarDecl* variable) : variable_(variable) {}
    bool safe() const { return reads_ == references_ && !leaves_; }

    bool traverse_statement(clang::Stmt* s) override {
        if (llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(s)) return inside(loops_, s);
        if (llvm::isa<clang::SwitchStmt>(s)) return inside(switches_, s);
        return SyntaxWalk::traverse_statement(s);
    }

  private:
    bool visit_statement(clang::Stmt* s) override {
        if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s))
            references_ += name->getDecl() == variable_;
        if (auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(s)) reads_ += reads(*cast);
        if (llvm::isa<clang::BreakStmt>(s)) leaves_ |= loops_ == 0 && switches_ == 0;
        if (llvm::isa<clang::ContinueStmt>(s)) leaves_ |= loops_ == 0;
        leaves_ |= llvm::isa<clang::LabelStmt, clang::LambdaExpr>(s);
        return true;
    }
    bool reads(const clang::ImplicitCastExpr& cast) const {
        const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(cast.getSubExpr()->IgnoreParens());
        return cast.getCastKind() == clang::CK_LValueToRValue && name &&
               name->getDecl() == variable_;
    }
    bool inside(int& level, clang::Stmt* s) {
        ++level;
        const bool result = SyntaxWalk::traverse_statement(s);
        --level;
        return result;
    }

    const clang::VarDecl* variable_;
    int references_ = 0;
    int reads_ = 0;
    int loops_ = 0;
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
    check.traverse_statement(const_cast<clang::Stmt*>(loop->getBody()));
    if (!check.safe()) return std::nullopt;
    return ShortLoop{true, variable, *begin};
}

}  // namespace spmvgen::specializer
