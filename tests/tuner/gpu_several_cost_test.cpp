// The choice on GPUs by counted work with several right-hand sides: counts worked out by hand,
// constants, and what they choose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "fitted_numbers.hpp"
#include "h200_choice.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/cost/predict.hpp"
#include "tuner/cost/work/gpu_problem.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Signature signature_of_vectors(const std::string& kernel, int k, const std::string& parameters,
                               const std::string& value = "f64") {
    return signature(kernel + "_" + value + "_i32_o32_a1_b0_k" + std::to_string(k) + "_" +
                     parameters);
}

TEST(GpuSeveralFigures, ColumnsOfRowsAreCountedOnceForRowsTogether) {
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=64,ny=100");
    const RowFeatures rows = analyse_row_lengths(m.view());
    MatrixFigures figures(m.view(), rows);
    EXPECT_EQ(figures.columns_of_rows(1), 1);
    const auto nnz = static_cast<double>(m.nnz), n = static_cast<double>(m.rows);
    // Lines of the grid: those above and below, and their own, which have all they reach.
    EXPECT_NEAR(figures.columns_of_rows(64), (3 * n - 2 * 64) / nnz, 0.02);
    EXPECT_LT(figures.columns_of_rows(64), figures.columns_of_rows(8));
    EXPECT_LT(figures.columns_of_rows(8), 1);
}

using gpu::SharedOut;

SharedOut shared_out(const Signature& signature, double lanes, double unroll) {
    return SharedOut::of(gpu::Sharing::of(signature), lanes, unroll, 32);
}

TEST(GpuSharedOut, OneRightHandSideHasAnEntryALane) {
    const SharedOut shared =
        shared_out(signature_of_vectors("csr_classical", 1, "block256_subwarp8_unroll4"), 8, 4);
    EXPECT_EQ(shared.sharing.lanes, 1);
    EXPECT_EQ(shared.entries(), 32);
    EXPECT_EQ(shared.sharing.loads, 1);
    EXPECT_EQ(shared.waits(65), 3) << "three rounds";
}

TEST(GpuSharedOut, LanesShareAnEntry) {
    const auto of = [](const std::string& kernel, int k, int lanes, int unroll) {
        const std::string parameters =
            (kernel == "csr_by_length" ? "block128_most_middle128_most_short16_share1024_subwarp"
                                       : "block128_subwarp") +
            std::to_string(lanes) + "_unroll" + std::to_string(unroll);
        return shared_out(signature_of_vectors(kernel, k, parameters), lanes, unroll);
    };
    const SharedOut sixteen = of("csr_classical", 16, 32, 8);
    EXPECT_EQ(sixteen.sharing.lanes, 8);
    EXPECT_EQ(sixteen.side, 4) << "eight lanes have a row of x";
    EXPECT_EQ(sixteen.turns, 8);
    EXPECT_EQ(sixteen.sharing.loads, 1);
    EXPECT_EQ(sixteen.sharing.sums, 2);
    EXPECT_EQ(sixteen.sharing.parts, 1);
    const SharedOut thirty_two = of("csr_classical", 32, 8, 8);
    EXPECT_EQ(thirty_two.sharing.loads, 2) << "of 16 bytes";
    EXPECT_EQ(thirty_two.turns, 4) << "a bound of 64 registers has no room for more";
    EXPECT_EQ(of("csr_by_length", 32, 8, 8).turns, 8) << "no bound";
    EXPECT_EQ(of("csr_classical", 32, 16, 4).side, 1) << "sixteen lanes have two lines of x";
    EXPECT_EQ(of("csr_classical", 16, 4, 4).sharing.parts, 1);
    EXPECT_EQ(of("csr_classical", 16, 2, 4).sharing.parts, 2) << "two lanes have sums of 8 of 16";
    EXPECT_EQ(of("csr_classical", 5, 8, 4).sharing.loads, 1)
        << "of 8 bytes, that divide a row of five";
    EXPECT_EQ(of("csr_classical", 5, 4, 4).sharing.loads, 2);
}

