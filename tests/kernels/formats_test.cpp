#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "format_cases.hpp"

namespace spmvgen {
namespace {

using namespace format_cases;

TEST(Csr, BorrowsArraysOfTheRightTypes) {
    const StoredMatrix m = convert(small(), signature("csr_rows"), true);
    EXPECT_EQ(m.arrays.at("row_ptr"), row_ptr.data());
    EXPECT_EQ(m.arrays.at("col_idx"), col_idx.data());
    EXPECT_EQ(m.arrays.at("values"), numbers.data());
    EXPECT_TRUE(m.owned.empty());
    EXPECT_EQ(m.scalars.at("num_rows"), 5);
    EXPECT_EQ(m.scalars.at("num_cols"), 4);
    EXPECT_EQ(m.scalars.at("nnz"), 7);
    EXPECT_EQ(m.stored, 7);
    EXPECT_EQ(m.bytes, 7 * (8 + 4) + 6 * 4);
}

TEST(Csr, CopiesWhenNotBorrowed) {
    const StoredMatrix m = convert(small(), signature("csr_rows"), false);
    EXPECT_NE(m.arrays.at("values"), numbers.data());
    EXPECT_EQ(array<int>(m, "row_ptr", 6), row_ptr);
    EXPECT_EQ(array<int>(m, "col_idx", 7), col_idx);
    EXPECT_EQ(array<double>(m, "values", 7), numbers);
}

TEST(Csr, ConvertsOnlyTheArrayWhoseTypeDiffers) {
    Signature s = signature("csr_rows");
    s.offset = IndexType::i64;
    const StoredMatrix m = convert(small(), s, true);
    EXPECT_EQ(array<std::int64_t>(m, "row_ptr", 6), (std::vector<std::int64_t>{0, 2, 2, 5, 6, 7}));
    EXPECT_EQ(m.arrays.at("col_idx"), col_idx.data());
}

TEST(Csr, NoRowsStillGiveOneOffset) {
    const StoredMatrix m = convert(csr_view<double, int, int>(0, 4, nullptr, nullptr, nullptr),
                                   signature("csr_rows"), true);
    EXPECT_EQ(array<int>(m, "row_ptr", 1), (std::vector<int>{0}));
}

TEST(Csr, SaysWhereTheChunksOfAWarpBegin) {
    // 100 rows of 1 entry, 3 without, one of 400, one without: chunks of 128.
    std::vector<int> offsets;
    for (int row = 0; row <= 100; ++row) offsets.push_back(row);
    offsets.insert(offsets.end(), {100, 100, 100, 500, 500});
    const std::vector<int> columns(500, 0);
    const std::vector<double> values(500, 1.0);
    const auto view =
        csr_view<double, int, int>(105, 1, offsets.data(), columns.data(), values.data());
    Signature s;
    s.kernel = "csr_load_balance";
    s.params["entries"] = 4;
    s.target = parse_target("sm_90");
    s = complete(s);
    StoredMatrix m = convert(view, s, true);
    EXPECT_EQ(array<int>(m, "warp_row", 5), (std::vector<int>{0, 103, 103, 103, 105}));
    EXPECT_EQ(m.scalars.at("path_steps"), 605);
    s.target = parse_target("gfx906");
    EXPECT_EQ(array<int>(convert(view, s, true), "warp_row", 3), (std::vector<int>{0, 103, 105}));
    const auto none = csr_view<double, int, int>(0, 1, nullptr, nullptr, nullptr);
    EXPECT_EQ(array<int>(convert(none, s, true), "warp_row", 2), (std::vector<int>{0, 0}));
}

TEST(Csr, ListsMiddleRowsAndPartsOfLongOnes) {
    // Rows of 8, 9, 64, 65, 0, 767 and 1024 entries: one part, one, and two.
    std::vector<int> offsets{0};
    for (const int length : {8, 9, 64, 65, 0, 767, 1024})
        offsets.push_back(offsets.back() + length);
    const std::vector<int> columns(static_cast<std::size_t>(offsets.back()), 0);
    const std::vector<double> values(columns.size(), 1.0);
    const auto view =
        csr_view<double, int, int>(7, 1, offsets.data(), columns.data(), values.data());
    Signature s;
    s.kernel = "csr_by_length";
    s.params = {{"most_short", 8}, {"most_middle", 64}, {"share", 512}, {"block", 64}};
    s.target = parse_target("sm_90");
    s = complete(s);
    const StoredMatrix m = convert(view, s, true);
    EXPECT_EQ(m.scalars.at("num_middle"), 2);
    EXPECT_EQ(array<int>(m, "middle_row", 2), (std::vector<int>{1, 2}));
    EXPECT_EQ(array<int>(m, "middle_begin", 2), (std::vector<int>{8, 17}));
    EXPECT_EQ(array<int>(m, "middle_end", 2), (std::vector<int>{17, 81}));
    EXPECT_EQ(m.scalars.at("num_parts"), 4);
    EXPECT_EQ(array<int>(m, "part_row", 4), (std::vector<int>{3, 5, 6, 6}));
    EXPECT_EQ(array<int>(m, "part_first", 4), (std::vector<int>{0, 1, 2, 2}));
    EXPECT_EQ(array<int>(m, "part_last", 4), (std::vector<int>{0, 1, 3, 3}));
    EXPECT_EQ(array<int>(m, "part_begin", 4), (std::vector<int>{81, 146, 913, 1425}));
    EXPECT_EQ(array<int>(m, "part_end", 4), (std::vector<int>{146, 913, 1425, 1937}));
    EXPECT_EQ(m.scalars.at("grid_blocks"), 4 + 1 + 1);
    // A row of 768 entries has two parts of 384, one of 20 · 512 + 1 has 18 of 544 and the rest.
    offsets = {0, 768, 768 + 20 * 512 + 1};
    const std::vector<int> longer(static_cast<std::size_t>(offsets.back()), 0);
    const std::vector<double> ones(longer.size(), 1.0);
    const StoredMatrix cut = convert(
        csr_view<double, int, int>(2, 1, offsets.data(), longer.data(), ones.data()), s, true);
    const auto begin = array<int>(cut, "part_begin", 2 + 19), end = array<int>(cut, "part_end", 21);
    ASSERT_EQ(cut.scalars.at("num_parts"), 2 + 19);
    EXPECT_EQ(begin[1], 384);
    EXPECT_EQ(begin[3], 768 + 544);
    EXPECT_EQ(begin[20], 768 + 18 * 544);
    EXPECT_EQ(end[20], offsets.back());
    const auto none = csr_view<double, int, int>(0, 1, nullptr, nullptr, nullptr);
    EXPECT_EQ(convert(none, s, true).scalars.at("grid_blocks"), 0);
}

TEST(CsrK, GroupsRowsAndSuperRows) {
    const StoredMatrix m =
        convert(small(), signature("csr_k_blocks", {{"srs", 2}, {"ssrs", 2}}), true);
    EXPECT_EQ(m.format, Format::csr_k);
    EXPECT_EQ(array<int>(m, "sr_ptr", 4), (std::vector<int>{0, 2, 4, 5}));
    EXPECT_EQ(array<int>(m, "ssr_ptr", 3), (std::vector<int>{0, 2, 3}));
    EXPECT_EQ(m.scalars.at("num_sr"), 3);
    EXPECT_EQ(m.scalars.at("num_ssr"), 2);
    EXPECT_EQ(m.scalars.at("num_rows"), 5);
    EXPECT_EQ(m.stored, 7);
    EXPECT_EQ(m.bytes, 7 * (8 + 4) + 6 * 4 + 4 * 4 + 3 * 4);
}

TEST(CsrK, UsesTheArraysOfCsrAsTheyAre) {
    const StoredMatrix m = convert(small(), signature("csr_k_rows", {{"srs", 5}}), true);
    EXPECT_EQ(m.arrays.at("row_ptr"), row_ptr.data());
    EXPECT_EQ(m.arrays.at("col_idx"), col_idx.data());
    EXPECT_EQ(m.arrays.at("values"), numbers.data());
    EXPECT_EQ(array<int>(m, "sr_ptr", 2), (std::vector<int>{0, 5}));
    EXPECT_EQ(m.arrays.count("ssr_ptr"), 0U);  // k = 2
    EXPECT_EQ(m.bytes, 7 * (8 + 4) + 6 * 4 + 2 * 4);
    const StoredMatrix own = convert(small(), signature("csr_k_rows", {{"k", 3}}), false);
    EXPECT_NE(own.arrays.at("values"), numbers.data());
    EXPECT_EQ(array<int>(own, "ssr_ptr", 2), (std::vector<int>{0, 1}));
}

TEST(CsrK, NumbersGroupsInTheTypeOfColumns) {
    Signature s = signature("csr_k_blocks", {{"srs", 3}, {"ssrs", 1}});
    s.index = IndexType::i64;
    const StoredMatrix m = convert(small(), s, true);
    EXPECT_EQ(array<std::int64_t>(m, "sr_ptr", 3), (std::vector<std::int64_t>{0, 3, 5}));
    EXPECT_EQ(array<std::int64_t>(m, "ssr_ptr", 3), (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(CsrK, NoRowsAreOneEmptyGroup) {
    const StoredMatrix m = convert(csr_view<double, int, int>(0, 4, nullptr, nullptr, nullptr),
                                   signature("csr_k_blocks"), true);
    EXPECT_EQ(array<int>(m, "sr_ptr", 2), (std::vector<int>{0, 0}));
    EXPECT_EQ(array<int>(m, "ssr_ptr", 2), (std::vector<int>{0, 1}));
}

TEST(Coo, HoldsTheRowOfEveryEntry) {
    const StoredMatrix m = convert(small(), signature("coo_segmented"), true);
    EXPECT_EQ(array<int>(m, "row_idx", 7), (std::vector<int>{0, 0, 2, 2, 2, 3, 4}));
    EXPECT_EQ(array<int>(m, "col_idx", 7), col_idx);
    EXPECT_EQ(array<double>(m, "values", 7), numbers);
    EXPECT_EQ(m.arrays.count("row_ptr"), 0U);
    EXPECT_EQ(m.bytes, 7 * (8 + 2 * 4));
}

TEST(Ell, PadsColumnsToWholeBlocks) {
    const StoredMatrix m = convert(small(), signature("ell", {{"lanes", 2}, {"unroll", 1}}), true);
    EXPECT_EQ(m.scalars.at("stride"), 6);
    EXPECT_EQ(m.scalars.at("width"), 3);
    EXPECT_EQ(array<int>(m, "col_idx", 18),
              (std::vector<int>{0, -1, 0, 1, 3, -1, 2, -1, 1, -1, -1, -1, -1, -1, 3, -1, -1, -1}));
    EXPECT_EQ(array<double>(m, "values", 18),
              (std::vector<double>{1, 0, 3, 6, 7, 0, 2, 0, 4, 0, 0, 0, 0, 0, 5, 0, 0, 0}));
    EXPECT_EQ(array<int>(m, "block_full", 3), (std::vector<int>{0, 1, 0}));
    EXPECT_EQ(array<int>(m, "block_width", 3), (std::vector<int>{2, 3, 1}));
    EXPECT_EQ(m.stored, 18);
    EXPECT_EQ(m.bytes, (2 + 3 + 1) * 2 * (8 + 4) + 2 * 3 * 4);
}

TEST(Sell, SlicesAreAsWideAsTheirLongestRow) {
    const StoredMatrix m =
        convert(small(), signature("sell", {{"lanes", 2}, {"unroll", 1}, {"sigma", 1}}), true);
    EXPECT_EQ(m.scalars.at("num_slices"), 3);
    EXPECT_EQ(array<int>(m, "slice_ptr", 4), (std::vector<int>{0, 2, 5, 6}));
    EXPECT_EQ(array<int>(m, "slice_full", 3), (std::vector<int>{0, 1, 0}));
    EXPECT_EQ(array<int>(m, "col_idx", 12),
              (std::vector<int>{0, -1, 2, -1, 0, 1, 1, -1, 3, -1, 3, -1}));
    EXPECT_EQ(array<double>(m, "values", 12),
              (std::vector<double>{1, 0, 2, 0, 3, 6, 4, 0, 5, 0, 7, 0}));
    EXPECT_EQ(m.stored, 12);
    EXPECT_EQ(m.bytes, 12 * (8 + 4) + (4 + 3) * 4);
}

TEST(Sell, SortsRowsByFallingLengthAndKeepsTheirOrderAmongEquals) {
    const StoredMatrix m =
        convert(small(), signature("sell", {{"lanes", 2}, {"unroll", 1}, {"sigma", 64}}), true);
    EXPECT_EQ(array<int>(m, "row_order", 5), (std::vector<int>{2, 0, 3, 4, 1}));
    EXPECT_EQ(array<int>(m, "slice_ptr", 4), (std::vector<int>{0, 3, 4, 4}));
    EXPECT_EQ(array<int>(m, "slice_full", 3), (std::vector<int>{2, 1, 0}));
    EXPECT_EQ(array<int>(m, "col_idx", 8), (std::vector<int>{0, 0, 1, 2, 3, -1, 1, 3}));
    EXPECT_EQ(m.stored, 8);
}

TEST(Dia, CutsDiagonalsWhereTheyHaveHoles) {
    const StoredMatrix m = convert(small(), signature("dia_cpu", {{"tile", 64}}), true);
    EXPECT_EQ(array<int>(m, "tile_ptr", 2), (std::vector<int>{0, 6}));
    EXPECT_EQ(array<int>(m, "piece_offset", 6), (std::vector<int>{-2, -1, -1, 0, 1, 2}));
    // First row, and 65536 times the row behind the last.
    EXPECT_EQ(array<int>(m, "piece_rows", 6),
              (std::vector<int>{0x40002, 0x30002, 0x50004, 0x10000, 0x30002, 0x10000}));
    EXPECT_EQ(array<int>(m, "piece_begin", 6), (std::vector<int>{0, 2, 3, 4, 5, 6}));
    EXPECT_EQ(array<double>(m, "values", 8), (std::vector<double>{3, 6, 4, 7, 1, 5, 2, 0}));
    EXPECT_EQ(m.stored, 32);
    EXPECT_EQ(m.bytes, 7 * 8 + 6 * (4 + 4 + 4) + 2 * 4);
}

TEST(Dia, LongPiecesBeginWhereAWarpLoadsWholeSectors) {
    // Three diagonals of 100 rows.
    std::vector<int> offsets{0}, columns;
    for (int row = 0; row < 100; ++row) {
        for (int col = std::max(row - 1, 0); col < std::min(row + 2, 100); ++col)
            columns.push_back(col);
        offsets.push_back(static_cast<int>(columns.size()));
    }
    const std::vector<double> values(columns.size(), 1.0);
    const auto view =
        csr_view<double, int, int>(100, 100, offsets.data(), columns.data(), values.data());
    const StoredMatrix m = convert(view, signature("dia", {{"block", 64}}), true);
    EXPECT_EQ(array<int>(m, "tile_ptr", 3), (std::vector<int>{0, 3, 6}));
    EXPECT_EQ(array<int>(m, "piece_offset", 6), (std::vector<int>{-1, 0, 1, -1, 0, 1}));
    EXPECT_EQ(array<int>(m, "piece_begin", 6), (std::vector<int>{1, 64, 128, 192, 256, 320}));
    EXPECT_EQ(m.stored, 384);
    EXPECT_EQ(m.bytes, 298 * 8 + 6 * (4 + 4 + 4) + 3 * 4);
}

TEST(Dia, EntriesThatStandTwiceAreInTwoPieces) {
    const std::vector<int> offsets{0, 3, 5}, columns{1, 0, 1, 1, 1};
    const std::vector<double> values{1, 2, 3, 4, 5};
    const auto view =
        csr_view<double, int, int>(2, 2, offsets.data(), columns.data(), values.data());
    const StoredMatrix m = convert(view, signature("dia_cpu"), true);
    EXPECT_EQ(array<int>(m, "piece_offset", 4), (std::vector<int>{0, 0, 1, 1}));
    EXPECT_EQ(array<int>(m, "piece_rows", 4),
              (std::vector<int>{0x20000, 0x20001, 0x10000, 0x10000}));
    EXPECT_EQ(array<double>(m, "values", 5), (std::vector<double>{2, 4, 5, 1, 3}));
}

TEST(Dia, TakesNoMoreThanTheMemoryLimit) {
    const Signature s = signature("dia_cpu");
    try {
        convert(small(), s, false, 300);
        FAIL() << "accepted";
    } catch (const TooLarge& e) {
        EXPECT_EQ(e.why(),
                  "format dia would take at least 336 bytes, more than options.memory_limit, 300 "
                  "bytes");
    }
    EXPECT_EQ(convert(small(), s, false, 336).stored, 32);
}

/// One row of `length` entries in column 0 and 99999 rows without.
struct Lopsided {
    explicit Lopsided(int length)
        : offsets(100001, length),
          columns(static_cast<std::size_t>(length), 0),
          values(static_cast<std::size_t>(length), 1) {
        offsets[0] = 0;
    }
    CsrView view() const {
        return csr_view<double>(100000, 1, offsets.data(), columns.data(), values.data());
    }
    std::vector<int> offsets, columns;
    std::vector<double> values;
};

TEST(Padding, MoreThanTheMachinesMemoryIsRefusedWithItsRatio) {
    EXPECT_THAT(
        refusal(Lopsided(200000).view(), signature("ell", {{"lanes", 4}})),
        testing::MatchesRegex(
            "format ell would store 20000000000 entries for 200000 nonzeros \\(100000.0 times "
            "as many\\): 223.5 GiB, more than half of the [0-9.]+ GiB that this machine has "
            "free; use csr or coo"));
    EXPECT_EQ(refusal(Lopsided(1).view(), signature("ell", {{"lanes", 4}})), "accepted");
    EXPECT_EQ(refusal(Lopsided(200000).view(),
                      signature("sell", {{"lanes", 16}, {"unroll", 1}, {"sigma", 1}})),
              "accepted");
}

TEST(Types, AreChecked) {
    Signature s = signature("csr_rows");
    s.value = ValueType::c64;
    EXPECT_EQ(refusal(small(), s), "the matrix holds f64 values but the kernel is for c64");
    const std::vector<float> floats(numbers.begin(), numbers.end());
    EXPECT_EQ(refusal(csr_view<float>(5, 4, row_ptr.data(), col_idx.data(), floats.data()),
                      signature("csr_rows")),
              "the matrix holds f32 values but the kernel is for f64");
    CsrView wide = small();
    wide.cols = 3'000'000'000;
    EXPECT_EQ(refusal(wide, signature("csr_rows")),
              "3000000000 columns do not fit the kernel's index type, i32: give the matrix with "
              "64-bit columns");
    CsrView many = small();
    many.nnz = 3'000'000'000;
    EXPECT_EQ(refusal(many, signature("csr_rows")),
              "3000000000 nonzeros do not fit the kernel's offset type, i32: give the matrix with "
              "64-bit row offsets");
    CsrView tall = small();
    tall.rows = 3'000'000'000;
    EXPECT_EQ(refusal(tall, signature("coo_segmented")),
              "3000000000 rows do not fit the kernel's index type, i32: give the matrix with "
              "64-bit columns");
}

}  // namespace
}  // namespace spmvgen
