// The formats that cuSPARSE is compared in hold the matrix: their entries, laid out as cusparse.h
// says, give the same product.
#include "peers/cusparse_formats.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "matrix/suites/gallery.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::peers {
namespace {

std::vector<double> product_of(const CsrMatrix& a) {
    std::vector<double> y(static_cast<std::size_t>(a.rows), 0);
    const CsrView v = a.view();
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t k = v.row_begin(i); k < v.row_begin(i + 1); ++k)
            y[static_cast<std::size_t>(i)] +=
                v.values_as<double>()[k] * static_cast<double>(v.col(k) + 1);
    return y;
}

void expect_near(const std::vector<double>& y, const std::vector<double>& expected) {
    ASSERT_EQ(y.size(), expected.size());
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-6) << i;
}

TEST(PeerFormats, SlicedEllGoesDownItsColumns) {
    const CsrMatrix a = make_gallery_matrix("fem_tri:nx=9,ny=7");
    ASSERT_NE(a.rows % 32, 0);
    const PeerArrays sell = sliced_ell(a, 32, 4);
    const auto offsets = sell.offsets.as<std::int32_t>();
    ASSERT_EQ(offsets.size(), static_cast<std::size_t>((a.rows + 31) / 32 + 1));
    EXPECT_EQ(offsets.back(), sell.stored);
    std::vector<double> y(static_cast<std::size_t>(a.rows), 0);
    std::int64_t entries = 0;
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
        for (std::int32_t k = offsets[s]; k < offsets[s + 1]; ++k) {
            const auto column = sell.col_idx.as<std::int32_t>()[static_cast<std::size_t>(k)];
            const auto value = sell.values.as<double>()[static_cast<std::size_t>(k)];
            if (column < 0) {
                EXPECT_EQ(value, 0);
                continue;
            }
            ++entries;
            y[s * 32 + static_cast<std::size_t>(k - offsets[s]) % 32] += value * (column + 1);
        }
    EXPECT_EQ(entries, a.nnz);
    expect_near(y, product_of(a));
}

TEST(PeerFormats, BlocksAreRowMajor) {
    const CsrMatrix a = make_gallery_matrix("fem:nx=6,ny=5");  // blocks of 3×3
    const PeerArrays bsr = blocked(a, 3, 1.05);
    EXPECT_EQ(bsr.stored, a.nnz);
    const auto offsets = bsr.offsets.as<std::int32_t>();
    std::vector<double> y(static_cast<std::size_t>(a.rows), 0);
    for (std::size_t row = 0; row + 1 < offsets.size(); ++row)
        for (std::int32_t block = offsets[row]; block < offsets[row + 1]; ++block)
            for (std::size_t i = 0; i < 9; ++i) {
                const auto b = static_cast<std::size_t>(block);
                const auto column = static_cast<std::size_t>(bsr.col_idx.as<std::int32_t>()[b]);
                y[row * 3 + i / 3] += bsr.values.as<double>()[b * 9 + i] *
                                      static_cast<double>(column * 3 + i % 3 + 1);
            }
    expect_near(y, product_of(a));
}

TEST(PeerFormats, MuchPaddingIsRefused) {
    const CsrMatrix arrow = make_gallery_matrix("arrow:n=1500");
    EXPECT_THROW(sliced_ell(arrow, 32, 4), Error);
    EXPECT_THROW(blocked(arrow, 2, 1.05), Error);
    EXPECT_THROW(blocked(make_gallery_matrix("banded:n=301"), 2, 100), Error);
}

TEST(PeerFormats, EveryEntryHasItsRow) {
    const CsrMatrix a = make_gallery_matrix("powerlaw:n=600,max_row=500");
    const Buffer rows = row_indices(a);
    std::int64_t k = 0;
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t n = 0; n < a.view().row_length(i); ++n, ++k)
            ASSERT_EQ(rows.as<std::int32_t>()[static_cast<std::size_t>(k)], i);
    EXPECT_EQ(k, a.nnz);
}

}  // namespace
}  // namespace spmvgen::peers
