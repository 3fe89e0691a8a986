// Any bytes as an epilogue, and as one that the reference follows.
#include "spmvgen/epilogue.hpp"

#include <array>

#include "spmvgen/error.hpp"
#include "support.hpp"
#include "verify/epilogue_check.hpp"

namespace spmvgen::fuzz {
namespace {

constexpr std::size_t rows = 3;

void check_program(const EpilogueProgram& program) {
    check(program.names.size() <= most_operands, "operands are within their number");
    check(!program.statements.empty() &&
              program.statements.back().kind == EpilogueStatement::Kind::result,
          "the last statement is what y gets");
    for (auto& statement : program.statements)
        for (auto& token : statement.expression)
            check(token.operand >= -1 && token.operand < static_cast<int>(program.names.size()),
                  "a token names an operand that there is");
}

/// What the reference says does not matter, as long as it ends.
void evaluate(const std::string& text, const EpilogueProgram& program) {
    constexpr std::array<double, rows> value{-1.5, 0, 3};
    EpilogueRun run{.type = ValueType::f64, .value = value, .y = value, .before = {}, .after = {}};
    for (auto& [name, role] : program.names) {
        run.before.emplace_back(is_vector(role) ? rows : 1, 0.25);
        run.after.push_back(run.before.back());
    }
    (void)check_epilogue(text, run);
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen;
    using namespace spmvgen::fuzz;
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const EpilogueProgram program = parse_epilogue(text);
        if (text.empty()) return 0;
        check_program(program);
        if (why_not_checkable(text).empty()) evaluate(text, program);
    } catch (const Error& error) {
        check(error.code() == ErrorCode::invalid_argument, error.what());
    }
    return 0;
}
