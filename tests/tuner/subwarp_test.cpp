#include <gtest/gtest.h>

#include <bit>
#include <utility>
#include <vector>

#include "tuner/cost/figures/subwarp.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {
namespace {

/// Rows of these lengths, how many of each; `padding` = stored over nonzeros in slices of 8,
/// 16, 32.
Features features(const std::vector<std::pair<std::int64_t, std::int64_t>>& lengths,
                  std::array<double, 3> padding = {1, 1, 1}) {
    Features f;
    f.min_row = lengths.front().first;
    for (auto& [length, rows] : lengths) {
        f.rows += rows;
        f.nnz += rows * length;
        f.min_row = std::min(f.min_row, length);
        f.max_row = std::max(f.max_row, length);
        f.row_histogram[std::bit_width(static_cast<std::uint64_t>(length))] += rows;
    }
    f.mean_row = static_cast<double>(f.nnz) / static_cast<double>(f.rows);
    f.sell_padding = padding;
    return f;
}

int chosen(const Features& f, int wavefront = 32) {
    return choose_subwarp(f, wavefront);
}

double cost(const Features& f, int subwarp) {
    return subwarp_cost(f, 32, subwarp);
}

TEST(Subwarp, SinglesTakeOneLaneAndLongRowsAll) {
    EXPECT_EQ(chosen(features({{1, 100000}})), 1);
    EXPECT_EQ(chosen(features({{0, 1000}})), 1);
    EXPECT_EQ(chosen(Features{}), 1);
    EXPECT_EQ(chosen(features({{5000, 100000}})), 32);
    EXPECT_EQ(chosen(features({{5000, 100000}}), 64), 64);
}

TEST(Subwarp, EvenRowsTakeAPartOfTheirLength) {
    // What was fastest on an H200: ecology1 (5), thermal2 (7, uneven), HPCG27 (27), af_shell10
    // (36).
    EXPECT_EQ(chosen(features({{5, 1000000}})), 1);
    EXPECT_EQ(chosen(features({{7, 1000000}})), 1);
    EXPECT_EQ(chosen(features({{27, 1000000}})), 4);
    EXPECT_EQ(chosen(features({{36, 1000000}})), 8);
    EXPECT_EQ(chosen(features({{59, 5000}})), 32) << "few rows: bcsstk16";
}

TEST(Subwarp, OneLongRowDoesNotDecideForAll) {
    // As webbase-1M: 4 lanes were fastest.
    const Features f = features({{2, 1000000}, {1000, 1}}, {1.2, 1.3, 1.5});
    EXPECT_EQ(subwarp_of_longest_row(f, 32), 32);
    EXPECT_EQ(chosen(f), 4);
    EXPECT_LT(cost(f, 4), cost(f, 32) / 3);
}

TEST(Subwarp, RowsOfManyLengthsTakeMoreLanes) {
    // The wavefront waits for the longest of its rows: the more lanes a row has, the fewer rows.
    const Features even = features({{8, 100000}});
    const Features uneven = features({{1, 75000}, {29, 25000}}, {3, 3.4, 3.6});
    EXPECT_EQ(even.mean_row, uneven.mean_row);
    EXPECT_EQ(chosen(even), 2);
    EXPECT_EQ(chosen(uneven), 4);
}

TEST(Subwarp, IsNeverWorseThanTheLongestRowsByItsOwnMeasure) {
    for (const std::int64_t length : {1, 3, 8, 20, 33, 100, 1000}) {
        const Features f = features({{length, 1000}, {40 * length, 10}}, {1.3, 1.6, 2});
        EXPECT_LE(cost(f, chosen(f)), cost(f, subwarp_of_longest_row(f, 32))) << length;
    }
}

TEST(Subwarp, TheLongestRowIsFilled) {
    EXPECT_EQ(subwarp_of_longest_row(features({{0, 10}}), 32), 1);
    EXPECT_EQ(subwarp_of_longest_row(features({{7, 10}}), 32), 4);
    EXPECT_EQ(subwarp_of_longest_row(features({{64, 10}}), 32), 32);
    EXPECT_EQ(subwarp_of_longest_row(features({{64, 10}}), 64), 64);
}

}  // namespace
}  // namespace spmvgen
