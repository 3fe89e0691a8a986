// Features of tiny matrices, worked out by hand.
#include "matrix/features/features.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "matrix/chunks.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features/numbered_rows.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/error.hpp"
#include "tiny.hpp"

namespace spmvgen {
namespace {

using ::testing::ElementsAre;

using testing::Tiny;

TEST(Features, sizes) {
    const Features f = Tiny<float>(7, {{0, 6}, {}, {3}}).features();
    EXPECT_EQ(f.rows, 3);
    EXPECT_EQ(f.cols, 7);
    EXPECT_EQ(f.nnz, 3);
    EXPECT_EQ(f.value_type, ValueType::f32);
}

// Numbers are the sectors themselves, from a table, or from hashes, by how many columns there are.
TEST(Features, sectorsHaveTheSameCountsHoweverTheyAreNumbered) {
    std::vector<std::vector<int>> rows(40);
    for (int row = 0; row < 40; ++row)
        for (int k = 0; k < 5; ++k)
            rows[static_cast<std::size_t>(row)].push_back(k * (row % 7 + 1));
    const auto counts = [&](int cols) {
        RowGathers gathers(number_sectors(Tiny<>(cols, rows).view()), 1000);
        return std::vector<double>{gathers.run(), gathers.warp(0), gathers.warp(2),
                                   gathers.windows()[0], gathers.windows()[1]};
    };
    const auto few = counts(40);
    EXPECT_EQ(counts(2000), few);
    EXPECT_EQ(counts(1'000'000), few);
}

TEST(Features, aTeamIsBegunWhereEachThreadHasEnough) {
    EXPECT_EQ(team_for(399, 100, 4), 1);
    EXPECT_EQ(team_for(400, 100, 4), 4);
    EXPECT_EQ(team_for(0, 100, 4), 1);
    EXPECT_EQ(team_for(1'000'000, 100, 1), 1);
}

TEST(Features, rowLengths) {
    const Features f = Tiny<>(8, {{0, 1, 2, 3, 4}, {}, {1, 2}, {7}}).features();
    EXPECT_EQ(f.min_row, 0);
    EXPECT_EQ(f.max_row, 5);
    EXPECT_EQ(f.empty_rows, 1);
    EXPECT_EQ(f.mean_row, 2);
    EXPECT_EQ(f.variance_row, (9 + 4 + 0 + 1) / 4.0);
    std::array<std::int64_t, 40> histogram{};
    histogram[0] = 1;  // length 0
    histogram[1] = 1;  // 1
    histogram[2] = 1;  // 2, 3
    histogram[3] = 1;  // 4 … 7
    EXPECT_EQ(f.row_histogram, histogram);
    EXPECT_EQ(f.row_p50, 1);
    EXPECT_EQ(f.row_p90, 5);  // class 4 … 7, no row longer than 5
    EXPECT_EQ(f.row_p99, 5);
}

TEST(Features, percentilesAreUpperEdges) {
    std::vector<std::vector<std::int32_t>> rows(100, {0, 1});
    rows[40] = {0, 1, 2, 3, 4};
    rows[41] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const Features f = Tiny<>(9, rows).features();
    EXPECT_EQ(f.row_p50, 3);
    EXPECT_EQ(f.row_p90, 3);
    EXPECT_EQ(f.row_p99, 7);
}

TEST(Features, padding) {
    // Rows 0 and 9 hold 4 entries, the other 18 hold 1: 26 entries in 20 rows.
    std::vector<std::vector<std::int32_t>> rows(20, {0});
    rows[0] = rows[9] = {0, 1, 2, 3};
    const Features f = Tiny<>(4, rows).features();
    // Slices of 8: longest 4, 4, 1; the last slice is filled up with empty rows.
    // Slices of 16: 4, 1. Slices of 32: 4. Sorted: the two long rows share the first slice.
    EXPECT_THAT(f.sell_padding, ElementsAre(72 / 26.0, 80 / 26.0, 128 / 26.0));
    EXPECT_THAT(f.sell_sorted_padding, ElementsAre(48 / 26.0, 80 / 26.0, 128 / 26.0));
    EXPECT_EQ(f.ell_padding, 80 / 26.0);
}

TEST(Features, sortingStaysWithinWindows) {
    // A long row in each window of 2048 rows, so that each has one long slice of 8, and each of
    // the windows of 4096 and 8192 rows one of 16 and 32.
    std::vector<std::vector<std::int32_t>> rows(16384, {0});
    for (std::size_t i = 100; i < rows.size(); i += 2048) rows[i] = {0, 1, 2};
    const Features f = Tiny<>(3, rows).features();
    const double nnz = 16384 + 8 * 2;
    EXPECT_THAT(f.sell_sorted_padding,
                ElementsAre((16384 + 8 * 2 * 8) / nnz, (16384 + 4 * 2 * 16) / nnz,
                            (16384 + 2 * 2 * 32) / nnz));
    EXPECT_THAT(f.sell_padding, ElementsAre((16384 + 8 * 2 * 8) / nnz, (16384 + 8 * 2 * 16) / nnz,
                                            (16384 + 8 * 2 * 32) / nnz));
}

TEST(Features, longRowsAreSortedToo) {
    // Longer than the table of small lengths: 2000 twice and 3000 once among 9 rows.
    std::vector<std::int32_t> all(3000);
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int32_t>(k);
    const std::vector<std::int32_t> some(all.begin(), all.begin() + 2000);
    const Features f = Tiny<>(3000, {some, {}, {}, {}, {}, {}, {}, {}, all, some}).features();
    EXPECT_EQ(f.sell_padding[0], 8 * (2000 + 3000) / 7000.0);
    EXPECT_EQ(f.sell_sorted_padding[0], 8 * 3000 / 7000.0);
    EXPECT_EQ(f.row_histogram[11], 2);
    EXPECT_EQ(f.row_histogram[12], 1);
}

TEST(Features, distances) {
    const Features f = Tiny<>(9, {{0, 8}, {0, 1}, {1}}).features();
    EXPECT_EQ(f.bandwidth, 8);
    EXPECT_EQ(f.mean_distance, (0 + 8 + 1 + 0 + 1) / 5.0);
}

TEST(Features, columns) {
    // 200 columns: the 1 % most used are two. Column 5 has 3 entries, columns 0 and 7 two each.
    const Features f = Tiny<>(200, {{0, 5, 7}, {0, 5}, {5, 7, 199}}).features();
    EXPECT_EQ(f.max_col, 3);
    EXPECT_EQ(f.empty_cols, 196);
    EXPECT_EQ(f.top_cols_share, 5 / 8.0);
}

TEST(Features, columnsOfAWideMatrix) {
    const Features f = Tiny<double, std::int64_t, std::int64_t>(
                           std::int64_t{1} << 50, {{0, 5}, {5, std::int64_t{1} << 49}})
                           .features();
    EXPECT_EQ(f.max_col, 2);
    EXPECT_EQ(f.empty_cols, (std::int64_t{1} << 50) - 3);
    EXPECT_EQ(f.top_cols_share, 1);
    EXPECT_EQ(f.bandwidth, (std::int64_t{1} << 49) - 1);
    // Distances 0, 5, 4 and 2^49 - 1; sums of such sizes are kept to 51 - 48 = 3 bits.
    EXPECT_NEAR(f.mean_distance, 0x1p47, 8);
}

TEST(Features, order) {
    const Features good = Tiny<>(4, {{0, 3}, {2}, {1, 2}}).features();
    EXPECT_TRUE(good.sorted);
    EXPECT_FALSE(good.duplicates);
    const Features back = Tiny<>(4, {{0, 3}, {2, 1}}).features();
    EXPECT_FALSE(back.sorted);
    EXPECT_FALSE(back.duplicates);
    const Features twice = Tiny<>(4, {{0, 3, 3}, {1, 2}}).features();
    EXPECT_TRUE(twice.sorted);
    EXPECT_TRUE(twice.duplicates);
    const Features far_twice = Tiny<>(4, {{0, 3}, {2, 1, 2}}).features();
    EXPECT_FALSE(far_twice.sorted);
    EXPECT_TRUE(far_twice.duplicates);
}

TEST(Features, deltas) {
    // Steps: 1, 255, 256 | 65535, 65536; the first entry of a row has none.
    const Features f = Tiny<>(200000, {{3, 4, 259, 515}, {}, {7, 65542, 131078}}).features();
    EXPECT_THAT(f.delta_share, ElementsAre(1 / 5.0, 2 / 5.0, 4 / 5.0));
    EXPECT_THAT(Tiny<>(3, {{1}, {2}}).features().delta_share, ElementsAre(1, 1, 1));
    EXPECT_THAT(Tiny<>(3, {{2, 1}}).features().delta_share, ElementsAre(0, 0, 0));
}

TEST(Features, blocks) {
    // 2×2 blocks on the diagonal of 4 rows: (2, 2) blocks full, (3, 3): rows 0-2 touch block
    // columns 0 and 1, row 3 touches 0 (column 2) and 1; one (4, 4) and one (8, 8) block.
    const Features f = Tiny<>(4, {{0, 1}, {0, 1}, {2, 3}, {2, 3}}).features();
    EXPECT_THAT(f.block_fill, ElementsAre(1, 4 * 9 / 8.0, 16 / 8.0, 64 / 8.0));
    // Unsorted rows and duplicates give the same places.
    const Features g = Tiny<>(4, {{1, 0}, {0, 1}, {3, 2, 3}, {2, 3}}).features();
    EXPECT_THAT(g.block_fill, ElementsAre(8 / 9.0, 4 * 9 / 9.0, 16 / 9.0, 64 / 9.0));
}

TEST(Features, sampledBlocksAreNearTheTruth) {
    // Every 3×3 block is full; 2×2, 4×4 and 8×8 blocks cut across them. Larger than what is exact.
    const CsrMatrix a = make_gallery_matrix("fem:nx=60,ny=60,dofs=3");
    ASSERT_GT(a.nnz, 131072);
    const Features f = analyse(a.view());
    EXPECT_EQ(f.block_fill[1], 1);
    EXPECT_GT(f.block_fill[0], 1.2);
    EXPECT_LT(f.block_fill[0], 1.5);
    // A dense row among short ones: a strip's weight is its share of the entries.
    const Features arrow = analyse(make_gallery_matrix("arrow:n=100000").view());
    // Row 0 fills n/2 blocks of 2×2 by half; each other block row of 2 has 2 blocks, 4 entries.
    const double truth = 4 * (50000 + 2 * 50000) / 300000.0;
    EXPECT_NEAR(arrow.block_fill[0], truth, 0.05);
}

TEST(Features, sectorsOfRuns) {
    // 40 entries: the first 32 touch columns 0 … 31 (8 sectors), the last 8 columns 32, 36, 40 …
    // 60 (8 sectors).
    std::vector<std::vector<std::int32_t>> rows(2);
    for (std::int32_t j = 0; j < 32; ++j) rows[0].push_back(j);
    for (std::int32_t j = 32; j < 64; j += 4) rows[1].push_back(j);
    EXPECT_EQ(Tiny<>(64, rows).features().run_sectors, 16 / 40.0);
    // A run does not end with its row, and does not care for the order.
    EXPECT_EQ(Tiny<>(8, {{7}, {3, 0}, {1, 5}}).features().run_sectors, 2 / 5.0);
}

TEST(Features, sectorsOfWarps) {
    // Two rows of 4 entries. A lane a row: the loads touch columns {0, 16}, {1, 20}, {2, 24}, {3,
    // 28}, two sectors each. Two lanes: {0, 1, 16, 20}, {2, 3, 24, 28}, three each. Four and more:
    // one load of {0 … 3} and four sectors of the second row.
    const Features f = Tiny<>(32, {{0, 1, 2, 3}, {16, 20, 24, 28}}).features();
    EXPECT_THAT(f.warp_sectors, ElementsAre(8 / 8.0, 6 / 8.0, 5 / 8.0, 5 / 8.0, 5 / 8.0, 5 / 8.0));
    // 33 rows with one entry in column 0: two warps of a lane a row, … 33 of 32 lanes a row.
    const Features g =
        Tiny<>(1, std::vector<std::vector<std::int32_t>>(33, std::vector{0})).features();
    EXPECT_THAT(g.warp_sectors,
                ElementsAre(2 / 33.0, 3 / 33.0, 5 / 33.0, 9 / 33.0, 17 / 33.0, 33 / 33.0));
    // A row that is longer than the others goes on alone: {0, 0}, then 4, 8, 12.
    EXPECT_EQ(Tiny<>(16, {{0, 4, 8, 12}, {0}}).features().warp_sectors[0], 4 / 5.0);
}

TEST(Features, sectorsOfWindows) {
    // 600 rows with columns 0 and, 4 apart, one of 100 others: windows of 32 rows touch 33
    // sectors (the last, of 24 rows, 25), of 512 rows all 101 and the last 88 of them 89, and the
    // whole 101.
    std::vector<std::vector<std::int32_t>> rows(600);
    for (std::int32_t i = 0; i < 600; ++i) rows[static_cast<std::size_t>(i)] = {0, 4 + i % 100 * 4};
    const Features f = Tiny<>(404, rows).features();
    EXPECT_THAT(f.window_sectors,
                ElementsAre((18 * 33 + 25) / 1200.0, (101 + 89) / 1200.0, 101 / 1200.0));
    // With many more columns than entries.
    for (auto& row : rows)
        for (auto& column : row) column *= 1000;
    EXPECT_EQ(Tiny<>(404000, rows).features().window_sectors, f.window_sectors);
}

TEST(Features, sampledSectorsAreNearTheTruth) {
    // Diagonal: a sector for 4 entries whatever is taken together, but a lane a row and more.
    const Features d = analyse(make_gallery_matrix("diagonal:n=200000").view());
    EXPECT_NEAR(d.run_sectors, 0.25, 1e-3);
    EXPECT_THAT(d.warp_sectors, ElementsAre(0.25, 0.25, 0.25, 0.25, 0.5, 1));
    for (const double share : d.window_sectors) EXPECT_NEAR(share, 0.25, 1e-3);
    // A dense row with a third of the entries, and rows of two: 16 of these touch sector 0 and 16
    // columns, which begin at a sector's second element, 5 sectors more.
    const Features arrow = analyse(make_gallery_matrix("arrow:n=100000").view());
    EXPECT_NEAR(arrow.run_sectors, (0.25 + 2 * 6 / 32.0) / 3, 5e-3);
}

TEST(Features, symmetry) {
    // Off the diagonal (0,1), (1,0), (1,2), (2,1), (0,2): four of five have a mirror image, and of
    // these (0,1) and (1,0) are equal.
    const Features f = Tiny<>(3, {{0, 1, 2}, {0, 2}, {1, 2}}, {9, 5, 1, 5, 2, 3, 9}).features();
    EXPECT_EQ(f.pattern_symmetry, 4 / 5.0);
    EXPECT_EQ(f.value_symmetry, 2 / 4.0);
    // The same in any order, with 5 given as 2 + 3.
    const Features g =
        Tiny<>(3, {{2, 1, 0, 1}, {2, 0}, {2, 1}}, {1, 2, 9, 3, 2, 5, 9, 3}).features();
    EXPECT_EQ(g.pattern_symmetry, 5 / 6.0);  // (0,1) is counted twice
    EXPECT_EQ(g.value_symmetry, 3 / 5.0);
    const Features diagonal = Tiny<>(2, {{0}, {1}}).features();
    EXPECT_EQ(diagonal.pattern_symmetry, 1);
    EXPECT_EQ(diagonal.value_symmetry, 1);
    const Features triangle = Tiny<>(2, {{0, 1}, {1}}).features();
    EXPECT_EQ(triangle.pattern_symmetry, 0);
    EXPECT_EQ(triangle.value_symmetry, 0);
    const Features wide = Tiny<>(3, {{0, 1}, {0}}).features();
    EXPECT_EQ(wide.pattern_symmetry, 0);
    EXPECT_EQ(wide.value_symmetry, 0);
}

TEST(Features, symmetryOfLargeMatrices) {
    const Features fem = analyse(make_gallery_matrix("fem:nx=50,ny=50").view());
    EXPECT_EQ(fem.pattern_symmetry, 1);
    EXPECT_EQ(fem.value_symmetry, 1);
    const Features circuit = analyse(make_gallery_matrix("circuit:n=20000").view());
    EXPECT_EQ(circuit.pattern_symmetry, 1);
    EXPECT_LT(circuit.value_symmetry, 0.001);
    const Features random = analyse(make_gallery_matrix("random:rows=9000,cols=9000").view());
    EXPECT_LT(random.pattern_symmetry, 0.01);
}

TEST(Features, diagonal) {
    EXPECT_TRUE(Tiny<>(2, {{0, 1}, {1}}).features().diagonal_full);
    EXPECT_FALSE(Tiny<>(2, {{0, 1}, {0}}).features().diagonal_full);
    EXPECT_FALSE(Tiny<>(3, {{0, 1}, {1}}).features().diagonal_full);
    // As many diagonal entries as rows, but one row has two and the other none.
    EXPECT_FALSE(Tiny<>(2, {{0, 0}, {0}}).features().diagonal_full);
    EXPECT_TRUE(Tiny<>(2, {{0, 0}, {1}}).features().diagonal_full);
}

TEST(Features, withoutEntries) {
    for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 5}, {5, 0}, {5, 5}}) {
        const std::vector<std::int32_t> row_ptr(static_cast<std::size_t>(rows) + 1);
        Features f =
            analyse(csr_view<double, std::int32_t>(rows, cols, row_ptr.data(), nullptr, nullptr));
        Features expected;
        expected.rows = rows;
        expected.cols = cols;
        expected.empty_rows = expected.row_histogram[0] = rows;
        expected.empty_cols = cols;
        expected.sell_padding.fill(1);
        expected.sell_sorted_padding.fill(1);
        expected.ell_padding = 1;
        expected.delta_share.fill(1);
        expected.block_fill.fill(1);
        expected.run_sectors = 1;
        expected.warp_sectors.fill(1);
        expected.window_sectors.fill(1);
        expected.pattern_symmetry = expected.value_symmetry = rows == cols ? 1 : 0;
        EXPECT_EQ(f, expected) << rows << "×" << cols;
    }
    CsrView null;
    null.cols = 5;
    EXPECT_EQ(analyse(null).empty_cols, 5);
}

