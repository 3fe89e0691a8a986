// Format strips: arrays worked out by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "fixtures.hpp"
#include "format_cases.hpp"
#include "formats/plans/strips_plan.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/spmvgen.hpp"
#include "strips_rows.hpp"

namespace spmvgen {
namespace {

using namespace format_cases;
using namespace strips_rows;
using testing::ElementsAre;
using testing::HasSubstr;
using Bytes = std::vector<unsigned char>;
using Shorts = std::vector<std::uint16_t>;

TEST(Strips, HoldBasesAndDeltas) {
    const StoredMatrix m = convert(small(), strips(), true);
    EXPECT_EQ(m.format, Format::strips);
    EXPECT_EQ(array<int>(m, "slice_ptr", 2), (std::vector<int>{0, 3}));
    // 8 bits, ragged, no strip that all lanes have.
    EXPECT_EQ(array<int>(m, "slice_info", 1), (std::vector<int>{1 + ragged_slice}));
    EXPECT_EQ(array<int>(m, "delta_ptr", 2), (std::vector<int>{0, 3}));
    EXPECT_EQ(array<int>(m, "bases", 3), (std::vector<int>{0, 1, 3}));
    Bytes deltas(3 * 32 + bytes_beyond_deltas, 0);
    deltas[3] = 1;
    deltas[4] = 3;
    deltas[32] = 1;
    EXPECT_EQ(array<unsigned char>(m, "deltas", 3 * 32 + 64), deltas);
    Shorts lengths(32, 0);
    lengths[0] = 2;
    lengths[2] = 3;
    lengths[3] = lengths[4] = 1;
    EXPECT_EQ(array<std::uint16_t>(m, "lengths", 32), lengths);
    std::vector<double> values(96, 0);
    values[0] = 1;
    values[2] = 3;
    values[3] = 6;
    values[4] = 7;
    values[32] = 2;
    values[34] = 4;
    values[66] = 5;
    EXPECT_EQ(array<double>(m, "values", 96), values);
    EXPECT_EQ(m.stored, 96);
    EXPECT_EQ(m.scalars.at("num_slices"), 1);
    EXPECT_EQ(m.scalars.at("num_strips"), 3);
    EXPECT_EQ(m.scalars.at("num_chunks"), 0);
    EXPECT_EQ(m.scalars.at("num_warps"), 1);
}

TEST(Strips, StoreNoDeltasWhereColumnsRiseWithLanes) {
    const Rows diagonals = two_diagonals(40);
    const StoredMatrix m = convert(diagonals.view(), strips({{"codes", 1}, {"ragged", 0}}), true);
    // No rows in lanes 8 … of the second slice do not make it ragged.
    EXPECT_EQ(array<int>(m, "slice_info", 2), (std::vector<int>{2 << 4, 2 << 4}));
    EXPECT_EQ(array<int>(m, "bases", 4), (std::vector<int>{0, 1, 32, 33}));
    EXPECT_EQ(array<int>(m, "delta_ptr", 3), (std::vector<int>{0, 0, 0}));
}

// A CPU's kernel that is made for ragged slices reads lengths of all.
TEST(Strips, HaveLengthsOfAllLanesWhereAKernelReadsThem) {
    const Rows diagonals = two_diagonals(1000);
    const auto bytes_of_lengths = [&](std::int64_t ragged) {
        Signature s;
        s.kernel = "strips_cpu";
        s.target = parse_target("x86-64-v3");
        s.params = {{"ragged", ragged}, {"lanes", 8}};
        const StoredMatrix m = convert(diagonals.view(), complete(s), true);
        const void* const lengths = m.arrays.at("lengths");
        return std::ranges::find(m.owned, lengths, [](const Buffer& b) { return b.data(); })
            ->bytes();
    };
    EXPECT_EQ(bytes_of_lengths(1), 1000 * sizeof(std::uint16_t));
    EXPECT_EQ(bytes_of_lengths(0), sizeof(std::uint16_t)) << "nothing reads them";
}

TEST(Strips, UseTheNarrowestCodeThatIsAllowed) {
    const Rows diagonals = two_diagonals(32);
    const StoredMatrix m = convert(diagonals.view(), strips({{"codes", 12}}), true);
    EXPECT_EQ(array<int>(m, "slice_info", 1), (std::vector<int>{(2 << 4) + 2}));
    const auto deltas = array<std::uint16_t>(m, "deltas", 64);
    for (std::size_t l = 0; l < 32; ++l) {
        EXPECT_EQ(deltas[l], l);
        EXPECT_EQ(deltas[32 + l], l);
    }
    const StoredMatrix wide = convert(diagonals.view(), strips({{"codes", 8}}), true);
    EXPECT_EQ(array<int>(wide, "bases", 2), (std::vector<int>{0, 0}));
    const auto columns = array<std::uint32_t>(wide, "deltas", 64);
    for (std::size_t l = 0; l < 32; ++l) EXPECT_EQ(columns[32 + l], l + 1);
}

TEST(Strips, AreStoredAlikeByALayoutWhoseCodesWereWidened) {
    // Without an entry in lane 0 the start of a diagonal is not its least column.
    std::vector<std::vector<int>> rows{{}};
    for (int i = 1; i < 32; ++i) rows.push_back({i});
    const Rows diagonal{32, rows};
    const Signature s = strips({{"codes", 2}});
    StripsLayout layout = lay_out_strips(diagonal.view(), strips_shape(s), all_strip_codes);
    ASSERT_TRUE(use_codes(layout, 2));
    const StoredMatrix at_once = convert(diagonal.view(), s, true);
    const StoredMatrix by_layout = convert(diagonal.view(), s, true, 0, {}, &layout);
    EXPECT_EQ(array<int>(at_once, "bases", 1), std::vector<int>{1});
    EXPECT_EQ(array<int>(by_layout, "bases", 1), std::vector<int>{1});
    EXPECT_EQ(array<std::uint8_t>(by_layout, "deltas", 32),
              array<std::uint8_t>(at_once, "deltas", 32));
}

/// Three diagonals of 16 rows; of the middle one rows 5 and 6 have no entry.
Rows diagonals_with_holes() {
    std::vector<std::vector<int>> rows;
    for (int i = 0; i < 16; ++i)
        rows.push_back(i == 5 || i == 6 ? std::vector{i, i + 40} : std::vector{i, i + 20, i + 40});
    return {56, rows};
}

Signature strips_cpu(Params params = {}) {
    params.try_emplace("lanes", 16);
    return signature("strips_cpu", std::move(params));
}

TEST(Strips, OfACpuLeaveHolesInDiagonals) {
    const Rows rows = diagonals_with_holes();
    const StoredMatrix m = convert(rows.view(), strips_cpu(), true);
    EXPECT_EQ(array<int>(m, "slice_info", 1), (std::vector<int>{(3 << 4) + filled_slice}));
    EXPECT_EQ(array<int>(m, "bases", 3), (std::vector<int>{0, 20, 40}));
    Bytes masks(48, 1);
    masks[16 + 5] = masks[16 + 6] = 0;
    EXPECT_EQ(array<unsigned char>(m, "deltas", 48), masks);
    const auto values = array<double>(m, "values", 48);
    EXPECT_EQ(values[16 + 5], 0);
    EXPECT_EQ(values[5], rows.values[15]);
    EXPECT_EQ(values[32 + 5], rows.values[16]);
    EXPECT_EQ(values[32 + 15], rows.values.back());

    const StoredMatrix whole = convert(rows.view(), strips_cpu({{"fill", 0}}), true);
    EXPECT_EQ(array<int>(whole, "slice_info", 1)[0] & 7, 1 + ragged_slice) << "8 bits, ragged";
    EXPECT_EQ(array<int>(convert(rows.view(), strips_cpu({{"codes", 2}}), true), "slice_info", 1),
              array<int>(whole, "slice_info", 1))
        << "no code for it";
    const StripsPlan plan = plan_strips(rows.view(), strips_cpu());
    EXPECT_EQ(plan.hole_mask_bytes, 48);
    EXPECT_EQ(plan.strips_of_code, (std::array<std::int64_t, 4>{3, 0, 0, 0}));
    EXPECT_EQ(plan_strips(rows.view(), strips_cpu({{"fill", 0}})).hole_mask_bytes, 0);
}

TEST(Strips, HaveHolesInSomeOfManySlices) {
    // Of 70 slices with two diagonals each the fourth, the 65th and the 66th have one more between
    // them, which some lanes lack: as many slices as are looked at together are 64.
    const int lanes = 16, slices = 70;
    const auto middle = [](int slice) {
        return slice == 3 ? 5 : slice == 64 || slice == 65 ? slice - 56 : 0;
    };
    std::vector<std::vector<int>> rows;
    std::vector<int> bases;
    for (int slice = 0; slice < slices; ++slice) {
        bases.push_back(slice * lanes);
        if (middle(slice) > 0) bases.push_back(slice * lanes + middle(slice));
        bases.push_back(slice * lanes + 20);
        for (int lane = 0; lane < lanes; ++lane) {
            const int row = slice * lanes + lane;
            rows.push_back({row});
            if (middle(slice) > 0 && lane % 4 != 1) rows.back().push_back(row + middle(slice));
            rows.back().push_back(row + 20);
        }
    }
    const Rows matrix(slices * lanes + 20, rows);
    const StoredMatrix m = convert(matrix.view(), strips_cpu(), true);
    EXPECT_EQ(array<int>(m, "bases", bases.size()), bases);
    const auto info = array<int>(m, "slice_info", slices);
    const auto ends = array<int>(m, "slice_ptr", slices + 1);
    const auto values = array<double>(m, "values", bases.size() * lanes);
    for (int slice = 0; slice < slices; ++slice) {
        const auto s = static_cast<std::size_t>(slice);
        ASSERT_EQ((info[s] & filled_slice) != 0, middle(slice) > 0) << slice;
        if (middle(slice) == 0) continue;
        const auto first = (static_cast<std::size_t>(ends[s]) + 1) * lanes;
        for (std::size_t lane = 0; lane < lanes; ++lane)
            EXPECT_EQ(values[first + lane],
                      lane % 4 == 1 ? 0 : matrix.row_ptr[s * lanes + lane] + 2)
                << slice << " " << lane;
    }
}

TEST(Strips, OfAGpuLeaveHolesWhereALaneHasARow) {
    std::vector<std::vector<int>> lists;
    for (int i = 0; i < 32; ++i)
        lists.push_back(i == 5 ? std::vector{i, i + 80} : std::vector{i, i + 40, i + 80});
    const Rows rows(112, lists);
    EXPECT_EQ(plan_strips(rows.view(), strips()).hole_mask_bytes, 96);
    EXPECT_EQ(plan_strips(rows.view(), strips({{"fill", 0}})).hole_mask_bytes, 0);
    EXPECT_EQ(plan_strips(rows.view(), strips({{"threads_per_row", 2}})).hole_mask_bytes, 0);
}

/// Rows of eight entries. `shared` diagonals have an entry in each row, the others in every second.
Rows taking_turns(int shared) {
    std::vector<std::vector<int>> rows;
    for (int i = 0; i < 32; ++i) {
        std::vector<int> columns;
        for (int d = 0; d < shared; ++d) columns.push_back(i + 2 * d);
        for (int d = shared; d < 8; ++d) columns.push_back(i + 4 * d + 2 * (i % 2));
        rows.push_back(columns);
    }
    return {64, rows};
}

// 12 diagonals in the place of 8 strips with deltas of 8 bits take more bytes in f64, and 14 more
// than single loads of x are worth. Coded values take fewer bytes, but have to be decoded.
TEST(Strips, OfACpuLeaveMoreHolesForXIsLoadedInVectors) {
    const auto holes = [](const Rows& rows, const Signature& s) {
        return plan_strips(rows.view(), s).hole_mask_bytes > 0;
    };
    EXPECT_TRUE(holes(taking_turns(4), strips_cpu()));
    EXPECT_FALSE(holes(taking_turns(2), strips_cpu()));
    EXPECT_FALSE(holes(taking_turns(4), strips()));
    for (const int code : {1, 3}) {
        EXPECT_TRUE(holes(taking_turns(2), strips_cpu({{"value_code", code}}))) << code;
        EXPECT_FALSE(holes(taking_turns(0), strips_cpu({{"value_code", code}}))) << code;
        EXPECT_FALSE(holes(taking_turns(4), strips({{"value_code", code}}))) << code;
    }
}

TEST(Strips, HaveNoHolesWhereTheyDoNotFit) {
    const auto has_holes = [](const Rows& rows) {
        return plan_strips(rows.view(), strips_cpu()).hole_mask_bytes > 0;
    };
    const Rows rows = diagonals_with_holes();
    EXPECT_TRUE(has_holes(rows));
    Rows other = rows;
    std::swap(other.col_idx[0], other.col_idx[1]);
    EXPECT_FALSE(has_holes(other)) << "columns that do not rise";
    other = rows;
    other.col_idx[1] = other.col_idx[0];
    EXPECT_FALSE(has_holes(other)) << "the same column twice";
    other = rows;
    --other.row_ptr.back();
    other.cols = 55;
    EXPECT_FALSE(has_holes(other)) << "a diagonal that ends within the slice";
    other = rows;
    for (int& column : other.col_idx) column = other.cols - 1 - column;
    EXPECT_FALSE(has_holes(other)) << "falling";
    other = rows;
    other.row_ptr.pop_back();
    EXPECT_FALSE(has_holes(other)) << "a lane without a row";
    // Eleven diagonals of one entry each would be wider than rows with deltas of 8 bits.
    std::vector<std::vector<int>> scattered;
    for (int i = 0; i < 16; ++i) scattered.push_back({i, i + 20 + i * i % 11});
    EXPECT_FALSE(has_holes({60, scattered}));
}

TEST(Strips, SortRowsInWindows) {
    std::vector<std::vector<int>> rows(70);
    rows[3] = {0};
    rows[5] = {0, 1};
    rows[66] = {2};
    const Rows matrix(3, rows);
    const StoredMatrix m = convert(matrix.view(), strips({{"sigma", 64}}), true);
    const auto places = array<std::uint16_t>(m, "places", 70);
    EXPECT_EQ(Shorts(places.begin(), places.begin() + 7), (Shorts{5, 3, 0, 1, 2, 4, 6}));
    EXPECT_EQ(places[63], 63);
    EXPECT_EQ(Shorts(places.begin() + 64, places.end()), (Shorts{2, 0, 1, 3, 4, 5}));
    EXPECT_EQ(array<int>(m, "slice_ptr", 4), (std::vector<int>{0, 2, 2, 3}));
}

TEST(Strips, GiveNeighbouringEntriesToTheLanesOfARow) {
    const Rows matrix(9, {{0, 1, 2}, {8}});
    const StoredMatrix m = convert(matrix.view(), strips({{"threads_per_row", 2}}), true);
    EXPECT_EQ(array<int>(m, "slice_ptr", 2), (std::vector<int>{0, 2}));
    const auto lengths = array<std::uint16_t>(m, "lengths", 32);
    EXPECT_EQ(Shorts(lengths.begin(), lengths.begin() + 4), (Shorts{2, 1, 1, 0}));
    const auto values = array<double>(m, "values", 64);
    EXPECT_EQ(values[0], 1);
    EXPECT_EQ(values[1], 2);
    EXPECT_EQ(values[32], 3);
    EXPECT_EQ(values[2], 4);
}

TEST(Strips, MaskWhatABlockHasNot) {
    // 3×3 in blocks of 2×2: the last block row has one row, the last block column one column.
    const Rows matrix(3, {{0, 1}, {1, 2}, {2}});
    const StoredMatrix m =
        convert(matrix.view(), strips({{"block_rows", 2}, {"block_cols", 2}}), true);
    EXPECT_EQ(array<int>(m, "slice_ptr", 2), (std::vector<int>{0, 2}));
    // Block row 0 has two blocks, block row 1 one. Strip 0 has the block columns 0 and 1: affine.
    EXPECT_EQ(array<int>(m, "slice_info", 1),
              (std::vector<int>{(1 << 4) + filled_slice + ragged_slice}));
    EXPECT_EQ(array<int>(m, "bases", 2), (std::vector<int>{0, 1}));
    EXPECT_EQ(array<int>(m, "delta_ptr", 2), (std::vector<int>{0, 2}));
    const Bytes masks = array<unsigned char>(m, "deltas", 64);
    EXPECT_EQ(masks[0], 1 + 2 + 8);
    EXPECT_EQ(masks[1], 1);
    EXPECT_EQ(masks[32], 4);
    const auto values = array<double>(m, "values", 2 * 4 * 32);
    EXPECT_THAT((std::array{values[0], values[32], values[64], values[96]}),
                ElementsAre(1, 2, 0, 3));
    EXPECT_THAT((std::array{values[1], values[33], values[65], values[97]}),
                ElementsAre(5, 0, 0, 0));
    EXPECT_EQ(values[128 + 64], 4);
}

TEST(Strips, OfBlocksTakeColumnsInAnyOrder) {
    // Of columns so far apart no number is kept for each block column.
    const int far = 10'000'000;
    const Rows matrix(far + 2, {{far, 1, 0}, {far + 1, 4}});
    const StoredMatrix m =
        convert(matrix.view(), strips({{"block_rows", 2}, {"block_cols", 2}}), true);
    EXPECT_EQ(array<int>(m, "slice_ptr", 2), (std::vector<int>{0, 3}));
    const auto values = array<double>(m, "values", 3 * 4 * 32);
    const auto block = [&](std::size_t strip) {
        const std::size_t first = strip * 4 * 32;
        return std::array{values[first], values[first + 32], values[first + 64],
                          values[first + 96]};
    };
    EXPECT_THAT(block(0), ElementsAre(3, 2, 0, 0));
    EXPECT_THAT(block(1), ElementsAre(0, 0, 5, 0));
    EXPECT_THAT(block(2), ElementsAre(1, 0, 0, 4));
}

TEST(Strips, CutLongRowsIntoChunks) {
    std::vector<int> all(1100);
    for (int k = 0; k < 1100; ++k) all[static_cast<std::size_t>(k)] = k;
    const Rows matrix(1100, {{7}, all, {8}});
    const StoredMatrix m = convert(matrix.view(), strips({{"long_from", 32}}), true);
    EXPECT_EQ(array<int>(m, "slice_ptr", 2), (std::vector<int>{0, 1}));
    const auto lengths = array<std::uint16_t>(m, "lengths", 32);
    EXPECT_EQ(Shorts(lengths.begin(), lengths.begin() + 4), (Shorts{1, length_of_long, 1, 0}));
    EXPECT_EQ(array<int>(m, "slice_info", 1)[0] & ragged_slice, ragged_slice);
    EXPECT_EQ(array<int>(m, "long_row", 1), (std::vector<int>{1}));
    EXPECT_EQ(array<int>(m, "long_ptr", 2), (std::vector<int>{0, 1100}));
    EXPECT_EQ(array<int>(m, "chunk_ptr", 2), (std::vector<int>{0, 2}));
    EXPECT_EQ(array<int>(m, "chunk_row", 2), (std::vector<int>{0, 0}));
    EXPECT_EQ(array<int>(m, "long_col", 1100), all);
    EXPECT_EQ(m.scalars.at("long_begin"), 32);
    EXPECT_EQ(array<double>(m, "values", 32 + 1100)[32], 2);
    EXPECT_EQ(array<double>(m, "values", 32 + 1100)[1131], 1101);
    EXPECT_EQ(m.scalars.at("num_chunks"), 2);
    EXPECT_EQ(m.scalars.at("num_warps"), 3);
}

TEST(Strips, RefuseWhatDoesNotFitTheMatrix) {
    const Rows matrix(70000, {{0, 5}, {69999}});
    EXPECT_EQ(refusal(matrix.view(), strips({{"codes", 7}})),
              "slice 0 of format strips needs deltas of 32 bits, which codes=7 has not: use "
              "codes=15");
    EXPECT_EQ(refusal(matrix.view(), strips({{"ragged", 0}})),
              "ragged=0, but the matrix has slices with rows of different lengths in format "
              "strips: use ragged=1");
    EXPECT_EQ(refusal(matrix.view(), strips({{"block_rows", 2}, {"fill", 0}})),
              "fill=0, but the matrix has blocks with elements that are not stored in format "
              "strips: use fill=1");
    const Rows row(1, {std::vector<int>(65535, 0)});
    EXPECT_EQ(refusal(row.view(), strips({{"long_rows", 0}})),
              "row 0 (counted from 0) has more than 65534 strips: use long_rows=1");
}

TEST(Strips, TakeNoMoreThanTheirShareOfMemory) {
    // Every 32nd of 6400 rows has 200 entries, the others one: 42,600 entries in slices of 200.
    std::vector<std::vector<int>> rows(6400, std::vector<int>{0});
    for (std::size_t row = 0; row < rows.size(); row += 32) rows[row].assign(200, 1);
    const Rows matrix(2, rows);
    const std::string message = refusal(matrix.view(), strips());
    EXPECT_THAT(message, HasSubstr("format strips would store 1280000 entries for 46200 nonzeros"));
    EXPECT_THAT(message, HasSubstr("of CSR, more than the 1.2 times that it may take; use another "
                                   "sigma or threads_per_row, csr or tiles, or allow it with "
                                   "options.memory_limit"));
    EXPECT_EQ(convert(matrix.view(), strips(), true, 1 << 30).stored, 1280000);
    EXPECT_EQ(convert(matrix.view(), strips({{"long_from", 128}}), true).stored, 200 * 32 + 40000);
}

TEST(Strips, TakeNewValuesWithoutColumns) {
    const CsrMatrix matrix = make_gallery_matrix("powerlaw:n=300,max_row=60");
    CsrView without = matrix.view();
    without.col_idx = nullptr;
    for (auto& s : {strips({{"long_from", 32}, {"sigma", 64}}), strips({{"threads_per_row", 4}})}) {
        const StoredMatrix all = convert(matrix.view(), s, true);
        const StoredMatrix values = convert(without, s, true);
        EXPECT_EQ(all.stored, values.stored);
        const int count = static_cast<int>(all.stored);
        EXPECT_EQ(array<double>(all, "values", count), array<double>(values, "values", count));
    }
}

/// Matrices of every kind that the parameters tell apart.
}  // namespace
}  // namespace spmvgen
