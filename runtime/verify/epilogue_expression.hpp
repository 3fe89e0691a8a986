#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "spmvgen/epilogue.hpp"

namespace spmvgen {

/// What the reference can do with numbers.
enum class ExpressionOperation {
    number,
    value,
    row,
    operand,
    local,
    negative,
    negated,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    both,
    either,
    choice,
    fabs,
    fmin,
    fmax,
    sqrt
};

/// A part of an expression, and the parts that it is made of.
struct ExpressionNode {
    ExpressionOperation operation = ExpressionOperation::number;
    double number = 0;
    int index = 0;       ///< of an operand or a local value
    bool whole = false;  ///< of a type of integers
    std::array<int, 3> of{-1, -1, -1};
};

/// The expression of a statement as nodes, the last of them its value; `locals` has the numbers of
/// the values of statements before. Throws Error(unsupported) for what no ExpressionOperation is
/// for.
std::vector<ExpressionNode> parse_expression(const EpilogueStatement& statement,
                                             const std::map<std::string, int>& locals);

}  // namespace spmvgen
