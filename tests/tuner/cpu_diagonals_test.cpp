// Diagonals on CPUs: the work of dia_cpu by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "matrix/features/features.hpp"
#include "tuner/plan/kernel_plan.hpp"
#include "tuner/records/signature_name.hpp"

namespace spmvgen {
namespace {

/// One diagonal of 4096 rows that moves one column to the right after each `rows` rows: steps of
/// its work, `lanes` rows at a time.
double steps_of_pieces(int rows, int lanes) {
    constexpr int height = 4096;
    std::vector<int> offsets, columns;
    for (int row = 0; row < height; ++row) {
        offsets.push_back(row);
        columns.push_back(row + row / rows);
    }
    offsets.push_back(height);
    const std::vector<double> values(height, 1.5);
    const CsrView matrix{height,         2 * height,     height,
                         IndexType::i32, IndexType::i32, ValueType::f64,
                         offsets.data(), columns.data(), values.data()};
    const RowFeatures features = analyse_row_lengths(matrix);
    MatrixFigures figures(matrix, features);
    const auto work = cpu_work(
        figures,
        *parse_kernel_name(fmt::format("dia_cpu_f64_i32_o32_a1_b0_k1_lanes{}_tile512", lanes),
                           parse_target("x86-64-v4")),
        1);
    EXPECT_TRUE(work);
    return work ? work->steps : 0;
}

TEST(CpuWorkOfDiagonals, RowsThatAreLeftOverFollowOneByOne) {
    constexpr double nnz = 4096, lane = 8;
    const auto by_hand = [&](double heads, double left_over) {
        const double pieces = heads + (nnz - heads) / 512;
        return 2 * (nnz - heads * left_over) / lane + heads * left_over + pieces;
    };
    EXPECT_DOUBLE_EQ(steps_of_pieces(4, 16), by_hand(1024, nnz / (1024 + 3072.0 / 512)))
        << "no piece has 16 rows: all of them";
    EXPECT_DOUBLE_EQ(steps_of_pieces(64, 16), by_hand(64, 7.5)) << "half of what 16 may leave";
}

}  // namespace
}  // namespace spmvgen
