// The correction of predicted times of GPUs: what it knows of a kernel, its file, and where it
// counts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "errors.hpp"
#include "h200_choice.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/counted_choice.hpp"
#include "tuner/cost/predict.hpp"
#include "tuner/files/tuning_files.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen {
namespace {

std::size_t place_of(std::string_view feature) {
    const auto* const found = std::ranges::find(correction_features, feature);
    EXPECT_NE(found, correction_features.end()) << feature;
    return static_cast<std::size_t>(found - correction_features.begin());
}

/// Lanes above 4 add 0.05 to ln(time), and in blocks of more than 100 threads 0.15; an unroll above
/// 3 takes 0.04 off.
constexpr std::string_view some_text =
    R"({"kind":"gpu-correction","schema":1,"vendor":"nvidia","features":["lanes","unroll","block"],)"
    R"("trees":[[0,4,2,100.5,[0,50,0,150]],[1,3,[0,-40]]]})";

TEST(GpuCorrection, AddsWhatItsTreesSay) {
    const CostCorrection correction = parse_cost_correction(some_text);
    CorrectionFeatures features{};
    EXPECT_EQ(correction.of(features), 0);
    features[place_of("lanes")] = 8;
    EXPECT_DOUBLE_EQ(correction.of(features), 0.05);
    features[place_of("block")] = 128;
    EXPECT_DOUBLE_EQ(correction.of(features), 0.15);
    features[place_of("unroll")] = 4;
    EXPECT_DOUBLE_EQ(correction.of(features), 0.11);
    features[place_of("lanes")] = 4;
    EXPECT_DOUBLE_EQ(correction.of(features), -0.04) << "four are not above four";
}

TEST(GpuCorrection, HasALimit) {
    CostCorrection correction = parse_cost_correction(some_text);
    for (auto& leaf : correction.leaves) leaf = 2000;
    EXPECT_EQ(correction.of({}), CostCorrection::most);
    for (auto& leaf : correction.leaves) leaf = -2000;
    EXPECT_EQ(correction.of({}), -CostCorrection::most);
}

TEST(GpuCorrection, JsonAndBack) {
    const CostCorrection correction = parse_cost_correction(some_text);
    EXPECT_EQ(parse_cost_correction(to_json(correction)), correction);
}

TEST(GpuCorrection, WhatIsWrongIsSaid) {
    const auto refusal = [](std::string_view from, std::string_view to) {
        std::string text(some_text);
        const auto at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        return code_and_text([&] { parse_cost_correction(text); });
    };
    EXPECT_EQ(refusal("gpu-correction", "gpu-costs"), "invalid_input: it is no gpu-correction");
    EXPECT_EQ(refusal("\"schema\":1", "\"schema\":2"),
              "invalid_input: its schema is not 1, which this version reads");
    EXPECT_EQ(refusal("\"nvidia\"", "1"),
              "invalid_input: field 'vendor' is missing, or of another type");
    EXPECT_EQ(refusal("\"lanes\"", "\"wings\""), "invalid_input: there is no feature 'wings'");
    EXPECT_EQ(refusal("[1,3,", "[3,3,"), "invalid_input: 3 is no feature's place");
    EXPECT_EQ(refusal("[1,3,", "[1,\"3\","), "invalid_input: what a feature is above is no number");
    EXPECT_EQ(refusal("[1,3,", "[3,"),
              "invalid_input: a tree is no list of 1 to 8 questions, each a feature and a number, "
              "and of leaves");
    EXPECT_EQ(refusal("[0,-40]", "[0]"), "invalid_input: a tree of 1 questions has not 2 leaves");
    EXPECT_EQ(refusal("-40", "-0.5"), "invalid_input: leaf -0.5 is no integer within ±2000");
    EXPECT_EQ(refusal("-40", "3000"), "invalid_input: leaf 3000 is no integer within ±2000");
}

/// A kernel of a matrix of five diagonals.
class OfAKernel : public testing::Test {
  protected:
    std::optional<Prediction> predict(const CostCorrection* correction) {
        return predict_gpu(figures_, signature_, profile_, *gpu_constants(), correction);
    }
    double feature(std::string_view name) {
        return correction_features_of(figures_, signature_, profile_, *gpu_constants())
            .value()[place_of(name)];
    }