TEST(GpuSharedOut, RowsWaitForLoadsOfXAndOfColumnsThatAreNotLoadedAhead) {
    const SharedOut four =
        shared_out(signature_of_vectors("csr_classical", 4, "block128_subwarp8_unroll4"), 8, 4);
    EXPECT_EQ(four.entries(), 8);
    EXPECT_EQ(four.loaded, 16) << "two of each lane";
    EXPECT_NEAR(four.waits(40), 5 + 2 + 0.05 * (40 / 4 + 2 * 2), 1e-12)
        << "rounds, columns again, ten steps, and two sums of four lanes";
    const SharedOut eight =
        shared_out(signature_of_vectors("csr_classical", 8, "block128_subwarp8_unroll4"), 8, 4);
    EXPECT_TRUE(std::isinf(eight.loaded)) << "columns ahead";
    EXPECT_NEAR(eight.waits(40), 5 + 0.05 * (40 / 2 + 2 * 1), 1e-12);
    EXPECT_NEAR(eight.waits(40, 3), 5 + 0.05 * (3 * 40 / 2 + 3 * 2 * 1), 1e-12)
        << "blocks of three rows";
}

TEST(GpuSeveralWork, OfCsrByHand) {
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=64,ny=100");
    const RowFeatures rows = analyse_row_lengths(m.view());
    MatrixFigures figures(m.view(), rows);
    const auto w = gpu_work(
        figures, signature_of_vectors("csr_classical", 8, "block128_subwarp4_unroll4"), 132);
    ASSERT_TRUE(w);
    const auto n = static_cast<double>(m.rows), nnz = static_cast<double>(m.nnz);
    EXPECT_EQ(w->bytes, nnz * 12 + n * 4 + 8 * 16 * n) << "A once, eight of each of x and y";
    EXPECT_EQ(w->warps, n / 8);
    EXPECT_EQ(w->blocks, n / 32);
    EXPECT_NEAR(w->far, nnz * 2 * figures.columns_of_rows(32), 1e-6)
        << "two sectors of each row of x that a block's 32 rows name";
    EXPECT_EQ(w->beside, 0.5) << "the second follows the first";
    EXPECT_NEAR(w->depth, 2 + 2 + 0.05 * 5, 1e-12)
        << "where the row is, its columns, and twice four of five entries";
    EXPECT_TRUE(w->lets_begin);
    const auto half = gpu_work(
        figures, signature_of_vectors("csr_classical", 8, "block128_subwarp4_unroll4", "f32"), 132);
    EXPECT_NEAR(half->far, w->far / 2, 1e-6) << "a sector";
}

TEST(GpuSeveralWork, BlocksNameRowsOfXOnceForAllTheirRows) {
    const CsrMatrix m = make_gallery_matrix("fem:nx=24,ny=24,dofs=4");
    const RowFeatures rows = analyse_row_lengths(m.view());
    MatrixFigures figures(m.view(), rows);
    const auto of = [&](const std::string& block_rows) {
        return *gpu_work(figures,
                         signature_of_vectors(
                             "bcsr_fused", 16,
                             "block128_block_cols1_block_rows" + block_rows + "_subwarp8_unroll8"),
                         132);
    };
    EXPECT_LT(of("4").near, of("2").near);
    EXPECT_LT(of("4").steps, of("2").steps);
    EXPECT_NEAR(of("4").warps, of("2").warps / 2, 1);
    EXPECT_LT(of("4").bytes, of("2").bytes) << "fewer indices, the same values";
}

TEST(GpuSeveralWork, IsCountedOfTheKernelsThatTheConstantsKnow) {
    const CostConstants* constants = gpu_constants(8);
    ASSERT_NE(constants, nullptr);
    EXPECT_NE(constants, gpu_constants());
    EXPECT_EQ(constants, gpu_constants(2));
    std::set<std::string> counted;
    for (auto& [name, kernel] : constants->kernels) {
        counted.insert(name);
        EXPECT_TRUE(plan_of(name).counts_several) << name;
        EXPECT_GT(kernel.error, 0) << name;
        EXPECT_LT(kernel.error, 0.3) << name;
    }
    EXPECT_EQ(counted, (std::set<std::string>{"bcsr_fused", "csr_by_length", "csr_classical"}));
    EXPECT_LE(fitted_numbers(*constants), 8u) << "tuning_db/README.md has them";
}

