#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "formats/stored_matrix.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

// [ 1 . 2 . ]
// [ . . . . ]
// [ 3 4 . 5 ]
// [ . 6 . . ]
// [ . . . 7 ]
const std::vector<int> row_ptr{0, 2, 2, 5, 6, 7};
const std::vector<int> col_idx{0, 2, 0, 1, 3, 1, 3};
const std::vector<double> numbers{1, 2, 3, 4, 5, 6, 7};

CsrView small() {
    return csr_view<double>(5, 4, row_ptr.data(), col_idx.data(), numbers.data());
}

Signature signature(const std::string& kernel, std::map<std::string, std::int64_t> params = {}) {
    Signature s;
    s.kernel = kernel;
    s.params = std::move(params);
    s.target.arch = "x86-64-v3";
    return complete(s);
}

template <typename T>
std::vector<T> array(const StoredMatrix& m, const char* name, int count) {
    const T* data = static_cast<const T*>(m.arrays.at(name));
    return {data, data + count};
}

std::string refusal(const CsrView& matrix, const Signature& s) {
    try {
        convert(matrix, s, false);
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::invalid_argument);
        return e.what();
    }
    return "accepted";
}

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
    s.value = ValueType::f32;
    EXPECT_EQ(refusal(small(), s), "the matrix holds f64 values but the kernel is for f32");
    CsrView wide = small();
    wide.cols = 3'000'000'000;
    EXPECT_EQ(refusal(wide, signature("csr_rows")),
              "3000000000 columns do not fit index type i32: use index=i64");
    CsrView many = small();
    many.nnz = 3'000'000'000;
    EXPECT_EQ(refusal(many, signature("csr_rows")),
              "3000000000 nonzeros do not fit offset type i32: use offset=i64");
    CsrView tall = small();
    tall.rows = 3'000'000'000;
    EXPECT_EQ(refusal(tall, signature("coo_segmented")),
              "3000000000 rows do not fit index type i32: use index=i64");
}

}  // namespace
}  // namespace spmvgen
