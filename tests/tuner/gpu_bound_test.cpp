// What is known of a kernel's time on a GPU before its layout is looked at, and what it spares.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "h200_choice.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/counted_choice.hpp"
#include "tuner/cost/predict.hpp"

namespace spmvgen {
namespace {

class GpuBound : public testing::TestWithParam<int> {
  protected:
    const CsrMatrix matrix_ =
        make_gallery_matrix(fmt::format("random:seed={},max_nnz=400000", GetParam()));
    const RowFeatures rows_ = analyse_row_lengths(matrix_.view());
    const DeviceProfile& profile_ = *find_device_profile("NVIDIA H200");
    Request request_{.target = parse_target("sm_90"), .units = 132};
    Chooser chooser_{matrix_.view(), rows_};
    const Choice rules_ = chooser_.sampled(request_);
    CountedChoice counted_{matrix_.view(), rows_, profile_, 0, *gpu_constants(), nullptr, chooser_};
};

TEST_P(GpuBound, IsBelowThePrediction) {
    constexpr double estimated = 1.15;  // blocks in strips; windows of rows in another order
    const auto all = counted_.ranked(request_);
    ASSERT_FALSE(all.empty());
    for (auto& candidate : all) {
        const auto bound =
            counted_.bound(kernel_entry(candidate.kernel), candidate.params, request_);
        if (!bound) continue;
        EXPECT_LE(bound->us, estimated * candidate.prediction.us)
            << candidate.kernel << testing::PrintToString(candidate.params);
    }
}

TEST_P(GpuBound, DoesNotChangeWhatIsFound) {
    const auto rules = counted_.predict(rules_.signature);
    ASSERT_TRUE(rules);
    const auto first = [&](const auto& candidates) -> std::string {
        for (auto& c : candidates)
            if (c.prediction.bad_us() <
                counted_.limit_us(c.kernel, rules_.signature.kernel, *rules))
                return c.kernel + testing::PrintToString(c.params);
        return "the rules' kernel";
    };
    CountedChoice pruned(matrix_.view(), rows_, profile_, 0, *gpu_constants(), nullptr, chooser_);
    EXPECT_EQ(first(pruned.better(request_, rules_.signature, *rules)),
              first(counted_.ranked(request_)));
}

// Bounds are not corrected, so what they rule out may be the least by a few percent.
TEST_P(GpuBound, FindsNearlyTheLeastWithACorrection) {
    const auto with_correction = [&] {
        return CountedChoice(matrix_.view(), rows_, profile_, 0, *gpu_constants(),
                             gpu_correction(request_.target), chooser_);
    };
    CountedChoice all = with_correction(), pruned = with_correction();
    const auto rules = all.predict(rules_.signature);
    ASSERT_TRUE(rules);
    const auto least = [&](const auto& candidates) {
        double us = rules->bad_us();
        for (auto& c : candidates)
            if (c.prediction.bad_us() < all.limit_us(c.kernel, rules_.signature.kernel, *rules))
                us = std::min(us, c.prediction.bad_us());
        return us;
    };
    EXPECT_LE(least(pruned.better(request_, rules_.signature, *rules)),
              1.05 * least(all.ranked(request_)));
}

INSTANTIATE_TEST_SUITE_P(Seeds, GpuBound, testing::Range(600, 624));

// A bound that rules out other kernels says nothing of the rules' own.
TEST(GpuBoundOfRules, SparesNoParametersOfTheirOwnKernel) {
    const CsrMatrix m = make_gallery_matrix("random:seed=183,family=blocks,max_nnz=1000000");
    const Choice choice = choice_on_h200(m, true);
    EXPECT_EQ(choice.signature.kernel, "bcsr_fused");
    EXPECT_EQ(choice.signature.params.at("subwarp"), 32);
    EXPECT_THAT(choice.reason, testing::HasSubstr("subwarp16_unroll4"));
    EXPECT_THAT(choice.reason, testing::HasSubstr("the rules' bcsr_fused"));
}

}  // namespace
}  // namespace spmvgen