    CsrMatrix matrix_ = make_gallery_matrix("stencil5:nx=300,ny=300");
    RowFeatures rows_ = analyse_row_lengths(matrix_.view());
    MatrixFigures figures_{matrix_.view(), rows_};
    Signature signature_ =
        signature("csr_classical_f64_i32_o32_a1_b0_k1_block256_subwarp8_unroll4");
    const DeviceProfile& profile_ = *find_device_profile("NVIDIA H200");
};

TEST_F(OfAKernel, FeaturesAreSharesCountsAndParameters) {
    const auto work = gpu_work(figures_, signature_, units_of(profile_));
    ASSERT_TRUE(work);
    const auto costs = costs_of_gpu(figures_, signature_, profile_);
    const double us = predict(nullptr)->us;
    EXPECT_DOUBLE_EQ(feature("share_of_stream"), costs[2] / us);
    EXPECT_DOUBLE_EQ(feature("share_of_waits"), gpu_constants()->coefficients[7] * costs[7] / us);
    EXPECT_DOUBLE_EQ(feature("loads_in_turn"), work->depth);
    EXPECT_DOUBLE_EQ(feature("warps"), work->warps / profile_.units);
    EXPECT_DOUBLE_EQ(feature("bytes"), work->bytes / static_cast<double>(matrix_.nnz));
    EXPECT_DOUBLE_EQ(feature("longest_row"), 5 / rows_.mean_row);
    EXPECT_EQ(feature("block"), 256);
    EXPECT_EQ(feature("lanes"), 8);
    EXPECT_EQ(feature("items"), 0) << "the kernel has none";
}

TEST_F(OfAKernel, ItsTimeIsCorrected) {
    const CostCorrection correction = parse_cost_correction(some_text);
    EXPECT_DOUBLE_EQ(predict(&correction)->us, predict(nullptr)->us * std::exp(0.11));
    EXPECT_EQ(predict(&correction)->error, predict(nullptr)->error);
}

TEST(ShippedCorrection, IsSmallAndForTheVendorItWasLearnedOn) {
    EXPECT_EQ(gpu_correction(parse_target("gfx90a")), nullptr);
    const CostCorrection* correction = gpu_correction(parse_target("sm_80"));
    ASSERT_NE(correction, nullptr);
    EXPECT_FALSE(correction->levels.empty());
    const auto files = tuning_files("gpu-correction");
    ASSERT_FALSE(files.empty());
    EXPECT_LE(files.front().text.size(), 50'000u) << "so that it can be read through";
}

// The choice of every handle on such a GPU rests on it.
TEST_F(OfAKernel, AHandlesPredictionIsCorrected) {
    Chooser chooser(matrix_.view(), rows_);
    Request request{.target = parse_target("sm_90"), .units = 132};
    request.device = profile_.device;
    request.profile = &profile_;
    const auto with = chooser.predict(signature_, request);
    ASSERT_TRUE(with);
    const CostCorrection* correction = gpu_correction(request.target);
    ASSERT_NE(correction, nullptr);
    CountedChoice plain(matrix_.view(), rows_, profile_, 0, *gpu_constants(), nullptr, chooser);
    const auto features = plain.correction_features(signature_, *gpu_constants());
    ASSERT_TRUE(features);
    EXPECT_NE(correction->of(*features), 0);
    EXPECT_DOUBLE_EQ(with->us, plain.predict(signature_)->us * std::exp(correction->of(*features)));
}

}  // namespace
}  // namespace spmvgen
