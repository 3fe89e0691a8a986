// The readable sheet, the plot and the JSON form of features.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "matrix/features/features.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Features features_of(std::string_view specification) {
    return analyse(make_gallery_matrix(specification).view());
}

/// Characters of the widest line; a failure where a line ends with a space.
std::size_t widest_line(const std::string& text) {
    std::istringstream lines(text);
    std::size_t widest = 0;
    for (std::string line; std::getline(lines, line);) {
        EXPECT_TRUE(line.empty() || line.back() != ' ') << '"' << line << '"';
        const auto begins_character = [](char c) { return (c & 0xc0) != 0x80; };
        widest = std::max(widest, static_cast<std::size_t>(
                                      std::count_if(line.begin(), line.end(), begins_character)));
    }
    return widest;
}

/// The paragraph "stands out", its lines joined.
std::string remarks(const Features& features) {
    const std::string text = sheet(features);
    const std::size_t begin = text.find("stands out  ") + 12, end = text.find("\nrows ");
    std::string joined = text.substr(begin, end - begin);
    for (std::size_t at; (at = joined.find("\n            ")) != std::string::npos;)
        joined.replace(at, 13, " ");
    return joined;
}

TEST(Sheet, ofASmallStencil) {
    EXPECT_EQ(sheet(features_of("stencil5:nx=3,ny=3")),
              "matrix      9 × 9, 33 entries, f64\n"
              "stands out  very short rows, symmetric, 2 different values, values exact in int8\n"
              "rows        3.67 entries on average, 3 to 5, variance 0.44, 0 empty,\n"
              "            50 % up to 5, 90 % up to 5, 99 % up to 5\n"
              "                3  4 rows  ███████████████████▎\n"
              "            4 – 5  5 rows  ████████████████████████\n"
              "padding     SELL-8/16/32 1.94 / 2.42 / 4.85, rows sorted 1.94 / 2.42 / 4.85,\n"
              "            ELL 1.36\n"
              "columns     up to 5 entries, 0 empty, 15.2 % of the entries in the top 1 %\n"
              "places      bandwidth 3, 1.45 from the diagonal on average, diagonal full\n"
              "steps       +1 50.0 %, in 8 bits 100 %, in 16 bits 100 %, sorted, no duplicates\n"
              "block fill  2×2 2.30, 3×3 1.91, 4×4 3.39, 8×8 7.76\n"
              "gathers     sectors of x an entry: 0.12 in order, 0.30 down 32 rows,\n"
              "            within 32/512/8192 rows 0.09 / 0.09 / 0.09\n"
              "symmetry    pattern 100 %, values 100 %\n"
              "values      2 different, exact in f32 f16 bf16 int8, 0 zero, 0 not finite\n");
}

TEST(Sheet, withoutEntries) {
    for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 4}, {3, 0}, {3, 4}}) {
        const std::vector<std::int32_t> row_ptr(static_cast<std::size_t>(rows) + 1);
        const Features f =
            analyse(csr_view<float, std::int32_t>(rows, cols, row_ptr.data(), nullptr, nullptr));
        EXPECT_THAT(sheet(f), HasSubstr("stands out  no entries\n"));
        EXPECT_THAT(sheet(f), Not(HasSubstr("nan")));
        EXPECT_LE(widest_line(sheet(f)), 80u);
    }
}

TEST(Sheet, numbersAreGrouped) {
    Features f;
    f.rows = 1234567;
    f.cols = 999;
    f.nnz = 1000;
    EXPECT_THAT(sheet(f), HasSubstr("matrix      1,234,567 × 999, 1,000 entries, f64\n"));
    f.mean_distance = 1234.5;
    EXPECT_THAT(sheet(f), HasSubstr("1,235 from the diagonal"));
}

TEST(Sheet, fitsThePageWithTheLargestNumbers) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    Features f;
    f.rows = f.cols = f.nnz = f.max_row = f.empty_rows = most;
    f.row_p50 = f.row_p90 = f.row_p99 = f.bandwidth = f.max_col = f.empty_cols = most;
    f.explicit_zeros = f.non_finite = most;
    f.row_histogram.fill(most);
    f.mean_row = f.variance_row = f.mean_distance = f.ell_padding = 1e300;
    f.sell_padding.fill(9.2e17);
    f.sell_sorted_padding.fill(9.2e17);
    f.block_fill.fill(64);
    f.duplicates = true;
    f.sorted = false;
    EXPECT_LE(widest_line(sheet(f)), 80u);
}

