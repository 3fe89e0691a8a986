// Fill ratios of all block sizes: worked out by hand, against the storage format, and sampled.
#include "matrix/features/block_fill.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "formats/stored_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tiny.hpp"

namespace spmvgen {
namespace {

using testing::Tiny;

// [ 1 1 . . . ]
// [ 1 1 . . . ]
// [ . . . . 1 ]
const Tiny<> small{5, {{0, 1}, {0, 1}, {4}}};

TEST(BlockFill, WorkedOutByHand) {
    const BlockFill fill = block_fill(small.view(), 1);
    EXPECT_EQ(fill.share, 1);
    EXPECT_EQ(fill.at(1, 1), 1);
    EXPECT_EQ(fill.at(2, 2), 8 / 5.0);   // blocks at (0,0) and (2,4)
    EXPECT_EQ(fill.at(1, 2), 6 / 5.0);   // (0,0), (1,0), (2,4)
    EXPECT_EQ(fill.at(2, 1), 6 / 5.0);   // (0,0), (0,1), (2,4)
    EXPECT_EQ(fill.at(3, 5), 15 / 5.0);  // one
    EXPECT_EQ(fill.at(8, 8), 64 / 5.0);  // one
    EXPECT_EQ(fill.at(3, 4), 24 / 5.0);  // (0,0), (0,4)
}

TEST(BlockFill, OfOneSizeFromRowsThatAreSpread) {
    EXPECT_EQ(spread_block_fill(Tiny<>(3, {{}, {}}).view(), 2, 3, 100), 1);
    const CsrMatrix matrix = make_gallery_matrix("fem:nx=30,ny=30,dofs=3");
    const BlockFill exact = block_fill(matrix.view(), 1);
    for (int r = 1; r <= most_block; ++r)
        for (int c = 1; c <= most_block; ++c) {
            EXPECT_NEAR(spread_block_fill(matrix.view(), r, c, 2 * matrix.nnz), exact.at(r, c),
                        1e-12);
            EXPECT_NEAR(spread_block_fill(matrix.view(), r, c, 2000), exact.at(r, c), 0.3);
        }
    EXPECT_EQ(spread_block_fill(small.view(), 2, 2, 1), 8 / 5.0) << "no fewer than 16 block rows";
    CsrView narrow = small.view();
    narrow.cols = 2;  // and a column outside, which is not counted
    EXPECT_EQ(spread_block_fill(narrow, 2, 2, 1), 4 / 5.0);
}

TEST(BlockFill, OfNothingIsOne) {
    const BlockFill fill = block_fill(Tiny<>(3, {{}, {}}).view());
    for (int r = 1; r <= most_block; ++r)
        for (int c = 1; c <= most_block; ++c) EXPECT_EQ(fill.at(r, c), 1);
}

TEST(BlockFill, TakesUnsortedAndDoubledColumns) {
    const Tiny<> sorted{20, {{1, 2, 9, 17}, {0, 3, 9}}}, unsorted{20, {{17, 2, 9, 1}, {9, 3, 0}}};
    EXPECT_EQ(block_fill(sorted.view(), 1), block_fill(unsorted.view(), 1));
    const Tiny<> doubled{4, {{1, 1, 1}}};
    EXPECT_EQ(block_fill(doubled.view(), 1).at(1, 1), 1 / 3.0);
}

/// The exact ratio is what the format stores.
TEST(BlockFill, IsWhatTheFormatStores) {
    for (const char* name : {"fem:nx=12,ny=11,dofs=3", "banded:n=101,lower=4,upper=3,fill=0.5",
                             "random:rows=67,cols=45,per_row=4"}) {
        const CsrMatrix a = make_gallery_matrix(name);
        const BlockFill fill = block_fill(a.view(), 1);
        for (int r = 1; r <= most_block; ++r)
            for (int c = 1; c <= most_block; ++c) {
                Signature s;
                s.kernel = "bcsr";
                s.params = {{"block_rows", r}, {"block_cols", c}};
                s.target = parse_target("x86-64-v3");
                EXPECT_EQ(fill.at(r, c), static_cast<double>(convert(a.view(), s, false).stored) /
                                             static_cast<double>(a.nnz))
                    << name << " " << r << "x" << c;
            }
    }
}

/// What a sample of that size may be wrong by, in matrices whose fill differs from place to place.
TEST(BlockFill, IsEstimatedFromASample) {
    for (const char* name : {"fem:nx=100,ny=100", "circuit:n=60000", "rmat:scale=14",
                             "banded:n=30000,fill=0.4", "powerlaw:n=20000,max_row=2000"}) {
        const CsrMatrix a = make_gallery_matrix(name);
        const BlockFill exact = block_fill(a.view(), 1), estimate = block_fill(a.view(), 0.02);
        EXPECT_LT(estimate.share, 0.3) << name;
        EXPECT_GT(estimate.share, 0) << name;
        for (int r = 1; r <= most_block; ++r)
            for (int c = 1; c <= most_block; ++c)
                EXPECT_NEAR(estimate.at(r, c) / exact.at(r, c), 1, 0.05)
                    << name << " " << r << "x" << c;
    }
}

TEST(BlockFill, DoesNotDependOnThreads) {
    const CsrMatrix a = make_gallery_matrix("circuit:n=20000");
    EXPECT_EQ(block_fill(a.view(), 0.1, 1), block_fill(a.view(), 0.1, 5));
}

TEST(BlockFill, RefusesASampleOfNothing) {
    for (const double sigma : {0.0, -0.5, std::nan("")}) try {
            block_fill(small.view(), sigma);
            FAIL() << sigma;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        }
    try {
        block_fill(small.view(), 0);
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "sigma 0 is no share of a matrix: use a number above 0; 1 looks at all rows");
    }
}

}  // namespace
}  // namespace spmvgen