TEST(Features, oneByOne) {
    const Features f = Tiny<>(1, {{0}}, {7}).features();
    EXPECT_EQ(f.min_row, 1);
    EXPECT_EQ(f.max_row, 1);
    EXPECT_EQ(f.variance_row, 0);
    EXPECT_EQ(f.row_p50, 1);
    EXPECT_EQ(f.max_col, 1);
    EXPECT_EQ(f.empty_cols, 0);
    EXPECT_EQ(f.top_cols_share, 1);
    EXPECT_EQ(f.bandwidth, 0);
    EXPECT_TRUE(f.diagonal_full);
    EXPECT_TRUE(f.all_equal);
    EXPECT_THAT(f.sell_padding, ElementsAre(8, 16, 32));
    EXPECT_THAT(f.block_fill, ElementsAre(4, 9, 16, 64));
}

TEST(Features, brokenMatrixIsRefused) {
    Tiny<> tiny(2, {{0, 1}, {1}});
    tiny.col_idx[1] = 2;
    EXPECT_THROW(tiny.features(), Error);
}

/// The same matrix with 64-bit columns and offsets.
Features with_wide_indices(const CsrView& a) {
    std::vector<std::int64_t> row_ptr, col_idx;
    for (std::int64_t i = 0; i <= a.rows; ++i) row_ptr.push_back(a.row_begin(i));
    for (std::int64_t k = 0; k < a.nnz; ++k) col_idx.push_back(a.col(k));
    return analyse(csr_view(a.rows, a.cols, row_ptr.data(), col_idx.data(), a.values_as<double>()));
}

