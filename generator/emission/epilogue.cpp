#include "emission/epilogue.hpp"

#include <regex>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t longest = 500;

[[noreturn]] void refuse(const std::string& why) {
    throw Error(ErrorCode::invalid_argument, "epilogue: " + why +
                                                 "; write one expression of value and row, as in "
                                                 "value > 0 ? value : 0");
}

/// The functions that GPUs' compilers know by their names are builtins of a CPU's.
std::string with_builtins(const std::string& expression) {
    static const std::regex function(R"(\b(fabs|fmin|fmax|sqrt)\b)");
    return std::regex_replace(expression, function, "__builtin_$1");
}

}  // namespace

std::string epilogue_text(const std::string& expression, bool gpu) {
    if (expression.find_first_not_of(' ') == expression.npos) refuse("the expression is empty");
    if (expression.size() > longest)
        refuse("the expression has more than " + std::to_string(longest) + " characters");
    constexpr auto allowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ .,+-*/%<>=!&|^~?:()[]";
    if (const auto at = expression.find_first_not_of(allowed); at != expression.npos)
        refuse("character " + std::to_string(at + 1) + " cannot be part of an expression");
    for (const char* comment : {"//", "/*"})
        if (expression.find(comment) != expression.npos) refuse("comments are not taken");
    int open = 0;
    for (const char c : expression) {
        open += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (open < 0) break;
    }
    if (open != 0) refuse("the parentheses do not match");
    return "#pragma once\n"
           "/// What is stored for the element `value` of the product in row `row`.\n"
           "template <typename Value>\n"
           "Value epilogue(Value value, long row) {\n"
           "    return " +
           (gpu ? expression : with_builtins(expression)) + ";\n}\n";
}

}  // namespace spmvgen
