// Blocks on GPUs: the work of bcsr_fused by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "matrix/features/features.hpp"
#include "tuner/plan/kernel_plan.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen {
namespace {

/// A dense matrix of 512 rows and 64 columns.
class GpuWorkOfBlocks : public testing::Test {
  protected:
    GpuWork blocks(int size, int lanes) {
        const auto work = gpu_work(
            figures_,
            *parse_kernel_name(fmt::format("bcsr_fused_f64_i32_o32_a1_b0_k1_block128_block_"
                                           "cols{}_block_rows{}_subwarp{}_unroll4",
                                           size, size, lanes),
                               parse_target("sm_90")),
            132);
        EXPECT_TRUE(work);
        return work.value_or(GpuWork());
    }
    static constexpr int height = 512, width = 64, entries = height * width;

    static CsrView dense(std::vector<int>& offsets, std::vector<int>& columns,
                         const std::vector<double>& values) {
        for (int row = 0; row <= height; ++row) offsets.push_back(row * width);
        for (int k = 0; k < entries; ++k) columns.push_back(k % width);
        return {height,         width,          entries,        IndexType::i32, IndexType::i32,
                ValueType::f64, offsets.data(), columns.data(), values.data()};
    }
    std::vector<int> offsets_, columns_;
    std::vector<double> values_ = std::vector<double>(entries, 1.5);
    const CsrView matrix_ = dense(offsets_, columns_, values_);
    const RowFeatures rows_ = analyse_row_lengths(matrix_);
    MatrixFigures figures_{matrix_, rows_};
    const double nnz_ = entries, vectors_ = 8 * (height + width);
};

TEST_F(GpuWorkOfBlocks, LanesLoadAsManyBlocksAsTheirRegistersHold) {
    EXPECT_DOUBLE_EQ(blocks(2, 2).depth, 2 + 16.0 / 12 * 32 / 2 / 4)
        << "four of 4 values and 2 elements of x each, and 12 values under way";
    EXPECT_DOUBLE_EQ(blocks(4, 2).depth, 2 + (1 + 16.0 / 12) * 16 / 2)
        << "one of 16 values and 4 elements of x, behind its column";
}

TEST_F(GpuWorkOfBlocks, MemoryMovesMoreWhereLanesAskForPieces) {
    const double others = nnz_ / 16 * 4 + 128 * 4 + vectors_;  // columns, offsets, x and y
    EXPECT_EQ(blocks(4, 16).bytes, nnz_ * 8 + others) << "all blocks of a row at once";
    EXPECT_DOUBLE_EQ(blocks(4, 4).bytes, nnz_ * 8 * (1 + 56.0 / 32) + others);
    EXPECT_DOUBLE_EQ(blocks(4, 1).bytes, nnz_ * 8 * (1 + 56.0 / 8) + others);
}

TEST_F(GpuWorkOfBlocks, ColumnsBehindABlocksFirstAreLessThanASteps) {
    const double warps = 512.0 / 4 * 4 / 32;            // of four lanes for a row of blocks
    const double columns = 4 * (64.0 / 4 / 4) * warps;  // of blocks, for each of their rows
    EXPECT_DOUBLE_EQ(blocks(4, 4).steps, columns * (1 + 0.3 * 3) + warps);
}

}  // namespace
}  // namespace spmvgen
