#include "tuner/chooser/break_even.hpp"
#include "handle/plan/planning.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "registry.hpp"

namespace spmvgen {
namespace {

TEST(BreakEven, IsCostOverWhatAnApplySaves) {
    // 1.5 ms over a quarter of 100 µs
    const PlanningCost cost{.kernel_ms = 0.5, .convert_ms = 1, .plain_us = 100, .planned_us = 75};
    EXPECT_DOUBLE_EQ(break_even(cost), 60);
    EXPECT_EQ(to_string(cost),
              "pays from 60.0 applies on (kernel 0.5 ms, conversion 1.0 ms; an apply takes 75.00 "
              "µs, of plain CSR 100.00 µs)");
    EXPECT_EQ(break_even({.plain_us = 100, .planned_us = 75}), 0);
    EXPECT_EQ(break_even({.kernel_ms = -1, .plain_us = 100, .planned_us = 75}), 0);
    const PlanningCost lost{.kernel_ms = 1, .plain_us = 100, .planned_us = 100};
    EXPECT_EQ(break_even(lost), std::numeric_limits<double>::infinity());
    EXPECT_EQ(
        to_string(lost),
        "never pays (kernel 1.0 ms, conversion 0.0 ms; an apply takes 100.00 µs, of plain CSR "
        "100.00 µs)");
}

TEST(BreakEven, MeasuringMustBeRepaid) {
    EXPECT_TRUE(measuring_repays(0, 1, 1e9)) << "0 applies are many";
    EXPECT_TRUE(measuring_repays(50'000, 100, 1000));  // each saves 20 µs at best
    EXPECT_FALSE(measuring_repays(49'999, 100, 1000));
}

TEST(BreakEven, CountingMustBeRepaid) {
    EXPECT_TRUE(counting_repays(0, 1, 50'000)) << "0 applies are many";
    EXPECT_TRUE(counting_repays(24, 100, 10'000));  // 0.72 ms at best
    EXPECT_FALSE(counting_repays(23, 100, 10'000));
}

TEST(BreakEven, ManyProductsOfAMicrosecondDoNotRepayPredictingOthersOnACpu) {
    EXPECT_FALSE(counting_repays(many_on_cpus, 1.4, 3'000));  // 0.34 of 0.35 ms at best
    EXPECT_TRUE(counting_repays(many_on_cpus, 1.5, 3'000));
}

TEST(BreakEven, KernelsOfManyLoopsAreLongerInTheMaking) {
    const auto effort = [](const std::string& kernel, Params params, Scale alpha = Scale::one,
                           const char* target = "x86-64-v3") {
        Signature s;
        s.kernel = kernel;
        s.params = std::move(params);
        s.alpha = alpha;
        s.target = parse_target(target);
        return compile_effort(complete(s));
    };
    EXPECT_EQ(effort("csr_vector", {}), 1);
    EXPECT_EQ(effort("bcsr", {{"block_rows", 4}, {"block_cols", 4}}), 1);
    EXPECT_EQ(effort("strips_cpu", {}, Scale::zero), 1) << "y = βy";
    const double one = effort("strips_cpu", {{"codes", 2}, {"ragged", 0}});
    const double ragged = effort("strips_cpu", {{"codes", 2}});
    const double all = effort("strips_cpu", {});
    const double blocks = effort("strips_cpu", {{"block_rows", 4}, {"block_cols", 4}});
    EXPECT_GT(one, 1);
    EXPECT_GT(ragged, one);
    EXPECT_GT(all, ragged);
    EXPECT_GT(blocks, all);
    EXPECT_LT(blocks, 10);
    EXPECT_LT(effort("strips_cpu", {}, Scale::one, "x86-64-v4"), all) << "one loop gathers";
    EXPECT_EQ(effort("strips_cpu", {{"fill", 0}}), all) << "entries have no loop for fill";
    const auto on_gpu = [&](const std::string& kernel, Params params) {
        return effort(kernel, std::move(params), Scale::one, "sm_90");
    };
    EXPECT_EQ(on_gpu("csr_classical", {}), 1);
    EXPECT_GT(on_gpu("csr_by_length", {}), 1);
    EXPECT_GT(on_gpu("strips", {{"long_rows", 1}}), on_gpu("strips", {{"long_rows", 0}}));
    EXPECT_GT(on_gpu("tiles", {{"items", 16}}), on_gpu("tiles", {{"items", 8}}));
}

}  // namespace
}  // namespace spmvgen
