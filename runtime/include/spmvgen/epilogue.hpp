#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "spmvgen/types.hpp"

namespace spmvgen {

/// What an epilogue does with a name that it takes at each apply.
enum class OperandRole {
    vector,   ///< reads name[row]
    written,  ///< writes name[row], and may read it
    scalar,   ///< reads one number
    number,   ///< writes one number, what row 0 has
    sum,      ///< writes one number: a sum over all rows
    maximum   ///< writes one number: the largest of all rows
};
const char* to_string(OperandRole role);  ///< "vector", …

/// Whether something is written to the operand.
constexpr bool is_written(OperandRole role) {
    return role != OperandRole::vector && role != OperandRole::scalar;
}
/// Whether it is one number over all rows.
constexpr bool is_reduction(OperandRole role) {
    return role == OperandRole::sum || role == OperandRole::maximum;
}
/// Whether it has a number for each row.
constexpr bool is_vector(OperandRole role) {
    return role == OperandRole::vector || role == OperandRole::written;
}

struct EpilogueName {
    std::string name;
    OperandRole role = OperandRole::vector;
    bool operator==(const EpilogueName&) const = default;
};

/// A word, a number or an operator of C++.
struct EpilogueToken {
    enum class Kind { word, number, sign } kind = Kind::sign;
    std::string text;
    std::string space;  ///< what is between it and the token before
    int operand = -1;   ///< of a word: the number of the operand that it names; -1 = none
};

/// `target = expression`, in whatever way the kind says.
struct EpilogueStatement {
    enum class Kind {
        local,    ///< a value for the statements behind it
        store,    ///< target[row] = expression
        number,   ///< target[0] = expression, of row 0
        sum,      ///< target += expression
        maximum,  ///< target max= expression
        result    ///< what y gets; always the last
    } kind = Kind::result;
    std::string target;  ///< "" of a result
    std::vector<EpilogueToken> expression;
};

/// An epilogue taken apart:
///
///     program    = { statement ";" } expression
///     statement  = name "=" expression | name "[row]" "=" expression
///                | name "[0]" "=" expression | name "+=" expression | name "max=" expression
///
/// A name that an expression reads is a local value when a statement before has made it, else an
/// operand: with [row] a vector, without a number. Names of functions, types and C++ itself are
/// none.
struct EpilogueProgram {
    std::vector<EpilogueName> names;  ///< the operands, as they come in the text
    std::vector<EpilogueStatement> statements;

    bool has_reductions() const;
    /// How often an element of a vector is read or written for each row; what one row reads twice
    /// counts once.
    int count_accesses() const;
    /// Number of the operand; -1 = there is none of that name.
    int find(std::string_view name) const;
};

/// Throws Error(invalid_argument) for what is no such text: empty, too long, with unbalanced
/// parentheses or characters that no expression has, or names used in two ways. "" gives a program
/// without statements.
EpilogueProgram parse_epilogue(const std::string& text);

/// Whether the text names operands, which each apply has to bring.
bool has_operands(const std::string& epilogue);

/// What kernels call the operand of that name.
std::string operand_argument(std::string_view name);

/// The most operands of an epilogue.
inline constexpr std::size_t most_operands = 16;

/// What a name of an epilogue stands for in one apply: a vector with an element for each row of the
/// product, or one number, both where x and y are and of their type.
struct EpilogueOperand {
    template <typename Value>
    EpilogueOperand(std::string_view of, Value* at)
        : name(of),
          type(type_tag<std::remove_const_t<Value>>::value),
          data(at),
          writable(!std::is_const_v<Value>) {}
    EpilogueOperand(std::string_view of, ValueType elements, const void* at, bool may_be_written)
        : name(of), type(elements), data(at), writable(may_be_written) {}

    std::string_view name;
    ValueType type;
    const void* data;
    bool writable;
};

}  // namespace spmvgen