class FeaturesOf : public ::testing::TestWithParam<const char*> {};

TEST_P(FeaturesOf, doNotDependOnThreadsOrIndexTypes) {
    const CsrMatrix a = make_gallery_matrix(GetParam());
    const Features one = analyse(a.view(), 1);
    for (const int threads : {2, 3, 7}) EXPECT_TRUE(analyse(a.view(), threads) == one) << threads;
    EXPECT_TRUE(with_wide_indices(a.view()) == one);
}

TEST_P(FeaturesOf, agreeWithAPlainCount) {
    const CsrMatrix matrix = make_gallery_matrix(GetParam());
    const CsrView a = matrix.view();
    const Features f = analyse(a);
    std::vector<std::int64_t> per_column(static_cast<std::size_t>(a.cols));
    double distance = 0, squares = 0;
    std::int64_t bandwidth = 0, follows = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) {
        const double length = static_cast<double>(a.row_length(i));
        squares += (length - f.mean_row) * (length - f.mean_row);
        for (std::int64_t k = a.row_begin(i); k < a.row_begin(i + 1); ++k) {
            ++per_column[static_cast<std::size_t>(a.col(k))];
            distance += static_cast<double>(std::abs(i - a.col(k)));
            bandwidth = std::max(bandwidth, std::abs(i - a.col(k)));
            follows += k > a.row_begin(i) && a.col(k) == a.col(k - 1) + 1;
        }
    }
    std::sort(per_column.rbegin(), per_column.rend());
    std::int64_t top = 0;
    for (std::int64_t c = 0; c < (a.cols + 99) / 100; ++c)
        top += per_column[static_cast<std::size_t>(c)];
    const double nnz = static_cast<double>(a.nnz);
    EXPECT_EQ(f.max_col, per_column[0]);
    EXPECT_EQ(f.empty_cols, std::count(per_column.begin(), per_column.end(), 0));
    EXPECT_EQ(f.top_cols_share, static_cast<double>(top) / nnz);
    EXPECT_EQ(f.bandwidth, bandwidth);
    EXPECT_DOUBLE_EQ(f.mean_distance, distance / nnz);
    EXPECT_NEAR(f.variance_row, squares / static_cast<double>(a.rows), 1e-9 * squares);
    EXPECT_EQ(f.delta_share[0],
              static_cast<double>(follows) / (nnz - static_cast<double>(a.rows - f.empty_rows)));
}

INSTANTIATE_TEST_SUITE_P(Gallery, FeaturesOf,
                         ::testing::Values("stencil5:nx=200,ny=200", "fem:nx=60,ny=60",
                                           "rmat:scale=14", "arrow:n=100000", "powerlaw:n=20000",
                                           "circuit:n=30000", "road:nx=300,ny=200",
                                           "random:rows=3000,cols=500000,per_row=5",
                                           "random:rows=50,cols=9000,per_row=9000"));

}  // namespace
}  // namespace spmvgen
