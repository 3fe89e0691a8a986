#include "emission/epilogue/expression.hpp"

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

/// The functions that GPUs' compilers know by their names are builtins of a CPU's.
std::string function_text(const std::string& name, bool gpu) {
    constexpr std::array functions{"fabs", "fmin", "fmax", "sqrt"};
    for (const std::string_view known : functions)
        if (name == known && !gpu) return "__builtin_" + name;
    return name;
}

std::string text_of(const EpilogueProgram& program, const EpilogueStatement& statement, bool gpu) {
    std::string text;
    for (auto& token : statement.expression) {
        text += token.space;
        if (token.operand < 0) {
            text += function_text(token.text, gpu);
            continue;
        }
        const EpilogueName& name = program.names[static_cast<std::size_t>(token.operand)];
        text += operand_argument(name.name) + (is_vector(name.role) ? "" : "[0]");
    }
    return text.substr(text.find_first_not_of(' '));
}

std::string line_of(const EpilogueProgram& program, const EpilogueStatement& statement, bool gpu) {
    const std::string value = text_of(program, statement, gpu);
    const std::string target = operand_argument(statement.target);
    switch (statement.kind) {
        case Kind::local:
            return "const Value " + statement.target + " = " + value + ";";
        case Kind::store:
            return target + "[row] = " + value + ";";
        case Kind::number:
            return "if (row == 0) " + target + "[0] = " + value + ";";
        case Kind::sum:
            return target + " += " + value + ";";
        case Kind::maximum:
            return target + " = " + function_text("fmax", gpu) + "(" + target + ", " + value + ");";
        case Kind::result:
            return "return " + value + ";";
    }
    return "";
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
    std::string text = "#pragma once\n#include \"dialect/common.hpp\"\n";
    for (auto& [name, type] : epilogue_variables(signature))
        text += "extern " + type + " " + name + ";\n";
    text +=
        "/// What is stored for the element `value` of the product in row `row`.\n"
        "template <typename Value>\n"
        "Value epilogue(Value value, long row) {\n";
    for (auto& statement : program.statements)
        text += "    " + line_of(program, statement, gpu) + "\n";
    return text + "}\n";
}

}  // namespace spmvgen
