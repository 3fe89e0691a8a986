#include "emission/epilogue/expression.hpp"

#include <algorithm>
#include <array>

#include "emission/epilogue/number_type.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using Kind = EpilogueStatement::Kind;

[[noreturn]] void refuse_epilogue(const std::string& why) {
    throw Error(ErrorCode::invalid_argument, "epilogue: " + why);
}

void check(const Signature& s, const EpilogueProgram& program) {
    if (program.names.empty()) return;
    if (s.num_rhs != 1)
        refuse_epilogue("operands are for one vector, but there are " + std::to_string(s.num_rhs) +
                        ": use num_rhs 1");
    if (program.has_reductions() && is_complex(s.value))
        refuse_epilogue("sums and maxima are of real numbers, but the vectors are " +
                        std::string(to_string(s.value)) + ": use f32 or f64");
}

bool is_function(const std::string& name) {
    constexpr std::array functions{"fabs", "fmin", "fmax", "sqrt"};
    return std::ranges::find(functions, name) != functions.end();
}

/// The functions that GPUs' compilers know by their names are builtins of a CPU's.
std::string function_text(const std::string& name, bool gpu) {
    return is_function(name) && !gpu ? "__builtin_" + name : name;
}

constexpr std::size_t index_tokens = 3;  ///< of "[row]"

/// How an epilogue's statements are written.
struct Style {
    bool gpu = false;
    /// What holds the elements and numbers that are read; "" = they are read where they are used.
    std::string loaded = {};
};

/// Whether statements read the operand, of those behind `before` where that is one of them.
bool is_read(const EpilogueProgram& program, int operand,
             const EpilogueStatement* before = nullptr) {
    const auto* const first = before != nullptr ? before + 1 : program.statements.data();
    return std::any_of(first, program.statements.data() + program.statements.size(),
                       [&](const EpilogueStatement& s) {
                           return std::ranges::count(s.expression, operand,
                                                     &EpilogueToken::operand) > 0;
                       });
}

constexpr auto as_double = "static_cast<double>(";

/// Writes tokens that are no operands. For GPUs arguments of functions are made double, as a CPU's
/// builtins take them: nvcc has no functions of float beside double, or of integers, for kernels.
class PlainTokens {
  public:
    explicit PlainTokens(bool gpu) : gpu_(gpu) {}

    std::string write(const std::string& token) {
        const bool calls = gpu_ && is_function(before_);
        before_ = token;
        if (token == "(") {
            calls_.push_back(calls);
            return calls ? token + as_double : token;
        }
        if (calls_.empty()) return function_text(token, gpu_);
        const bool in_call = calls_.back();
        if (token == ")") calls_.pop_back();
        if (token == ")" && in_call) return "))";
        if (token == "," && in_call) return std::string("), ") + as_double;
        return function_text(token, gpu_);
    }

  private:
    bool gpu_;
    std::string before_;
    std::vector<bool> calls_;  ///< of each open parenthesis, whether it is a function's
};

std::string text_of(const EpilogueProgram& program, const EpilogueStatement& statement,
                    const Style& style) {
    std::string text;
    PlainTokens plain(style.gpu);
    for (std::size_t i = 0; i < statement.expression.size(); ++i) {
        const EpilogueToken& token = statement.expression[i];
        if (!text.ends_with(as_double)) text += token.space;
        if (token.operand < 0) {
            text += plain.write(token.text);
            continue;
        }
        const EpilogueName& name = program.names[static_cast<std::size_t>(token.operand)];
        if (style.loaded.empty()) {
            text += operand_argument(name.name) + (is_vector(name.role) ? "" : "[0]");
            continue;
        }
        text += style.loaded + "." + name.name;
        if (is_vector(name.role)) i += index_tokens;
    }
    return text.substr(text.find_first_not_of(' '));
}