TEST(Sheet, fitsThePageForEveryGenerator) {
    for (const GalleryEntry& entry : gallery())
        EXPECT_LE(widest_line(sheet(features_of(entry.name))), 80u) << entry.name;
}

TEST(Sheet, gapsOfTheHistogramTakeOneLine) {
    EXPECT_THAT(sheet(features_of("arrow:n=5000")),
                HasSubstr("                    2 – 3  4,999 rows  ████████████████████████\n"
                          "                        ⋮\n"
                          "            4,096 – 5,000      1 row   ▏\n"));
}

TEST(Sheet, saysWhatStandsOut) {
    EXPECT_EQ(remarks(features_of("diagonal:n=50,random_values=0")),
              "every row has 1 entry, diagonal, all values equal, values exact in int8");
    EXPECT_EQ(remarks(features_of("banded:n=2000,lower=1,upper=1")),
              "very short rows, tridiagonal");
    EXPECT_EQ(remarks(features_of("arrow:n=5000")),
              "very short rows, one dense row, a dense column, "
              "1 % of the columns hold 34.0 % of the entries, symmetric pattern");
    EXPECT_EQ(remarks(features_of("fem:nx=20,ny=20,dofs=4")),
              "symmetric, dense 4×4 blocks, runs of consecutive columns");
    EXPECT_EQ(remarks(features_of("random:rows=900,cols=800,per_row=9")),
              "every row has 9 entries");
    EXPECT_EQ(remarks(features_of("powerlaw:n=2000,min_row=5,max_row=10,tail=0.1")), "nothing");
    EXPECT_THAT(remarks(features_of("rmat")), HasSubstr(" of the rows are empty, 697 long rows, "));
}

TEST(Sheet, saysWhatIsOddAboutEntriesAndValues) {
    Features f = features_of("powerlaw:n=2000,min_row=5,max_row=10,tail=0.1");
    f.sorted = false;
    f.duplicates = true;
    f.explicit_zeros = 1;
    f.non_finite = 1234;
    f.exact_f32 = true;
    EXPECT_EQ(remarks(f),
              "rows are not sorted by column, some places are stored more than once, values exact "
              "in f32, 1 stored zero, 1,234 values not finite");
    f.value_type = ValueType::f32;  // nothing to gain
    EXPECT_THAT(remarks(f), Not(HasSubstr("exact")));
    f.exact_f16 = true;
    EXPECT_THAT(remarks(f), HasSubstr("values exact in f16"));
}

TEST(DensityPlot, tinyMatrices) {
    EXPECT_EQ(density_plot(make_gallery_matrix("arrow:n=4").view()),
              "┌────┐\n│████│\n│██  │\n│█ █ │\n│█  █│\n└────┘\n");
    EXPECT_EQ(density_plot(make_gallery_matrix("random:rows=3,cols=2,per_row=0").view()),
              "┌──┐\n│  │\n│  │\n│  │\n└──┘\n");
    EXPECT_EQ(density_plot(CsrView{}), "┌┐\n└┘\n");
}

TEST(DensityPlot, shadesByFactorsOfFour) {
    // Rows of 64, 16, 4 and 1 entries in four columns' cells of 64 columns each.
    std::vector<std::int32_t> row_ptr{0}, col_idx;
    std::vector<float> values(85, 1);
    for (const int entries : {64, 16, 4, 1}) {
        for (int k = 0; k < entries; ++k) col_idx.push_back(k);
        row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
    }
    const CsrView a = csr_view(4, 128, row_ptr.data(), col_idx.data(), values.data());
    EXPECT_EQ(density_plot(a, 2, 4), "┌──┐\n│█ │\n│▓ │\n│▒ │\n│░ │\n└──┘\n");
}

