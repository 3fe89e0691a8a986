#pragma once
#include <map>
#include <optional>
#include <set>

#include "clang/AST/Expr.h"
#include "specializer/syntax/source.hpp"

namespace spmvgen::specializer {

/// Takes out what does nothing in an expression: `* 1`, `/ 1`, `+ 0`, `true &&`, `0 *`, comparisons
/// of constants, parentheses around a name, casts to the same type, sums of pointers under [].
/// Knows the values of variables whose loops vanish.
class ExpressionCleaner {
  public:
    ExpressionCleaner(const Source& source, TextEdits& edits) : source_(source), edits_(edits) {}

    /// From now on the variable is read as this value.
    void set_value(const clang::VarDecl* variable, std::int64_t value) {
        values_[variable] = value;
    }
    /// The value set for the variable that the expression is, or nothing.
    std::optional<std::int64_t> value_of(const clang::Expr* e) const;

    /// What is left of an expression once the edits of its top are done.
    enum class Left { all, operand, literal };
    struct Outcome {
        Left left = Left::all;
        const clang::Expr* operand = nullptr;  ///< the operand that stays, edits to come
    };
    /// Edits the top of `e`, of which `parent` is the next above that is not gone when `e` is a
    /// cast; for Left::all the children are still to be cleaned.
    Outcome clean(const clang::Expr* e, const clang::Stmt* parent);

    /// Value of whole numbers and truth values (of less than 32 bits) made of literals, constexpr
    /// names, variables with a set value and operators.
    std::optional<std::int64_t> value(const clang::Expr* e) const;
    /// What is left of `e` when its edits are done: itself, or an operand of it.
    const clang::Expr* left_of(const clang::Expr* e) const;
    /// Whether one operand of `e` takes its place when the edits so far are done.
    bool gone(const clang::Stmt* e) const { return gone_.contains(e); }
    /// False when an edit leaves something to clean that was not there before.
    bool settled() const { return settled_; }

  private:
    Outcome clean_binary(const clang::BinaryOperator* e, const clang::Stmt* parent);
    Outcome clean_parentheses(const clang::ParenExpr* e, const clang::Stmt* parent);
    Outcome clean_cast(const clang::Expr* e, const clang::Stmt* parent);
    Outcome clean_conditional(const clang::ConditionalOperator* e);
    Outcome clean_subscript(const clang::ArraySubscriptExpr* e);
    Outcome keep(const clang::Expr* e, const clang::Expr* operand);
    Outcome replace(const clang::Expr* e, std::int64_t value, const clang::Stmt* parent);

    /// Before implicit conversions.
    std::optional<std::int64_t> bare_value(const clang::Expr* e) const;
    std::optional<std::int64_t> binary_value(const clang::BinaryOperator* e) const;
    const clang::Expr* equal_operand(const clang::BinaryOperator* e) const;
    bool is_zero_product(const clang::BinaryOperator* e) const;
    /// Whether a cast converts nothing; `parent` as clean() has it.
    bool is_idle_cast(const clang::Expr* e, const clang::Stmt* parent) const;
    bool names_set_value(const clang::Expr* e) const;
    bool becomes_literal(const clang::BinaryOperator* e) const;
    bool becomes_operand(const clang::Expr* e) const;
    /// The branch that takes the place of the whole, or null.
    const clang::Expr* live_branch(const clang::ConditionalOperator* e) const;

    const Source& source_;
    TextEdits& edits_;
    std::map<const clang::Decl*, std::int64_t> values_;  // looked up only
    std::set<const clang::Stmt*> gone_;                  // the same
    bool settled_ = true;
};

}  // namespace spmvgen::specializer
