// Format tiles: the arrays of matrices worked out by hand, what is refused, the plan, and products
// on the SIMT executor that depend on where rows meet the ends of tiles and runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "format_cases.hpp"
#include "formats/plans/tiles_plan.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/chooser/tiles_choice.hpp"
#include "verify/reference.hpp"

namespace spmvgen {
namespace {

using namespace format_cases;
using testing::ElementsAre;
using testing::HasSubstr;

/// A matrix with rows of these lengths: entry k has value k + 1 and column 7k mod `cols`.
struct Rows {
    std::int64_t cols;
    std::vector<int> offsets{0}, columns;
    std::vector<double> values;

    Rows(const std::vector<int>& lengths, std::int64_t num_cols) : cols(num_cols) {
        for (const int length : lengths) offsets.push_back(offsets.back() + length);
        for (int k = 0; k < offsets.back(); ++k) {
            columns.push_back(static_cast<int>(7 * k % cols));
            values.push_back(k + 1);
        }
    }
    std::int64_t rows() const { return std::ssize(offsets) - 1; }
    CsrView view() const {
        return csr_view(rows(), cols, offsets.data(), columns.data(), values.data());
    }
};

std::vector<int> repeated(int count, int length) {
    return std::vector<int>(static_cast<std::size_t>(count), length);
}

/// Entries of which a bit in row_marks says that they begin a row.
std::vector<int> marked(const StoredMatrix& m) {
    std::vector<int> entries;
    const auto bytes = array<unsigned char>(m, "row_marks", static_cast<int>(m.stored / 8));
    for (int k = 0; k < m.stored; ++k)
        if ((bytes[static_cast<std::size_t>(k / 8)] >> k % 8 & 1) != 0) entries.push_back(k);
    return entries;
}

// A tile of warp 32 with 8 items has 256 entries.

TEST(Tiles, RowsThatEndWithTilesAreNotCut) {
    const Rows matrix({100, 0, 156, 1}, 50);
    const StoredMatrix m = convert(matrix.view(), signature("tiles", {{"run", 1}}), true);
    EXPECT_EQ(m.stored, 512);
    EXPECT_EQ(m.scalars.at("num_tiles"), 2);
    EXPECT_EQ(m.scalars.at("num_runs"), 2);
    EXPECT_EQ(m.scalars.at("num_filled"), 3);
    EXPECT_EQ(m.scalars.at("num_empty"), 1);
    EXPECT_EQ(m.scalars.at("grid_blocks"), 2);              // of runs, of empty rows
    EXPECT_THAT(marked(m), ElementsAre(0, 100, 256, 257));  // the last: what lies behind
    EXPECT_THAT(array<int>(m, "tile_row", 2), ElementsAre(-1, 1));
    EXPECT_THAT(array<int>(m, "filled_rows", 3), ElementsAre(0, 2, 3));
    EXPECT_THAT(array<int>(m, "empty_rows", 1), ElementsAre(1));
    EXPECT_THAT(array<int>(m, "cut_first_run", 3), ElementsAre(-1, -1, -1));
    EXPECT_THAT(array<int>(m, "cut_last_run", 3), ElementsAre(-1, -1, -1));
    // values, columns, marks, rows of tiles, cuts, rows
    EXPECT_EQ(m.bytes, 512 * (8 + 4) + 64 + 2 * 4 + 2 * 3 * 4 + 4 * 4);
}

TEST(Tiles, CutRowsSayInWhichRunsTheyAre) {
    const Rows matrix({300, 500}, 50);
    Signature s = signature("tiles", {{"run", 1}, {"gaps", 0}});
    StoredMatrix m = convert(matrix.view(), s, true);
    EXPECT_EQ(m.scalars.at("grid_blocks"), 1);
    EXPECT_THAT(marked(m), ElementsAre(0, 300, 800));
    EXPECT_THAT(array<int>(m, "tile_row", 4), ElementsAre(-1, 0, 1, 1));
    EXPECT_THAT(array<int>(m, "cut_first_run", 5), ElementsAre(-1, 0, 1, 1, -1));
    EXPECT_THAT(array<int>(m, "cut_last_run", 5), ElementsAre(-1, 1, 3, 3, -1));
    s.params["run"] = 2;
    m = convert(matrix.view(), s, true);
    EXPECT_THAT(array<int>(m, "tile_row", 4), ElementsAre(-1, 0, 1, 1));
    EXPECT_THAT(array<int>(m, "cut_first_run", 3), ElementsAre(-1, 0, -1));
    EXPECT_THAT(array<int>(m, "cut_last_run", 3), ElementsAre(-1, 1, -1));
}

TEST(Tiles, EachLaneHasNeighbouringEntries) {
    const Rows matrix({257}, 1000);
    Signature s = signature("tiles");
    StoredMatrix m = convert(matrix.view(), s, true);
    auto columns = array<int>(m, "col_idx", 512);
    auto values = array<double>(m, "values", 512);
    EXPECT_EQ(values[0], 1);      // lane 0
    EXPECT_EQ(values[32], 2);     // its second entry
    EXPECT_EQ(values[1], 9);      // lane 1
    EXPECT_EQ(values[255], 256);  // lane 31, the last of its 8
    EXPECT_EQ(values[256], 257);
    EXPECT_EQ(values[257], 0);      // behind the last entry
    EXPECT_EQ(columns[33], 7 * 9);  // lane 1, its second entry
    EXPECT_EQ(columns[511], 256 * 7 % 1000);
    s.target = parse_target("gfx906");
    s.params["items"] = 16;
    m = convert(matrix.view(), s, true);
    EXPECT_EQ(m.stored, 1024);
    values = array<double>(m, "values", 1024);
    EXPECT_EQ(values[64], 2);
    EXPECT_EQ(values[1], 17);
}

TEST(Tiles, HubsComeFirst) {
    // Column 3 five times, 1 twice, 0 and 4 once, 2 never.
    const std::vector<int> offsets{0, 4, 9}, columns{3, 0, 3, 1, 3, 4, 3, 1, 3};
    const std::vector<double> values(9, 1.0);
    const auto view =
        csr_view<double, int, int>(2, 5, offsets.data(), columns.data(), values.data());
    Signature s = signature("tiles_hubs", {{"hubs", 512}});
    const StoredMatrix m = convert(view, s, true);
    EXPECT_EQ(m.scalars.at("num_hot"), 4);
    EXPECT_EQ(m.scalars.at("gather_items"), 4);
    EXPECT_THAT(array<int>(m, "hot_cols", 4), ElementsAre(3, 1, 0, 4));
    const auto codes = array<int>(m, "col_idx", 256);
    EXPECT_EQ(codes[0], 0);
    EXPECT_EQ(codes[32], 2);
    EXPECT_EQ(codes[96], 1);
    EXPECT_EQ(codes[1], 0);
}

TEST(Tiles, OtherColumnsFollowTheGatheredOnes) {
    std::vector<int> offsets{0, 0}, columns;
    for (int j = 0; j < 600; ++j) columns.insert(columns.end(), j < 512 ? 2 : 1, j);
    offsets.back() = static_cast<int>(columns.size());
    const std::vector<double> values(columns.size(), 1.0);
    const auto view =
        csr_view<double, int, int>(1, 600, offsets.data(), columns.data(), values.data());
    const StoredMatrix m = convert(view, signature("tiles_hubs", {{"hubs", 512}}), true);
    const auto codes = array<int>(m, "col_idx", static_cast<int>(m.stored));
    EXPECT_EQ(m.scalars.at("num_hot"), 512);
    EXPECT_EQ(codes[0], 0);
    // Entry 1024, tile 4: the first of column 512, which is none of the hubs.
    EXPECT_EQ(codes[1024], 512 + 512);
}

TEST(Tiles, AMatrixWithoutEntriesHasNoTiles) {
    const Rows matrix({0, 0, 0}, 4);
    const StoredMatrix m = convert(matrix.view(), signature("tiles"), true);
    EXPECT_EQ(m.stored, 0);
    EXPECT_EQ(m.scalars.at("num_runs"), 0);
    EXPECT_EQ(m.scalars.at("num_empty"), 3);
    EXPECT_EQ(m.scalars.at("grid_blocks"), 1);
    EXPECT_THAT(array<int>(m, "empty_rows", 3), ElementsAre(0, 1, 2));
}

TEST(Tiles, RefusesEmptyRowsThatTheSignatureDenies) {
    const Rows matrix({3, 0, 2, 0}, 4);
    EXPECT_EQ(refusal(matrix.view(), signature("tiles", {{"gaps", 0}})),
              "kernel tiles with gaps=0 takes no empty rows, but 2 of 4 rows are: use gaps=1");
}

std::string incomplete(const std::string& kernel, Params params, const char* target,
                       ValueType value = ValueType::f64) {
    Signature s;
    s.kernel = kernel;
    s.params = std::move(params);
    s.target = parse_target(target);
    s.value = value;
    try {
        complete(s);
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::invalid_argument);
        return e.what();
    }
    return "accepted";
}

TEST(Tiles, RefusesMoreSharedMemoryThanABlockHas) {
    EXPECT_EQ(incomplete("tiles_hubs", {{"hubs", 24576}}, "sm_90"), "accepted");
    EXPECT_EQ(incomplete("tiles_hubs", {{"hubs", 32768}}, "sm_90"),
              "kernel tiles_hubs with hubs=32768, block=512 and staged=64 takes 270464 bytes of "
              "shared memory, more than the 232448 that a block has on sm_90: use a smaller hubs, "
              "block or staged");
    EXPECT_EQ(incomplete("tiles_hubs", {{"hubs", 8192}}, "gfx90a"),
              "kernel tiles_hubs with hubs=8192, block=512 and staged=64 takes 69696 bytes of "
              "shared memory, more than the 65536 that a block has on gfx90a: use a smaller hubs, "
              "block or staged");
    EXPECT_EQ(incomplete("tiles_hubs", {{"hubs", 49152}}, "sm_90", ValueType::f32), "accepted");
    EXPECT_EQ(incomplete("tiles", {{"staged", 256}, {"block", 512}}, "sm_90", ValueType::c64),
              "kernel tiles with block=512 and staged=256 takes 65792 bytes of shared memory, more "
              "than the 49152 that it may: use a smaller block or staged");
    EXPECT_EQ(incomplete("tiles_hubs", {{"hubs", 0}}, "sm_90"),
              "kernel tiles_hubs with hubs=0 and warm=0 gathers nothing: use kernel tiles");
}

TEST(TilesPlan, CountsRowsAndTheShareOfHubs) {
    const std::vector<int> offsets{0, 4, 4, 10}, columns{3, 0, 3, 1, 3, 4, 3, 1, 3, 1};
    const auto view = csr_view<double, int, int>(3, 5, offsets.data(), columns.data(), nullptr);
    const TilesPlan plan = plan_tiles(view, std::vector<std::int64_t>{0, 1, 2, 4096}, 2);
    EXPECT_EQ(plan.filled_rows, 2);
    EXPECT_EQ(plan.entries_a_row, 5);
    EXPECT_THAT(plan.hub_share, ElementsAre(0, 0.5, 0.8, 1));
    EXPECT_THAT(column_uses(view), ElementsAre(1, 3, 0, 5, 1));
    EXPECT_THAT(most_used_columns(column_uses(view), 3), ElementsAre(3, 1, 0));
    EXPECT_EQ(plan_tiles(view, {}).filled_rows, 2);
}

TEST(TilesPlan, AnEmptyMatrixHasNoHubs) {
    const Rows matrix({0, 0}, 4);
    const TilesPlan plan = plan_tiles(matrix.view(), std::vector<std::int64_t>{8});
    EXPECT_EQ(plan.entries_a_row, 0);
    EXPECT_THAT(plan.hub_share, ElementsAre(0));
}

/// Of 40000 columns the first `popular` are in all `rows` rows, the others in one each.
Rows with_hubs(int popular, int rows) {
    constexpr int num_cols = 40000;
    const int others = (num_cols - popular) / rows;
    Rows matrix(repeated(rows, popular + others), num_cols);
    for (int row = 0; row < rows; ++row)
        for (int k = 0; k < popular + others; ++k)
            matrix.columns[static_cast<std::size_t>(row * (popular + others) + k)] =
                k < popular ? k : popular + row * others + k - popular;
    return matrix;
}

TEST(TilesChooser, TakesTheLeastCountThatCoversNearlyAll) {
    const Rows matrix = with_hubs(1000, 400);
    const CsrView view = matrix.view();
    TilesChooser chooser(view, 1);
    Signature s = signature("tiles_hubs");
    // Of 400 rows of 1000 + 97 entries 1024 columns have 400024 entries.
    EXPECT_EQ(chooser.fit(s, {}), "1024 hub columns have 91 % of the entries");
    EXPECT_EQ(s.params.at("hubs"), 1024);
    s.params["hubs"] = 4096;
    EXPECT_EQ(chooser.fit(s, {{"hubs", 4096}}), "");
    EXPECT_EQ(s.params.at("hubs"), 4096);
    Signature plain = signature("tiles");
    EXPECT_EQ(chooser.fit(plain, {}), "");
}

TEST(TilesChooser, TakesTheLeastWhereNothingIsPopular) {
    const Rows matrix = with_hubs(0, 40);
    const CsrView view = matrix.view();
    Signature s = signature("tiles_hubs", {{"per_unit", 8}});
    EXPECT_EQ(TilesChooser(view, 1).fit(s, {}), "512 hub columns have 1 % of the entries");
}

// Products.

Options on(const char* device, const std::string& kernel, Params params) {
    Options options;
    options.device = device;
    options.kernel = kernel;
    options.params = std::move(params);
    options.cache = CacheMode::memory;
    options.strict = true;
    return options;
}

/// Applies three times: counts of parts must be back at 0 each time, and the bits the same.
void check_three_times(const Rows& matrix, const Options& options) {
    const Handle handle(matrix.view(), options);
    std::vector<double> x(static_cast<std::size_t>(matrix.cols));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = 1 / (1.0 + static_cast<double>(j));
    const double alpha = 1, beta = 0;
    std::vector<double> first;
    for (int time = 0; time < 3; ++time) {
        std::vector<double> y(static_cast<std::size_t>(matrix.rows()), -1);
        const std::vector<double> before = y;
        handle.apply(alpha, x.data(), beta, y.data());
        const CheckResult result =
            check_product(matrix.view(), {&alpha, x.data(), &beta, before.data(), y.data(), 1});
        EXPECT_TRUE(result.passed) << "time " << time << ": " << result.message;
        if (time == 0) first = y;
        EXPECT_EQ(y, first) << "time " << time;
    }
}

TEST(TilesProduct, RowsThatMeetTheEndsOfTilesAndRuns) {
    std::vector<int> lengths = repeated(4, 256);      // a tile each
    lengths.insert(lengths.end(), {512, 0, 255, 1});  // two tiles; one of two rows
    lengths.insert(lengths.end(), {255, 257, 0, 256 * 40, 3, 256 * 9 - 3, 1});
    const std::vector<int> short_rows = repeated(700, 1);  // more ends than a warp has places for
    lengths.insert(lengths.end(), short_rows.begin(), short_rows.end());
    const Rows matrix(lengths, 977);
    for (const char* order : {"forward", "reverse"}) {
        setenv("SPMVGEN_SIMT_ORDER", order, 1);
        for (const char* device : {"simt:sm_90", "simt:gfx906"}) {
            SCOPED_TRACE(std::string(device) + " " + order);
            check_three_times(matrix, on(device, "tiles", {{"run", 1}, {"staged", 32}}));
            check_three_times(
                matrix, on(device, "tiles_hubs", {{"run", 2}, {"hubs", 512}, {"per_unit", 1}}));
        }
    }
    unsetenv("SPMVGEN_SIMT_ORDER");
}

// A block of 64 threads stores 512 empty rows.
TEST(TilesProduct, EmptyRowsOfOneAndSeveralBlocks) {
    for (const std::size_t empty : {1, 511, 512, 513, 1500}) {
        std::vector<int> lengths(empty + 40, 0);
        for (std::size_t i = 0; i < 40; ++i) lengths[i * lengths.size() / 40] = 3;
        for (const char* device : {"simt:sm_90", "simt:gfx906"}) {
            SCOPED_TRACE(testing::Message() << empty << " on " << device);
            check_three_times(Rows(lengths, 50), on(device, "tiles", {{"block", 64}}));
        }
    }
}

TEST(TilesProduct, OneColumnAndOneHugeRow) {
    const Rows column(std::vector<int>(300, 1), 1);
    const Rows row({256 * 70}, 64);
    for (const Rows* matrix : {&column, &row}) {
        check_three_times(*matrix, on("simt:sm_90", "tiles", {{"run", 1}, {"block", 64}}));
        check_three_times(*matrix, on("simt:sm_90", "tiles_hubs", {{"run", 1}, {"block", 128}}));
    }
}

TEST(TilesProduct, HubsAndWarmColumnsTogether) {
    std::vector<int> lengths;
    for (int row = 0; row < 400; ++row) lengths.push_back(row % 37);
    const Rows matrix(lengths, 6000);
    for (const char* device : {"simt:sm_90", "simt:gfx906"}) {
        check_three_times(matrix, on(device, "tiles_hubs", {{"hubs", 512}, {"warm", 4096}}));
        check_three_times(matrix, on(device, "tiles_hubs", {{"hubs", 0}, {"warm", 4096}}));
    }
}

}  // namespace
}  // namespace spmvgen
