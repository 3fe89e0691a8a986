#include "tuner/cost/figures/row_steps.hpp"

#include <gtest/gtest.h>

namespace spmvgen {
namespace {

TEST(RowSteps, OfAHistogram) {
    RowFeatures f;
    f.rows = 10;
    f.min_row = 0;
    f.max_row = 3;
    f.row_histogram[0] = 2;  // empty
    f.row_histogram[2] = 8;  // of 2 and 3 entries, as many each
    EXPECT_DOUBLE_EQ(mean_steps(f, 1), 8 * 2.5 / 10);
    EXPECT_DOUBLE_EQ(mean_steps(f, 2), 8 * 1.5 / 10);
    EXPECT_DOUBLE_EQ(row_tails(f, 2).entries, 4);
    EXPECT_DOUBLE_EQ(row_tails(f, 2).rows, 4);
    EXPECT_DOUBLE_EQ(row_tails(f, 3).entries, 0);
    EXPECT_DOUBLE_EQ(row_quantile(f, 0.1), 0);
    EXPECT_DOUBLE_EQ(row_quantile(f, 0.2), 3);
}

}  // namespace
}  // namespace spmvgen
