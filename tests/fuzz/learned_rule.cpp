// Any bytes as tuning_db/rule-*.json.
#include "tuner/learned_rule.hpp"

#include <algorithm>

#include "spmvgen/error.hpp"
#include "support.hpp"

namespace spmvgen::fuzz {
namespace {

/// Wherever the questions end, there is a kernel of the registry, or the hand-written rules.
void check_picks(const LearnedRule& rule) {
    Request request;
    request.target = parse_target(rule.device.vendor == "nvidia" ? "sm_90" : "x86-64-v3");
    for (const double mean : {0.0, 1.5, 20.0, 1e6})
        for (const std::int64_t rows : {0, 1000, 1'000'000'000}) {
            RowFeatures f;
            f.rows = rows;
            f.mean_row = mean;
            f.nnz = static_cast<std::int64_t>(mean * static_cast<double>(rows));
            f.max_row = f.nnz / 2;
            f.sell_padding = f.sell_sorted_padding = {1, mean, 2 * mean};
            const Pick pick = pick_learned({&rule, Nearness::vendor}, f, request);
            if (pick.kernel.empty()) continue;
            check(!pick.reason.empty(), "a choice is explained");
            const auto entry = std::ranges::find(kernel_registry(), pick.kernel, &KernelEntry::id);
            check(entry != kernel_registry().end(), "the kernel is one of the registry");
            check(is_plain_product(*entry), "the kernel multiplies one matrix");
        }
}

}  // namespace
}  // namespace spmvgen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spmvgen;
    using namespace spmvgen::fuzz;
    try {
        check_picks(parse_learned_rule({reinterpret_cast<const char*>(data), size}));
    } catch (const Error& error) {
        check(error.code() == ErrorCode::invalid_input, error.what());
    }
    return 0;
}