std::string line_of(const EpilogueProgram& program, const EpilogueStatement& statement,
                    const Style& style) {
    const std::string value = text_of(program, statement, style);
    const std::string target = operand_argument(statement.target);
    switch (statement.kind) {
        case Kind::local:
            return "const Value " + statement.target + " = " + value + ";";
        case Kind::store:
            if (!style.loaded.empty() &&
                is_read(program, program.find(statement.target), &statement)) {
                const std::string here = style.loaded + "." + statement.target;
                return here + " = " + value + ";\n    " + target + "[row] = " + here + ";";
            }
            return target + "[row] = " + value + ";";
        case Kind::number:
            return "if (row == 0) " + target + "[0] = " + value + ";";
        case Kind::sum:
            return target + " += " + value + ";";
        case Kind::maximum:
            return target + " = " + function_text("fmax", style.gpu) + "(" + target + ", " +
                   (style.gpu ? as_double + value + ")" : value) + ");";
        case Kind::result:
            return "return " + value + ";";
    }
    return "";
}

std::string lines_of(const EpilogueProgram& program, const Style& style) {
    std::string text;
    for (auto& statement : program.statements)
        text += "    " + line_of(program, statement, style) + "\n";
    return text;
}

/// A name that no statement gives to a value.
std::string free_name(const EpilogueProgram& program, std::string name) {
    while (std::ranges::count(program.statements, name, &EpilogueStatement::target) > 0)
        name += "_";
    return name;
}

/// epilogue() in two steps, for kernels that load what several rows need before they store one.
std::string loaded_text(const EpilogueProgram& program, Style style) {
    std::string fields, loads;
    bool has_vectors = false;
    for (std::size_t i = 0; i < program.names.size(); ++i) {
        const auto& [name, role] = program.names[i];
        if (!is_read(program, static_cast<int>(i))) continue;
        const std::string argument = operand_argument(name);
        has_vectors = has_vectors || is_vector(role);
        fields += "    Value " + name + ";\n";
        loads += (loads.empty() ? "" : ", ") + argument + (is_vector(role) ? "[row]" : "[0]");
    }
    if (!has_vectors) return "#include \"dialect/loading/no_operands.hpp\"\n";
    const std::string loaded = style.loaded = free_name(program, "operands");
    return "constexpr bool loads_operands = true;\n"
           "/// What the epilogue reads for one row.\n"
           "template <typename Value>\n"
           "struct row_operands {\n" +
           fields +
           "};\n"
           "/// Loads it.\n"
           "template <typename Value>\n"
           "row_operands<Value> load_operands(long row) {\n    return {" +
           loads +
           "};\n}\n"
           "/// What is stored for the element `value` of the product in row `row`.\n"
           "template <typename Value>\n"
           "Value epilogue_of(Value value, row_operands<Value> " +
           loaded + ", long row) {\n" + lines_of(program, style) + "}\n";
}

}  // namespace

std::vector<specializer::Variable> epilogue_variables(const Signature& signature) {
    std::vector<specializer::Variable> variables;
    const std::string type = number_type(signature.value);
    for (auto& [name, role] : parse_epilogue(signature.epilogue).names)
        variables.push_back({operand_argument(name), is_reduction(role) ? "double&"
                                                     : is_written(role) ? type + "*"
                                                                        : "const " + type + "*"});
    return variables;
}

std::string epilogue_text(const Signature& signature, bool gpu) {
    const EpilogueProgram program = parse_epilogue(signature.epilogue);
    check(signature, program);
    const Style style{.gpu = gpu};
    std::string text = "#pragma once\n#include \"dialect/common.hpp\"\n";
    for (auto& [name, type] : epilogue_variables(signature))
        text += "extern " + type + " " + name + ";\n";
    text +=
        "/// What is stored for the element `value` of the product in row `row`.\n"
        "template <typename Value>\n"
        "Value epilogue(Value value, long row) {\n" +
        lines_of(program, style) + "}\n";
    return gpu ? text + loaded_text(program, style) : text;
}

}  // namespace spmvgen
