// Blocked CSR: its arrays worked out by hand, and that fill never meets x.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "errors.hpp"
#include "formats/stored_matrix.hpp"
#include "registry.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {
namespace {

// [ 1 . 2 . . ]
// [ . . . . 3 ]
// [ 4 5 . . . ]
CsrView small_blocks() {
    static const std::vector<int> row_ptr{0, 2, 3, 5}, col_idx{0, 2, 4, 0, 1};
    static const std::vector<double> numbers{1, 2, 3, 4, 5};
    return csr_view<double>(3, 5, row_ptr.data(), col_idx.data(), numbers.data());
}

Signature bcsr_signature(const std::string& kernel, int rows, int cols) {
    Signature s;
    s.kernel = kernel;
    s.params = {{"block_rows", rows}, {"block_cols", cols}};
    s.target = parse_target(kernel_entry(kernel).gpu ? "sm_90" : "x86-64-v3");
    return complete(s);
}

template <typename T>
std::vector<T> array(const StoredMatrix& m, const char* name, int count) {
    const T* data = static_cast<const T*>(m.arrays.at(name));
    return {data, data + count};
}

// Block row 0 has the blocks at columns 0 and 2, and that of column 4, which begins at 3 = 5 - 2.
TEST(Bcsr, StoresBlocksColumnAfterColumn) {
    const StoredMatrix m = convert(small_blocks(), bcsr_signature("bcsr", 2, 2), false);
    EXPECT_EQ(m.format, Format::bcsr);
    EXPECT_EQ(m.scalars.at("num_rows"), 3);
    EXPECT_EQ(m.scalars.at("num_cols"), 5);
    EXPECT_EQ(m.scalars.at("num_block_rows"), 2);
    EXPECT_EQ(m.scalars.at("num_blocks"), 4);
    EXPECT_EQ(array<int>(m, "block_ptr", 3), (std::vector<int>{0, 3, 4}));
    EXPECT_EQ(array<int>(m, "col_idx", 4), (std::vector<int>{0, 2, 3, 0}));
    EXPECT_EQ(array<std::int64_t>(m, "block_masks", 4),
              (std::vector<std::int64_t>{0b0001, 0b0001, 0b1000, 0b0011}));
    EXPECT_EQ(array<double>(m, "values", 16), (std::vector<double>{1, 0, 0, 0,  //
                                                                   2, 0, 0, 0,  //
                                                                   0, 0, 0, 3,  //
                                                                   4, 0, 5, 0}));
    EXPECT_EQ(m.stored, 16);
    EXPECT_EQ(m.bytes, 16 * 8 + 4 * 4 + 3 * 4);
}

TEST(Bcsr, StoresWideBlocksRowAfterRowAndZerosBehindThem) {
    const StoredMatrix m = convert(small_blocks(), bcsr_signature("bcsr", 2, 3), false);
    EXPECT_EQ(array<int>(m, "block_ptr", 3), (std::vector<int>{0, 2, 3}));
    EXPECT_EQ(array<int>(m, "col_idx", 3), (std::vector<int>{0, 2, 0}));
    EXPECT_EQ(array<double>(m, "values", 26), (std::vector<double>{1, 0, 2, 0, 0, 0,  //
                                                                   0, 0, 0, 0, 0, 3,  //
                                                                   4, 5, 0, 0, 0, 0,  //
                                                                   0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Bcsr, BlocksThatAreFarApartAreTheSame) {
    const std::vector<int> row_ptr{0, 3, 5, 6, 6, 8}, near{0, 2, 5, 1, 5, 2, 3, 4};
    const std::vector<double> numbers{1, 2, 3, 4, 5, 6, 7, 8};
    std::vector<int> far(near);
    for (int& column : far) column *= 1'000'000;
    const Signature s = bcsr_signature("bcsr", 2, 1);
    const auto stored = [&](const std::vector<int>& columns, std::int64_t cols) {
        return convert(csr_view<double>(5, cols, row_ptr.data(), columns.data(), numbers.data()), s,
                       false);
    };
    const StoredMatrix a = stored(near, 6), b = stored(far, 6'000'000);
    EXPECT_EQ(array<int>(a, "block_ptr", 4), (std::vector<int>{0, 4, 5, 7}));
    EXPECT_EQ(array<int>(b, "block_ptr", 4), array<int>(a, "block_ptr", 4));
    EXPECT_EQ(array<int>(a, "col_idx", 7), (std::vector<int>{0, 1, 2, 5, 2, 3, 4}));
    EXPECT_EQ(array<std::int64_t>(b, "block_masks", 7), array<std::int64_t>(a, "block_masks", 7));
    EXPECT_EQ(array<double>(b, "values", 14), array<double>(a, "values", 14));
    EXPECT_EQ(array<double>(a, "values", 14),
              (std::vector<double>{1, 0, 0, 4, 2, 0, 3, 5, 6, 0, 7, 0, 8, 0}));
}

TEST(Bcsr, InterleavesThirtyTwoBlocksForGpus) {
    const StoredMatrix m = convert(small_blocks(), bcsr_signature("bcsr_fused", 2, 2), false);
    const std::vector<double> values = array<double>(m, "values", 4 * 32);
    std::vector<double> expected(4 * 32, 0);
    expected[0 * 32 + 0] = 1;
    expected[0 * 32 + 1] = 2;
    expected[3 * 32 + 2] = 3;
    expected[0 * 32 + 3] = 4;
    expected[1 * 32 + 3] = 5;
    EXPECT_EQ(values, expected);
    EXPECT_EQ(m.stored, 16);
}

TEST(Bcsr, LanesOfABlockRowAreOfOneBlock) {
    Signature s = bcsr_signature("bcsr_fused", 2, 2);
    s.params["subwarp"] = 128;
    s.params["block"] = 128;
    EXPECT_NO_THROW(complete(s));
    s.params["block"] = 64;
    EXPECT_EQ(code_and_text([&] { complete(s); }),
              "invalid_argument: kernel bcsr_fused has blocks of 64 threads, fewer than "
              "subwarp=128: use a smaller subwarp");
}

TEST(Bcsr, KeepsWhatAColumnHasTwiceInABlockOfItsOwn) {
    const std::vector<int> starts{0, 4, 5}, columns{1, 3, 1, 1, 0};
    const std::vector<double> values{1, 2, 3, 4, 5};
    const CsrView view = csr_view<double>(2, 4, starts.data(), columns.data(), values.data());
    const StoredMatrix m = convert(view, bcsr_signature("bcsr", 2, 2), false);
    EXPECT_EQ(m.scalars.at("num_blocks"), 4);
    EXPECT_EQ(array<int>(m, "col_idx", 4), (std::vector<int>{0, 2, 0, 0}));
    EXPECT_EQ(array<double>(m, "values", 16), (std::vector<double>{0, 5, 1, 0,  //
                                                                   0, 0, 2, 0,  //
                                                                   0, 0, 3, 0,  //
                                                                   0, 0, 4, 0}));
}

/// Its time must not grow with the square of how often.
TEST(Bcsr, TakesOnePlaceManyTimes) {
    constexpr int count = 200'000;
    const std::vector<int> starts{0, count}, columns(count, 0);
    const std::vector<double> values(count, 1);
    const CsrView view = csr_view<double>(1, 1, starts.data(), columns.data(), values.data());
    const StoredMatrix m = convert(view, bcsr_signature("bcsr", 1, 1), false);
    EXPECT_EQ(m.stored, count);
}

TEST(Bcsr, BeginsWithColumnZeroWhereTheMatrixIsNarrowerThanABlock) {
    const StoredMatrix m = convert(small_blocks(), bcsr_signature("bcsr", 1, 8), false);
    EXPECT_EQ(array<int>(m, "col_idx", 3), (std::vector<int>{0, 0, 0}));
    EXPECT_EQ(array<std::int64_t>(m, "block_masks", 3),
              (std::vector<std::int64_t>{0b00101, 0b10000, 0b00011}));
}

/// The diagonal of ones, and a first column: blocks with fill everywhere.
struct Sparse {
    static constexpr int size = 29;
    std::vector<int> row_ptr{0}, col_idx;
    std::vector<double> values;

    Sparse() {
        for (int i = 0; i < size; ++i) {
            if (i % 7 == 3) add(0);
            add(i);
            row_ptr.push_back(static_cast<int>(col_idx.size()));
        }
    }
    void add(int column) {
        col_idx.push_back(column);
        values.push_back(1);
    }
    bool has(int row, int column) const { return row == column || (column == 0 && row % 7 == 3); }
};

class Fill : public testing::TestWithParam<std::string> {
  protected:
    static Options options(int rows, int cols) {
        Options o;
        if (GetParam() != "host") o.device = GetParam().substr(0, GetParam().find(' '));
        o.kernel = GetParam() == "host" ? "bcsr" : GetParam().substr(GetParam().find(' ') + 1);
        o.params = {{"block_rows", rows}, {"block_cols", cols}};
        o.cache = CacheMode::memory;
        o.strict = true;
        return o;
    }
    const Sparse matrix_;
};
INSTANTIATE_TEST_SUITE_P(, Fill,
                         testing::Values("host", "simt:sm_90 bcsr_fused", "simt:gfx906 bcsr_fused",
                                         "simt:sm_90 bcsr_split"),
                         [](auto& test) {
                             std::string name = test.param;
                             for (char& c : name)
                                 if (c == ':' || c == ' ') c = '_';
                             return name;
                         });

TEST_P(Fill, NeverMeetsX) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (auto [rows, cols] : {std::pair{3, 3}, {2, 5}, {8, 8}, {4, 1}}) {
        const Handle handle(Sparse::size, Sparse::size, matrix_.row_ptr.data(),
                            matrix_.col_idx.data(), matrix_.values.data(), options(rows, cols));
        for (const double special : {inf, -inf, std::nan("")})
            for (int column = 0; column < Sparse::size; ++column) {
                std::vector<double> x(Sparse::size, 2), y(Sparse::size, -1);
                x[static_cast<std::size_t>(column)] = special;
                handle.apply(1.0, x.data(), 0.0, y.data());
                for (int row = 0; row < Sparse::size; ++row)
                    EXPECT_EQ(std::isfinite(y[static_cast<std::size_t>(row)]),
                              !matrix_.has(row, column))
                        << rows << "x" << cols << ", x[" << column << "] = " << special << ", row "
                        << row;
            }
    }
}

/// The same of each of eight vectors, whose rows lanes share.
TEST_P(Fill, NeverMeetsXOfSeveralVectors) {
    constexpr int k = 8;
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (auto [rows, cols] : {std::pair{4, 1}, {2, 3}}) {
        Options several = options(rows, cols);
        several.num_rhs = k;
        const Handle handle(Sparse::size, Sparse::size, matrix_.row_ptr.data(),
                            matrix_.col_idx.data(), matrix_.values.data(), several);
        for (int column = 0; column < Sparse::size; ++column) {
            std::vector<double> x(k * Sparse::size, 2), y(k * Sparse::size, -1);
            x[static_cast<std::size_t>(k * column + column % k)] = inf;
            handle.apply(1.0, x.data(), 0.0, y.data());
            for (int row = 0; row < Sparse::size; ++row)
                for (int rhs = 0; rhs < k; ++rhs)
                    EXPECT_EQ(std::isfinite(y[static_cast<std::size_t>(k * row + rhs)]),
                              !matrix_.has(row, column) || rhs != column % k)
                        << rows << "x" << cols << ", column " << column << ", row " << row;
        }
    }
}

/// Beside an infinite sum of the matrix's own, fill must not make it NaN.
TEST_P(Fill, LeavesAnInfiniteSumInfinite) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    const Handle handle(Sparse::size, Sparse::size, matrix_.row_ptr.data(), matrix_.col_idx.data(),
                        matrix_.values.data(), options(3, 3));
    const std::vector<double> x(Sparse::size, inf);
    std::vector<double> y(Sparse::size, 0);
    handle.apply(1.0, x.data(), 0.0, y.data());
    EXPECT_EQ(y, std::vector<double>(Sparse::size, inf));
}

}  // namespace
}  // namespace spmvgen