Choice with_vectors(const std::string& matrix, int k, bool predicts) {
    const CsrMatrix m = make_gallery_matrix(matrix);
    Request request{.target = parse_target("sm_90"), .num_rhs = k, .units = 132};
    request.device = "NVIDIA H200";
    if (predicts) request.profile = find_device_profile("NVIDIA H200");
    return choose_for(m.view(), analyse_row_lengths(m.view()), request);
}

TEST(GpuSeveralChoice, PredictedTimesReplaceTheRulesWhereTheySaveEnough) {
    const std::string matrix = "random:seed=306,max_nnz=200000";
    const Choice by_rules = with_vectors(matrix, 32, false);
    EXPECT_EQ(by_rules.signature.kernel, "csr_by_length");
    EXPECT_EQ(by_rules.signature.params.at("unroll"), 4);
    const Choice chosen = with_vectors(matrix, 32, true);
    EXPECT_EQ(chosen.signature.kernel, "csr_by_length");
    EXPECT_EQ(chosen.signature.params.at("unroll"), 8) << "a long row is what is waited for";
    EXPECT_THAT(chosen.reason, StartsWith("predicted "));
    EXPECT_THAT(chosen.reason, HasSubstr("the rules' csr_by_length_f64_i32_o32_a1_b0_k32"));
    const Choice another = with_vectors("random:seed=315,max_nnz=200000", 8, true);
    EXPECT_EQ(another.signature.kernel, "csr_by_length") << another.reason;
}

TEST(GpuSeveralChoice, MoreRowsCountAsShortWhereHalfOfThemAreLonger) {
    // Rows of 20 entries, and a few of 150, for which the rules take rows of up to 16 as short.
    const std::string matrix = "random:seed=1119314,max_nnz=3000000";
    EXPECT_EQ(with_vectors(matrix, 8, false).signature.params.at("most_short"), 16);
    const Choice chosen = with_vectors(matrix, 8, true);
    EXPECT_EQ(chosen.signature.kernel, "csr_by_length") << chosen.reason;
    EXPECT_EQ(chosen.signature.params.at("most_short"), 64) << chosen.reason;
}

TEST(GpuSeveralChoice, FewEvenRowsHaveSeveralWarpsEach) {
    const Choice chosen = with_vectors("random:seed=755", 8, true);
    EXPECT_EQ(chosen.signature.kernel, "bcsr_fused") << chosen.reason;
    EXPECT_EQ(chosen.signature.params.at("subwarp"), 128);
    EXPECT_THAT(chosen.reason, StartsWith("8 right-hand sides, 128 lanes for two of "));
}

TEST(GpuSeveralChoice, OfTwoVectorsTheRulesDecideWhereTheirKernelIsNotCounted) {
    const std::string matrix = "stencil5:nx=700,ny=700";
    const Choice by_rules = with_vectors(matrix, 2, false), chosen = with_vectors(matrix, 2, true);
    EXPECT_FALSE(plan_of(by_rules.signature.kernel).counts_several) << by_rules.reason;
    EXPECT_EQ(chosen.signature, by_rules.signature);
}

TEST(GpuSeveralChoice, KernelsAreRankedForMeasuring) {
    const CsrMatrix m = make_gallery_matrix("random:seed=312,max_nnz=200000");
    const RowFeatures rows = analyse_row_lengths(m.view());
    Chooser chooser(m.view(), rows);
    Request request{.target = parse_target("sm_90"), .num_rhs = 8, .units = 132};
    request.profile = find_device_profile("NVIDIA H200");
    const auto ranked = chooser.ranked(request, 32);
    ASSERT_GT(ranked.size(), 8u);
    EXPECT_TRUE(
        std::ranges::is_sorted(ranked, {}, [](const Ranked& r) { return r.prediction.bad_us(); }));
    std::set<std::string> kernels;
    for (auto& r : ranked) {
        kernels.insert(r.choice.signature.kernel);
        EXPECT_EQ(r.choice.signature.num_rhs, 8);
    }
    EXPECT_TRUE(kernels.contains("csr_classical"));
    EXPECT_TRUE(kernels.contains("csr_by_length"));
}

}  // namespace
}  // namespace spmvgen
