// Samples of rows that stand for a matrix, and what is counted in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "formats/plans/tiles_plan.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features/features.hpp"
#include "matrix/suites/gallery.hpp"
#include "tuner/chooser/counted_choice.hpp"
#include "tuner/cost/figures/length_histogram.hpp"
#include "tuner/cost/figures/sampled_hubs.hpp"

namespace spmvgen {
namespace {

TEST(SampledRows, SmallMatricesAreTakenWhole) {
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=20,ny=20");
    const SampledRows sample(m.view(), 50'000);
    EXPECT_TRUE(sample.is_whole());
    EXPECT_EQ(sample.view().col_idx, m.col_idx.data()) << "and not copied";
    EXPECT_EQ(sample.scale(), 1);
}

TEST(SampledRows, WindowsOfLargeOnesHaveAboutSoManyEntries) {
    const CsrMatrix m = make_gallery_matrix("stencil5:nx=600,ny=600");
    const SampledRows sample(m.view(), 50'000);
    const CsrView rows = sample.view();
    EXPECT_FALSE(sample.is_whole());
    EXPECT_EQ(rows.cols, m.cols);
    EXPECT_EQ(rows.rows % 64, 0) << "whole slices";
    EXPECT_NEAR(static_cast<double>(rows.nnz), 50'000, 10'000);
    EXPECT_NEAR(sample.scale() * static_cast<double>(rows.nnz), static_cast<double>(m.nnz), 1);
    EXPECT_EQ(rows.values, nullptr) << "nothing that is estimated reads values";
    const CsrView all = m.view();
    const std::int64_t first = rows.col_idx_as<std::int32_t>()[0];
    EXPECT_EQ(all.row_length(first), rows.row_length(0)) << "of the stencil's row below its own";
}

TEST(SampledRows, NeitherLongRowsNorEmptyOnesMakeItLarge) {
    const CsrMatrix wide = make_gallery_matrix("random:seed=8");  // 79 rows of 45 000 entries
    for (const std::int64_t windows : {1, 16})
        EXPECT_LE(SampledRows(wide.view(), 50'000, windows).view().nnz, 2 * 50'000);
    const CsrMatrix sparse = make_gallery_matrix("random:seed=890,max_nnz=20000");
    ASSERT_GT(sparse.rows, 10 * sparse.nnz);
    EXPECT_LE(SampledRows(sparse.view(), 20'000).view().rows, 16 * 16384);
}

TEST(SampledRows, SortedRowsFallInLength) {
    const CsrMatrix m = make_gallery_matrix("random:seed=412,max_nnz=50000");
    const SampledRows sample(m.view(), 100'000);
    ASSERT_TRUE(sample.is_whole());
    std::vector<std::int64_t> rows = sample.sorted_rows(m.rows);
    for (std::size_t i = 1; i < rows.size(); ++i)
        ASSERT_GE(m.view().row_length(rows[i - 1]), m.view().row_length(rows[i]));
    std::ranges::sort(rows);
    ASSERT_EQ(std::ssize(rows), m.rows);
    for (std::int64_t row = 0; row < m.rows; ++row)
        ASSERT_EQ(rows[static_cast<std::size_t>(row)], row);
}

TEST(SampledHubs, OneHalfSaysWhichTheyAreAndTheOtherHowMuchTheyHave) {
    // Of columns that are used alike as many have the same share as there are of all columns,
    // though few entries of a sample share one.
    const CsrMatrix alike = make_gallery_matrix("random:rows=200000,cols=200000,per_row=8");
    const SampledRows few = SampledRows::of_choice(alike.view(), gpu_sample);
    ASSERT_LT(few.view().nnz, 60'000);
    EXPECT_NEAR(SampledHubs(few).share(24'576), 24'576.0 / 200'000, 0.03);
    EXPECT_NEAR(SampledHubs(few).share(512), 0, 0.02);
    EXPECT_EQ(SampledHubs(few).share(0), 0);
    const CsrMatrix small = make_gallery_matrix("stencil5:nx=20,ny=20");
    EXPECT_EQ(SampledHubs(SampledRows(small.view(), 50'000)).share(400), 1) << "all columns";
}

TEST(SampledHubs, ManyOfThemWantMoreEntriesThanTheSampleOfRows) {
    const CsrMatrix graph = make_gallery_matrix("rmat:scale=18,edges=6000000,scatter=1");
    const std::array<std::int64_t, 3> counts{4096, 8192, 16384};
    const std::vector<double> exact = plan_tiles(graph.view(), counts).hub_share;
    const SampledHubs few(SampledRows::of_choice(graph.view(), gpu_sample));
    const SampledHubs many(graph.view(), nullptr);
    for (std::size_t i = 0; i < counts.size(); ++i)
        EXPECT_NEAR(many.share(counts[i]), exact[i], 0.1) << counts[i];
    EXPECT_LT(few.share(16384), exact[2] - 0.2) << "half of its entries name fewer columns";
}

TEST(LengthHistogram, CountsByHand) {
    RowFeatures f;
    f.rows = 101;
    f.min_row = 4;
    f.max_row = 4;
    f.row_histogram[3] = 100;
    f.row_histogram[0] = 1;
    const LengthHistogram lengths(f);
    EXPECT_EQ(lengths.rows(), 100);
    EXPECT_EQ(lengths.entries(), 400);
    EXPECT_EQ(lengths.rounds(3), 200);
    EXPECT_EQ(lengths.rows(4), 0) << "none is longer";
    EXPECT_EQ(lengths.entries(0, 3), 0) << "none is as short";
    EXPECT_EQ(lengths.longest(3), 0) << "likewise";
    EXPECT_EQ(lengths.longest(4), 4);
    EXPECT_EQ(lengths.longest(LengthHistogram::any), 4);
    EXPECT_NEAR(lengths.longest_over_mean(1, LengthHistogram::any, 1), 1, 1e-9);
    EXPECT_NEAR(lengths.longest_over_mean(1000, LengthHistogram::any, 1), 1.01, 1e-9)
        << "one of so many is surely not empty";
    EXPECT_NEAR(lengths.longest_over_mean(1, LengthHistogram::any, 1), 1, 1e-9) << "asked again";
    EXPECT_EQ(lengths.rounds(1), 400) << "of other lanes";
    EXPECT_EQ(lengths.rounds(3), 200) << "asked again";
}

}  // namespace
}  // namespace spmvgen
