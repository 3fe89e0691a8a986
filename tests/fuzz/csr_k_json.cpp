// Any bytes as tuning_db/csr-k-*.json.
#include <array>

#include "spmvgen/error.hpp"
#include "support.hpp"
#include "tuner/csr_k/csr_k_fit.hpp"

namespace spmvgen::fuzz {
namespace {

void check_sizes(const CsrKFormula& formula) {
    constexpr std::array<double, 6> densities{0, 0.5, 7.9, 33, 1e4, 1e18};
    for (const double density : densities)
        for (int block_case = 0; block_case < 4; ++block_case) {
            const GroupSizes s = group_sizes(formula, density, block_case);
            check(formula.least.srs <= s.srs && s.srs <= formula.most.srs &&
                      formula.least.ssrs <= s.ssrs && s.ssrs <= formula.most.ssrs,
                  "sizes are within the formula's limits");
            check(s.srs >= 1 && s.ssrs >= 1, "groups have members");
        }
}

void check_round_trip(CsrKFormula formula) {
    CsrKFit fit;
    fit.arch = formula.arch;
    fit.chosen = "regression";
    fit.candidates = {{.name = fit.chosen, .formula = formula, .loss = 1}};
    CsrKFormula again = csr_k_formula_of(to_json(fit), "x.json");
    again.name = formula.name;
    check(again == formula, "a formula reads back");
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen;
    using namespace spmvgen::fuzz;
    try {
        const std::string_view text(reinterpret_cast<const char*>(data), size);
        const CsrKFormula formula = csr_k_formula_of(text, "x.json");
        check_sizes(formula);
        check_round_trip(formula);
    } catch (const Error& error) {
        check(error.code() == ErrorCode::invalid_input, error.what());
    }
    return 0;
}