TEST(DensityPlot, isNotLargerThanAsked) {
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=100,ny=100");
    EXPECT_EQ(widest_line(density_plot(a.view(), 30, 7)), 32u);
    const std::string plot = density_plot(a.view(), 30, 7);
    EXPECT_EQ(std::count(plot.begin(), plot.end(), '\n'), 9);
}

TEST(DensityPlot, badSizesAreRefused) {
    const CsrMatrix a = make_gallery_matrix("diagonal:n=3");
    for (const auto& [columns, lines] : {std::pair{0, 5}, {5, -1}, {1001, 5}}) {
        try {
            density_plot(a.view(), columns, lines);
            FAIL();
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
            EXPECT_EQ(std::string(error.what()), "density plot: " + std::to_string(columns) +
                                                     " columns and " + std::to_string(lines) +
                                                     " lines; 1 to 1000 are allowed");
        }
    }
}

TEST(FeaturesJson, holdsEveryField) {
    const Features f = features_of("circuit:n=5000,dense_length=1000");
    const auto j = nlohmann::ordered_json::parse(to_json(f));
    // A new field changes the size: add it to to_json and here.
    ASSERT_EQ(sizeof(Features), 712u);
    EXPECT_EQ(j.size(), 39u);
    EXPECT_EQ(j.begin().key(), "rows");
    EXPECT_EQ(j["rows"], f.rows);
    EXPECT_EQ(j["cols"], f.cols);
    EXPECT_EQ(j["nnz"], f.nnz);
    EXPECT_EQ(j["value_type"], "f64");
    EXPECT_EQ(j["min_row"], f.min_row);
    EXPECT_EQ(j["max_row"], f.max_row);
    EXPECT_EQ(j["empty_rows"], f.empty_rows);
    EXPECT_EQ(j["mean_row"], f.mean_row);
    EXPECT_EQ(j["variance_row"], f.variance_row);
    EXPECT_EQ(j["row_histogram"], f.row_histogram);
    EXPECT_EQ(j["row_p50"], f.row_p50);
    EXPECT_EQ(j["row_p90"], f.row_p90);
    EXPECT_EQ(j["row_p99"], f.row_p99);
    EXPECT_EQ(j["sell_padding"], f.sell_padding);
    EXPECT_EQ(j["sell_sorted_padding"], f.sell_sorted_padding);
    EXPECT_EQ(j["ell_padding"], f.ell_padding);
    EXPECT_EQ(j["bandwidth"], f.bandwidth);
    EXPECT_EQ(j["mean_distance"], f.mean_distance);
    EXPECT_EQ(j["max_col"], f.max_col);
    EXPECT_EQ(j["empty_cols"], f.empty_cols);
    EXPECT_EQ(j["top_cols_share"], f.top_cols_share);
    EXPECT_EQ(j["sorted"], f.sorted);
    EXPECT_EQ(j["duplicates"], f.duplicates);
    EXPECT_EQ(j["delta_share"], f.delta_share);
    EXPECT_EQ(j["block_fill"], f.block_fill);
    EXPECT_EQ(j["run_sectors"], f.run_sectors);
    EXPECT_EQ(j["warp_sectors"], f.warp_sectors);
    EXPECT_EQ(j["window_sectors"], f.window_sectors);
    EXPECT_EQ(j["pattern_symmetry"], f.pattern_symmetry);
    EXPECT_EQ(j["value_symmetry"], f.value_symmetry);
    EXPECT_EQ(j["diagonal_full"], f.diagonal_full);
    EXPECT_EQ(j["distinct_values"], f.distinct_values);
    EXPECT_EQ(j["all_equal"], f.all_equal);
    EXPECT_EQ(j["exact_f32"], f.exact_f32);
    EXPECT_EQ(j["exact_f16"], f.exact_f16);
    EXPECT_EQ(j["exact_bf16"], f.exact_bf16);
    EXPECT_EQ(j["exact_int8"], f.exact_int8);
    EXPECT_EQ(j["explicit_zeros"], f.explicit_zeros);
    EXPECT_EQ(j["non_finite"], f.non_finite);
}

}  // namespace
}  // namespace spmvgen
