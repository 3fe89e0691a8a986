// Epilogues taken apart: what their names are, and what is refused.
#include "spmvgen/epilogue.hpp"

#include <gtest/gtest.h>

#include "refusal.hpp"

namespace spmvgen {
namespace {

/// "x vector, tau number"
std::string operands(const std::string& text) {
    std::string all;
    for (auto& [name, role] : parse_epilogue(text).names)
        all += (all.empty() ? "" : ", ") + name + " " + to_string(role);
    return all;
}

TEST(Epilogue, NamesItsOperandsAsTheyCome) {
    EXPECT_EQ(operands(""), "");
    EXPECT_EQ(operands("value > 0 ? value : 0"), "");
    EXPECT_EQ(operands("2 * fmax(value, 0) + row"), "");
    EXPECT_EQ(operands("tau * (value - c[row])"), "tau number, c vector");
    EXPECT_EQ(operands("t = value * 2; w[row] = t; dot += t * c[row]; most max= fabs(t); t"),
              "w written vector, c vector, dot sum, most maximum");
    EXPECT_EQ(operands("a[0] = rr / pq; r[row] = r[row] - value; value"),
              "rr number, pq number, a written number, r written vector");
    EXPECT_EQ(operands("value.re > 1e-3f ? static_cast<double>(1) : 0x1p+3"), "");
    EXPECT_FALSE(has_operands("value"));
    EXPECT_TRUE(has_operands("value + z[row]"));
}

TEST(Epilogue, KeepsItsStatementsInOrder) {
    const EpilogueProgram program = parse_epilogue("t = value; w[row] = t; dot += t; -t");
    using Kind = EpilogueStatement::Kind;
    std::vector<Kind> kinds;
    for (auto& s : program.statements) kinds.push_back(s.kind);
    EXPECT_EQ(kinds, (std::vector{Kind::local, Kind::store, Kind::sum, Kind::result}));
    EXPECT_TRUE(program.has_reductions());
    EXPECT_EQ(program.find("dot"), 1);
    EXPECT_EQ(program.find("t"), -1);
    EXPECT_FALSE(parse_epilogue("w[row] = value; value").has_reductions());
}

TEST(Epilogue, CountsHowOftenVectorsAreMet) {
    const auto count = [](const char* text) { return parse_epilogue(text).count_accesses(); };
    EXPECT_EQ(count("value * tau"), 0);
    EXPECT_EQ(count("value + z[row] * z[row]"), 1);
    EXPECT_EQ(count("w[row] = value; dot += value; value"), 1);
    EXPECT_EQ(count("w[row] = w[row] + p[row]; value"), 3);
}

TEST(Epilogue, RefusesWhatIsNone) {
    const auto refused = [](const std::string& text) {
        const std::string message = refusal([&] { (void)parse_epilogue(text); });
        const std::string code = "invalid_argument: ";
        return message.starts_with(code) ? message.substr(code.size())
                                         : "not refused so: " + message;
    };
    const std::string advice =
        "; write one expression of value and row, as in value > 0 ? value : 0";
    EXPECT_EQ(refused("  "), "epilogue: the expression is empty" + advice);
    EXPECT_EQ(refused("value # 2"),
              "epilogue: character 7 cannot be part of an expression" + advice);
    EXPECT_EQ(refused(std::string("value\0 + 1", 10)),
              "epilogue: character 6 cannot be part of an expression" + advice)
        << "it cuts nothing off";
    EXPECT_EQ(refused("value); evil("), "epilogue: the parentheses do not match" + advice);
    EXPECT_EQ(refused("w[row = value; value]"), "epilogue: the parentheses do not match" + advice);
    EXPECT_EQ(refused(std::string(2001, '1')),
              "epilogue: the expression has more than 2000 characters" + advice);
    const std::string end = "; end with what y gets, as in w[row] = 2 * value; value";
    EXPECT_EQ(refused("dot += value;"), "epilogue: no expression follows the last ';'" + end);
    EXPECT_EQ(refused("dot += value"), "epilogue: the last part is a statement" + end);
    EXPECT_EQ(refused("value; value"),
              "epilogue: statement 1 assigns nothing; write name = …, name[row] = …, name[0] = …, "
              "name += … or name max= …");
    EXPECT_EQ(refused("t =; t"), "epilogue: statement 1 has no expression; write what 't' gets");
    EXPECT_EQ(refused("value = 2; value"),
              "epilogue: 'value' cannot be assigned; use a name of your own");
    EXPECT_EQ(refused("t = 1; t = 2; t"),
              "epilogue: 't' gets a value twice; give the second value another name");
    EXPECT_EQ(refused("t = 1; t[row] = 2; t"),
              "epilogue: 't' is a value of a statement before; use another name");
    EXPECT_EQ(refused("value + (t = 2)"),
              "epilogue: '=' is within an expression; assign in a statement of its own, in front "
              "of it");
    EXPECT_EQ(refused("value + n++"),
              "epilogue: '++' is within an expression; assign in a statement of its own, in front "
              "of it");
    EXPECT_EQ(refused("z[row + 1]"),
              "epilogue: 'z' has another index than row; an operand is read as z[row]");
    EXPECT_EQ(refused("z[row] * z"),
              "epilogue: 'z' is used as vector and as number; use two names");
    EXPECT_EQ(refused("dot += value; dot"),
              "epilogue: 'dot' is used as sum and as number; use two names");
    std::string many;
    for (char c = 'A'; c < 'A' + 17; ++c) many += std::string(1, c) + "[row] + ";
    EXPECT_EQ(refused(many + "value"),
              "epilogue: there are more than 16 operands; split the work between two products");
}

}  // namespace
}  // namespace spmvgen
