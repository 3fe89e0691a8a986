#include "run/epilogue_run.hpp"

#include "options/options.hpp"
#include "verify/epilogue_check.hpp"

namespace spmvgen::cli {
namespace {

/// The operand that gets what the epilogue gets.
constexpr const char* stored_value = "checked_value";

}  // namespace

void check_epilogue_options(const RunOptions& o) {
    const auto refuse = [](const std::string& why) {
        throw UsageError("--check: with --epilogue " + why + "; drop one of them");
    };
    if (!o.batch.empty()) refuse("one matrix is checked, not a --batch");
    if (o.product.num_rhs != 1) refuse("one vector is checked, not --rhs");
    if (o.permuted_vectors) refuse("vectors in the caller's order are checked");
    const std::string why = resolve("--epilogue", [&] { return why_not_checkable(o.epilogue); });
    if (!why.empty()) refuse(why);
}

std::string epilogue_to_check(const std::string& epilogue) {
    return std::string(stored_value) + "[row] = value; " + epilogue;
}

CheckResult check_epilogue_run(const CsrMatrix& matrix, const Operands& operands,
                               const NamedOperands& named, const std::string& epilogue,
                               const Buffer& y) {
    const ValueType type = operands.type;
    if (is_complex(type))
        throw UsageError("--check: with --epilogue real vectors are checked, not " +
                         std::string(to_string(type)) + "; drop one of them");
    EpilogueRun run{.type = type, .value = {}, .y = {}, .before = {}, .after = {}};
    for (std::size_t i = 0; i < named.program().names.size(); ++i) {
        run.before.push_back(as_doubles(named.initial(i), type));
        run.after.push_back(as_doubles(named.result(i), type));
    }
    const auto number = static_cast<std::size_t>(named.program().find(stored_value));
    CheckResult check = operands.check(matrix, named.result(number));
    if (!check.passed) return check;
    const std::vector<double> of_y = as_doubles(y, type);
    run.value = run.after[number];
    run.y = of_y;
    check.message = check_epilogue(epilogue, run);
    check.passed = check.message.empty();
    return check;
}

}  // namespace spmvgen::cli
