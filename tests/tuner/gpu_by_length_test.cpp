// Rows by their lengths on GPUs: the work of csr_by_length by hand, and what a choice makes of it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "h200_choice.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "tuner/plan/kernel_plan.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen {
namespace {

/// Of csr_by_length with blocks of 256 threads and four entries of a thread at a time.
GpuWork by_length(MatrixFigures& figures, int lanes, int most_short, int most_middle, int share) {
    const auto work = gpu_work(
        figures,
        *parse_kernel_name(fmt::format("csr_by_length_f64_i32_o32_a1_b0_k1_block256_most_middle{}_"
                                       "most_short{}_share{}_subwarp{}_unroll4",
                                       most_middle, most_short, share, lanes),
                           parse_target("sm_90")),
        132);
    EXPECT_TRUE(work);
    return work.value_or(GpuWork());
}

TEST(GpuWork, OfRowsByLengthEachClassHasItsLongest) {
    const CsrMatrix m = make_gallery_matrix("random:seed=1016031,max_nnz=30000000");
    const RowFeatures rows = analyse_row_lengths(m.view());
    ASSERT_EQ(rows.row_histogram[2] + rows.row_histogram[6] + 1, rows.rows)
        << "rows of 2 entries, rows of 35, and one of 1";
    MatrixFigures figures(m.view(), rows);
    EXPECT_EQ(by_length(figures, 1, 16, 512, 4096).depth, 3) << "a lane has no row of 16 entries";
    EXPECT_EQ(by_length(figures, 4, 16, 512, 4096).depth, 3);
    EXPECT_EQ(by_length(figures, 1, 64, 512, 4096).depth, 2 + 9) << "35 entries, four at a time";
    EXPECT_LT(by_length(figures, 1, 16, 512, 4096).waits,
              by_length(figures, 4, 16, 512, 4096).waits)
        << "of four lanes two have no entry";
}

TEST(GpuWork, OnlyRowsThatSeveralBlocksTakeMeet) {
    const CsrMatrix m = make_gallery_matrix("random:seed=1016052,max_nnz=30000000");
    const RowFeatures rows = analyse_row_lengths(m.view());
    ASSERT_EQ(rows.max_row, 397);
    ASSERT_EQ(std::reduce(rows.row_histogram.begin() + 8, rows.row_histogram.end()), 2)
        << "two rows of 128 entries and more, all others of 7 at most";
    MatrixFigures figures(m.view(), rows);
    const GpuWork warps = by_length(figures, 4, 16, 512, 4096);
    const GpuWork blocks = by_length(figures, 4, 16, 128, 4096);
    EXPECT_EQ(warps.depth, 2 + 4) << "a warp takes 128 entries at a time";
    EXPECT_EQ(blocks.depth, 2 + 1) << "a block 1024";
    EXPECT_EQ(warps.atomics, 0);
    EXPECT_EQ(blocks.atomics, 0);
    EXPECT_EQ(blocks.warps, warps.warps + 2 * (8 - 1)) << "a block has eight warps";
    const CsrMatrix tall = make_gallery_matrix("random:seed=1016000,max_nnz=30000000");
    const RowFeatures tall_rows = analyse_row_lengths(tall.view());
    ASSERT_GT(tall_rows.max_row, 30'000);
    MatrixFigures of_tall(tall.view(), tall_rows);
    const GpuWork parts = by_length(of_tall, 4, 16, 128, 2048);
    EXPECT_EQ(parts.depth, 2 + 2 + 2) << "and parts meet";
    EXPECT_GT(parts.atomics, 2.0 * 9 * 30'000 / 2048);
}

TEST(GpuChoice, SmallProductsLeaveLongRowsToBlocks) {
    const auto choice = [](const char* matrix) {
        Choice chosen = choice_on_h200(make_gallery_matrix(matrix), true);
        EXPECT_EQ(chosen.signature.kernel, "csr_by_length") << matrix;
        return chosen;
    };
    const Choice twos = choice("random:seed=1016031,max_nnz=30000000");
    EXPECT_EQ(twos.signature.params.at("subwarp"), 1) << "nearly all rows have 2 entries";
    EXPECT_THAT(twos.reason, testing::StartsWith("predicted "));
    const Choice one_long = choice("random:seed=1016052,max_nnz=30000000");
    EXPECT_EQ(one_long.signature.params.at("most_middle"), 128) << "one row has 397 entries";
}

TEST(GpuChoice, BlocksAreLargeWhereTheyAreFewThen) {
    const auto block = [](const char* matrix) {
        const Choice chosen = choice_on_h200(make_gallery_matrix(matrix), true);
        return chosen.signature.params.at("block");
    };
    EXPECT_GT(block("random:seed=1016052,max_nnz=30000000"), 256);
    EXPECT_GT(block("random:seed=1016039,max_nnz=30000000"), 256) << "for rows that warps have";
    EXPECT_LE(block("stencil5:nx=30,ny=30"), 256) << "few as they are";
}

TEST(GpuChoice, BlocksThatRowsOfAWarpHaveAreCountedWhenFewAreMade) {
    const KernelEntry& kernel = kernel_entry("csr_by_length");
    const Request request{.target = parse_target("sm_90"), .units = 132};
    const auto blocks = [&](std::int64_t n) {
        RowFeatures rows{.rows = n, .cols = 100, .nnz = 100 * n};
        rows.min_row = rows.max_row = 100;
        rows.mean_row = 100;
        rows.row_histogram[7] = n;
        std::set<std::int64_t> sizes;
        for (const Params& set : grid_of(kernel, {rows, request, {&kernel}}, {}))
            if (set.contains("block") && set.at("subwarp") == 4) sizes.insert(set.at("block"));
        return sizes;
    };
    // A warp for each row, and one for eight rows that it would have if they were short.
    EXPECT_THAT(blocks(400), testing::ElementsAre(256)) << "57 blocks";
    EXPECT_THAT(blocks(600), testing::ElementsAre(256, 512)) << "85 blocks of 256, 43 of 512";
}

TEST(GpuChoice, LimitsBesideThoseOfTheBestSetAreLookedAt) {
    const CsrMatrix m = make_gallery_matrix("random:seed=522,max_nnz=400000");
    const Choice choice = choice_on_h200(m, true);
    ASSERT_EQ(choice.signature.kernel, "csr_by_length");
    EXPECT_EQ(choice.signature.params.at("most_short"), 32) << "the grid has 16 and 64";
    Request request{.target = parse_target("sm_90"), .units = 132};
    request.device = "NVIDIA H200";
    request.profile = find_device_profile(request.device);
    request.params["most_short"] = 16;
    const auto fixed = choose_for(m.view(), analyse_row_lengths(m.view()), request);
    EXPECT_EQ(fixed.signature.params.at("most_short"), 16) << "what the caller asks for";
}

TEST(GpuChoice, WhatIsKeptWasPredictedToo) {
    const CsrMatrix m = make_gallery_matrix("random:seed=700,max_nnz=3000000");
    const Choice choice = choice_on_h200(m, true);
    EXPECT_EQ(choice.signature, choice_on_h200(m, false).signature);
    EXPECT_THAT(choice.reason, testing::MatchesRegex(".*; predicted [0-9.]+ µs, and of no other "
                                                     "enough less"));
}

/// The main diagonal, and a last row of all columns.
CsrMatrix arrow(std::int64_t n) {
    CsrMatrix m;
    m.rows = m.cols = n;
    m.nnz = 2 * n - 1;
    m.row_ptr = make_buffer<std::int32_t>(n + 1);
    m.col_idx = make_buffer<std::int32_t>(m.nnz);
    m.values = make_buffer<double>(m.nnz);
    const auto offset = m.row_ptr.as<std::int32_t>();
    std::iota(offset.begin(), offset.end() - 1, 0);
    offset.back() = static_cast<std::int32_t>(m.nnz);
    const auto column = m.col_idx.as<std::int32_t>();
    std::iota(column.begin(), column.begin() + n - 1, 0);
    std::iota(column.begin() + n - 1, column.end(), 0);
    std::ranges::fill(m.values.as<double>(), 1.5);
    return m;
}

TEST(GpuWork, DiagonalsEndInRowsThatAreFarLonger) {
    const CsrMatrix m = arrow(300'000);
    MatrixFigures figures(m.view(), analyse_row_lengths(m.view()));
    const auto work =
        gpu_work(figures, signature("dia_f64_i32_o32_a1_b0_k1_block128_unroll4"), 132);
    ASSERT_TRUE(work);
    EXPECT_GE(work->depth, 2 * 300'000 / 4) << "pieces of the last tile, two loads for four";
    EXPECT_GE(work->bytes, 16.0 * 300'000) << "each a piece of its own";
    EXPECT_THAT(choice_on_h200(m, true).signature.kernel, testing::Ne("dia"));
}

}  // namespace
}  // namespace spmvgen
