// ELL, SELL and HYB as kernels of GPUs read them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures.hpp"
#include "format_cases.hpp"

namespace spmvgen {
namespace {

using namespace format_cases;

/// The first `count` elements of each column of `stride` elements.
template <typename T>
std::vector<T> heads(const StoredMatrix& m, const char* name, int columns, int stride, int count) {
    const auto all = array<T>(m, name, columns * stride);
    std::vector<T> heads;
    for (int c = 0; c < columns; ++c)
        for (int i = 0; i < stride; ++i)
            if (i < count)
                heads.push_back(all[static_cast<std::size_t>(c * stride + i)]);
            else
                EXPECT_EQ(all[static_cast<std::size_t>(c * stride + i)], name[0] == 'c' ? -1 : 0);
    return heads;
}

TEST(GpuEll, ColumnsBeginAtMultiplesOf32) {
    const StoredMatrix m = convert(small(), signature("ell_groups"), true);
    EXPECT_EQ(m.scalars.at("stride"), 32);
    EXPECT_EQ(m.scalars.at("width"), 3);
    EXPECT_EQ(heads<int>(m, "col_idx", 3, 32, 5),
              (std::vector<int>{0, -1, 0, 1, 3, 2, -1, 1, -1, -1, -1, -1, 3, -1, -1}));
    EXPECT_EQ(heads<double>(m, "values", 3, 32, 5),
              (std::vector<double>{1, 0, 3, 6, 7, 2, 0, 4, 0, 0, 0, 0, 5, 0, 0}));
    EXPECT_EQ(m.arrays.count("block_full"), 0U) << "CPUs only";
    EXPECT_EQ(m.stored, 96);
    EXPECT_EQ(m.bytes, 96 * (8 + 4));
}

TEST(GpuEll, CountsTheBlocksThatShareRows) {
    const auto parts = [](std::int64_t groups, std::int64_t blocks) {
        const Signature s = signature(
            "ell_groups", {{"block", 128}, {"groups", groups}, {"blocks_per_row", blocks}});
        return convert(small(), s, true).scalars.at("num_parts");
    };
    EXPECT_EQ(parts(1, 1), 1);
    EXPECT_EQ(parts(16, 4), 4) << "8 rows a block";
    Lopsided tall(1);
    const Signature s =
        signature("ell_groups", {{"block", 128}, {"groups", 4}, {"blocks_per_row", 2}});
    EXPECT_EQ(convert(tall.view(), s, true).scalars.at("num_parts"), 100000 / 32 * 2);
}

TEST(GpuEll, ChunksHoldNeighbouringEntriesOfARow) {
    const StoredMatrix m = convert(small(), signature("ell_shuffle", {{"group", 2}}), true);
    EXPECT_EQ(m.scalars.at("width"), 4) << "a multiple of the group";
    EXPECT_EQ(heads<int>(m, "col_idx", 2, 64, 10),
              (std::vector<int>{0,  2,  -1, -1, 0, 1,  1,  -1, 3,  -1,  // entries 0 and 1
                                -1, -1, -1, -1, 3, -1, -1, -1, -1, -1}));
    EXPECT_EQ(heads<double>(m, "values", 2, 64, 10),
              (std::vector<double>{1, 2, 0, 0, 3, 4, 6, 0, 7, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0}));
}

TEST(GpuSell, SlicesOf32Rows) {
    const StoredMatrix m = convert(small(), signature("sell_slices"), true);
    EXPECT_EQ(m.scalars.at("num_slices"), 1);
    EXPECT_EQ(array<int>(m, "slice_ptr", 2), (std::vector<int>{0, 3}));
    EXPECT_EQ(heads<int>(m, "col_idx", 3, 32, 5),
              (std::vector<int>{0, -1, 0, 1, 3, 2, -1, 1, -1, -1, -1, -1, 3, -1, -1}));
    EXPECT_EQ(m.arrays.count("slice_full"), 0U) << "CPUs only";
    EXPECT_EQ(m.bytes, 96 * (8 + 4) + 2 * 4);
}

TEST(GpuSell, WidthsAreMultiplesOfTheThreadsOfARow) {
    const StoredMatrix m =
        convert(small(), signature("sell_slices", {{"threads_per_row", 2}, {"sigma", 64}}), true);
    EXPECT_EQ(array<int>(m, "row_order", 5), (std::vector<int>{2, 0, 3, 4, 1}));
    EXPECT_EQ(array<int>(m, "slice_ptr", 2), (std::vector<int>{0, 4}));
    EXPECT_EQ(heads<int>(m, "col_idx", 2, 64, 8),
              (std::vector<int>{0, 1, 0, 2, 1, -1, 3, -1, 3, -1, -1, -1, -1, -1, -1, -1}));
}

/// hyb with the ELL width that `params` decide.
StoredMatrix hyb(const CsrView& matrix, Params params) {
    return convert(matrix, signature("hyb", std::move(params)), true);
}

TEST(Hyb, EntriesBeyondTheWidthGoToCoo) {
    const StoredMatrix m = hyb(small(), {{"partition", 3}, {"columns", 1}});
    EXPECT_EQ(m.scalars.at("width"), 1);
    EXPECT_EQ(heads<int>(m, "col_idx", 1, 32, 5), (std::vector<int>{0, -1, 0, 1, 3}));
    EXPECT_EQ(m.scalars.at("coo_nnz"), 3);
    EXPECT_EQ(array<int>(m, "coo_row", 3), (std::vector<int>{0, 2, 2}));
    EXPECT_EQ(array<int>(m, "coo_col", 3), (std::vector<int>{2, 1, 3}));
    EXPECT_EQ(array<double>(m, "coo_values", 3), (std::vector<double>{2, 4, 5}));
    EXPECT_EQ(array<int>(m, "coo_ptr", 2), (std::vector<int>{0, 3}));
    EXPECT_EQ(m.stored, 32 + 3);
    EXPECT_EQ(m.bytes, 32 * (8 + 4) + 3 * (8 + 2 * 4));
    EXPECT_EQ(hyb(small(), {{"partition", 3}, {"columns", 0}}).scalars.at("coo_nnz"), 7);
    EXPECT_EQ(hyb(small(), {{"partition", 3}, {"columns", 9}}).scalars.at("width"), 3)
        << "no wider than the longest row";
}

/// Rows of the given lengths, all entries in column 0.
struct Lengths {
    explicit Lengths(const std::vector<int>& lengths) : offsets{0} {
        for (int n : lengths) offsets.push_back(offsets.back() + n);
        columns.assign(static_cast<std::size_t>(offsets.back()), 0);
        values.assign(columns.size(), 1.0);
    }
    CsrView view() const {
        return csr_view<double>(static_cast<std::int64_t>(offsets.size()) - 1, 1, offsets.data(),
                                columns.data(), values.data());
    }
    std::vector<int> offsets, columns;
    std::vector<double> values;
};

TEST(Hyb, QuantileIsTheSmallestLengthThatMoreThanThatPartOfTheRowsKeeps) {
    // F(1) = 1/4, F(2) = 1/2, F(5) = 3/4, F(9) = 1.
    const Lengths four({5, 1, 9, 2});
    const auto width = [&](std::int64_t percent) {
        return hyb(four.view(), {{"partition", 1}, {"percent", percent}}).scalars.at("width");
    };
    EXPECT_EQ(width(1), 1);
    EXPECT_EQ(width(24), 1);
    EXPECT_EQ(width(25), 2) << "F(1) is not more than 25 %";
    EXPECT_EQ(width(49), 2);
    EXPECT_EQ(width(50), 5);
    EXPECT_EQ(width(75), 9);
    EXPECT_EQ(width(99), 9);
}

TEST(Hyb, MinstorageIsTheQuarterForDoublesAndInts) {
    const Lengths eight({8, 7, 6, 5, 4, 3, 2, 1});
    EXPECT_EQ(hyb(eight.view(), {{"partition", 2}}).scalars.at("width"), 3) << "4 / (8 + 2·4)";
    Signature s = signature("hyb", {{"partition", 2}});
    s.index = IndexType::i64;
    EXPECT_EQ(convert(eight.view(), s, true).scalars.at("width"), 3) << "8 / (8 + 2·8) = 1/3";
    s.index = IndexType::i32;
    s.storage = ValueType::f16;
    EXPECT_EQ(convert(eight.view(), s, true).scalars.at("width"), 4) << "4 / (2 + 2·4) = 2/5";
}

TEST(Hyb, LimitIsOneColumnForTenThousandRows) {
    const auto width = [](int rows, std::int64_t percent) {
        std::vector<int> lengths(static_cast<std::size_t>(rows), 3);
        return hyb(Lengths(lengths).view(), {{"partition", 0}, {"percent", percent}})
            .scalars.at("width");
    };
    EXPECT_EQ(width(9999, 33), 0);
    EXPECT_EQ(width(10000, 33), 1);
    EXPECT_EQ(width(29999, 33), 2);
    EXPECT_EQ(width(50000, 33), 3) << "the quantile";
    EXPECT_EQ(signature("hyb").params.at("percent"), 33) << "the paper's default";
    EXPECT_EQ(signature("hyb").params.at("partition"), 0);
}

TEST(Hyb, NoRowsAreNoEntries) {
    const StoredMatrix m =
        hyb(csr_view<double, int, int>(0, 4, nullptr, nullptr, nullptr), {{"partition", 1}});
    EXPECT_EQ(m.scalars.at("width"), 0);
    EXPECT_EQ(m.scalars.at("coo_nnz"), 0);
    EXPECT_EQ(array<int>(m, "coo_ptr", 1), (std::vector<int>{0}));
}

}  // namespace
}  // namespace spmvgen
