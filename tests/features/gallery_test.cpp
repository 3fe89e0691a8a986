// The gallery: tiny instances worked out by hand, parameters, errors.
#include "matrix/suites/gallery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "arrays.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using Rows = std::vector<std::vector<std::int64_t>>;

Rows rows_of(std::string_view specification) {
    const CsrMatrix a = make_gallery_matrix(specification);
    return testing::rows(a.view());
}

std::string error_of(std::string_view specification) {
    try {
        make_gallery_matrix(specification);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        return error.what();
    }
    return "no error";
}

TEST(Gallery, stencil5) {
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=3,ny=2");
    EXPECT_EQ(a.rows, 6);
    EXPECT_EQ(a.cols, 6);
    EXPECT_EQ(a.offset_type, IndexType::i32);
    EXPECT_EQ(a.index_type, IndexType::i32);
    EXPECT_EQ(a.value_type, ValueType::f64);
    // points 0 1 2
    //        3 4 5
    EXPECT_THAT(testing::row_ptr(a.view()), ElementsAre(0, 3, 7, 10, 13, 17, 20));
    EXPECT_THAT(testing::columns(a.view()),
                ElementsAre(0, 1, 3, 0, 1, 2, 4, 1, 2, 5, 0, 3, 4, 1, 3, 4, 5, 2, 4, 5));
    EXPECT_THAT(testing::values(a.view()), ElementsAre(4, -1, -1, -1, 4, -1, -1, -1, 4, -1,  //
                                                       -1, 4, -1, -1, -1, 4, -1, -1, -1, 4));
}

TEST(Gallery, stencil5OnASquare) {
    EXPECT_EQ(rows_of("stencil5:nx=3,ny=3"), (Rows{{0, 1, 3},
                                                   {0, 1, 2, 4},
                                                   {1, 2, 5},
                                                   {0, 3, 4, 6},
                                                   {1, 3, 4, 5, 7},
                                                   {2, 4, 5, 8},
                                                   {3, 6, 7},
                                                   {4, 6, 7, 8},
                                                   {5, 7, 8}}));
}

TEST(Gallery, stencil9) {
    const CsrMatrix a = make_gallery_matrix("stencil9:nx=3,ny=2");
    EXPECT_EQ(testing::rows(a.view()), (Rows{{0, 1, 3, 4},
                                             {0, 1, 2, 3, 4, 5},
                                             {1, 2, 4, 5},
                                             {0, 1, 3, 4},
                                             {0, 1, 2, 3, 4, 5},
                                             {1, 2, 4, 5}}));
    EXPECT_EQ(testing::values(a.view())[0], 8);
    EXPECT_EQ(testing::values(a.view())[1], -1);
}

TEST(Gallery, stencil7) {
    const CsrMatrix a = make_gallery_matrix("stencil7:nx=2,ny=2,nz=2");
    EXPECT_EQ(testing::rows(a.view()), (Rows{{0, 1, 2, 4},
                                             {0, 1, 3, 5},
                                             {0, 2, 3, 6},
                                             {1, 2, 3, 7},
                                             {0, 4, 5, 6},
                                             {1, 4, 5, 7},
                                             {2, 4, 6, 7},
                                             {3, 5, 6, 7}}));
    EXPECT_EQ(testing::values(a.view())[0], 6);
}

TEST(Gallery, stencil27) {
    const CsrMatrix a = make_gallery_matrix("stencil27:nx=3,ny=3,nz=3");
    EXPECT_EQ(a.nnz, 343);  // (2 + 3 + 2)^3
    EXPECT_EQ(a.view().row_length(13), 27);
    EXPECT_THAT(testing::rows(a.view())[0], ElementsAre(0, 1, 3, 4, 9, 10, 12, 13));
    EXPECT_EQ(testing::values(a.view())[0], 26);
}

TEST(Gallery, fem) {
    EXPECT_EQ(rows_of("fem:nx=2,ny=1,dofs=2"),
              (Rows{{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}));
    const Rows rows = rows_of("fem:nx=3,ny=1,dofs=2");
    EXPECT_THAT(rows[0], ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(rows[3], ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(rows[5], ElementsAre(2, 3, 4, 5));
}

TEST(Gallery, triangulationCutsEachCellOnce) {
    const CsrMatrix a = make_gallery_matrix("fem_tri:nx=7,ny=5");
    // 35 points, edges both ways: 6·5 across, 7·4 up, 6·4 cuts.
    EXPECT_EQ(a.nnz, 35 + 2 * (30 + 28 + 24));
    const Rows rows = rows_of("fem_tri:nx=2,ny=2,window=1");
    const Rows rising{{0, 1, 2, 3}, {0, 1, 3}, {0, 2, 3}, {0, 1, 2, 3}};
    const Rows falling{{0, 1, 2}, {0, 1, 2, 3}, {0, 1, 2, 3}, {1, 2, 3}};
    EXPECT_TRUE(rows == rising || rows == falling);
}

TEST(Gallery, windowsKeepNodesNear) {
    for (const char* name : {"fem_tri:nx=64,ny=4,window=8", "road:nx=64,ny=4,window=8,keep=1"}) {
        const CsrMatrix a = make_gallery_matrix(name);
        std::int64_t furthest = 0;
        for (std::int64_t i = 0; i < a.rows; ++i)
            for (std::int64_t k = a.view().row_begin(i); k < a.view().row_begin(i + 1); ++k)
                furthest = std::max(furthest, std::abs(a.view().col(k) - i));
        EXPECT_GT(furthest, 65) << name;  // grid order has 64 or 65
        EXPECT_LE(furthest, 65 + 14) << name;
    }
}

TEST(Gallery, road) {
    EXPECT_EQ(rows_of("road:nx=2,ny=2,keep=1,window=1"), (Rows{{1, 2}, {0, 3}, {0, 3}, {1, 2}}));
    EXPECT_EQ(rows_of("road:nx=1,ny=3,keep=1,window=1"), (Rows{{1}, {0, 2}, {1}}));
    EXPECT_EQ(rows_of("road:nx=2,ny=2,keep=0"), (Rows{{}, {}, {}, {}}));
}

TEST(Gallery, debruijn) {
    EXPECT_EQ(rows_of("debruijn:k=3"), (Rows{{1, 4},
                                             {0, 2, 3, 4},
                                             {1, 4, 5},
                                             {1, 5, 6, 7},
                                             {0, 1, 2, 6},
                                             {2, 3, 6},
                                             {3, 4, 5, 7},
                                             {3, 6}}));
    EXPECT_EQ(rows_of("debruijn:k=2,symmetric=0"), (Rows{{0, 1}, {2, 3}, {0, 1}, {2, 3}}));
}

TEST(Gallery, rmatWithSureQuadrants) {
    // a = 1: every bit of every edge is 0; d = 1: every bit is 1.
    EXPECT_EQ(rows_of("rmat:scale=2,a=1,b=0,c=0,scatter=0"), (Rows{{0}, {}, {}, {}}));
    EXPECT_EQ(rows_of("rmat:scale=2,a=0,b=0,c=0,scatter=0"), (Rows{{}, {}, {}, {3}}));
    EXPECT_EQ(rows_of("rmat:scale=2,a=0,b=1,c=0,scatter=0"), (Rows{{3}, {}, {}, {}}));
    EXPECT_EQ(rows_of("rmat:scale=2,a=0,b=0,c=1,scatter=0"), (Rows{{}, {}, {}, {0}}));
    EXPECT_EQ(rows_of("rmat:scale=2,a=0,b=1,c=0,scatter=0,symmetric=1"), (Rows{{3}, {}, {}, {0}}));
}

TEST(Gallery, rmatScatterIsAPermutation) {
    // With the four quadrants equally likely and many edges every pair occurs.
    const CsrMatrix a = make_gallery_matrix("rmat:scale=3,degree=1000,a=0.25,b=0.25,c=0.25");
    EXPECT_EQ(a.nnz, 64);
}

TEST(Gallery, bandedArrowDiagonal) {
    EXPECT_EQ(rows_of("banded:n=4,lower=1,upper=1"), (Rows{{0, 1}, {0, 1, 2}, {1, 2, 3}, {2, 3}}));
    EXPECT_EQ(rows_of("banded:n=3,lower=9,upper=0"), (Rows{{0}, {0, 1}, {0, 1, 2}}));
    EXPECT_EQ(rows_of("banded:n=3,fill=0"), (Rows{{0}, {1}, {2}}));
    EXPECT_EQ(rows_of("arrow:n=4"), (Rows{{0, 1, 2, 3}, {0, 1}, {0, 2}, {0, 3}}));
    EXPECT_EQ(rows_of("arrow:n=4,width=2"),
              (Rows{{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2}, {0, 1, 3}}));
    EXPECT_EQ(rows_of("diagonal:n=3"), (Rows{{0}, {1}, {2}}));
}

TEST(Gallery, randomRowsHaveTheirLength) {
    EXPECT_EQ(rows_of("random:rows=2,cols=3,per_row=3"), (Rows{{0, 1, 2}, {0, 1, 2}}));
    EXPECT_EQ(rows_of("random:rows=2,cols=3,per_row=0"), (Rows{{}, {}}));
    std::set<std::int64_t> seen;
    for (const auto& row : rows_of("random:rows=100,cols=10,per_row=8")) {
        EXPECT_EQ(row.size(), 8u);
        seen.insert(row.begin(), row.end());
    }
    EXPECT_EQ(seen.size(), 10u);
}

TEST(Gallery, powerlawLengths) {
    std::set<std::size_t> lengths;
    for (const auto& row : rows_of("powerlaw:n=1000,min_row=4,tail=0")) lengths.insert(row.size());
    EXPECT_EQ(lengths, (std::set<std::size_t>{4, 5, 6, 7}));
    for (const auto& row : rows_of("powerlaw:n=100,tail=1,max_row=31")) EXPECT_EQ(row.size(), 31u);
    // Lengths of at least 2^k·min_row have the share tail^k.
    std::array<int, 4> at_least{};
    for (const auto& row : rows_of("powerlaw:n=20000,min_row=2,tail=0.5"))
        for (std::size_t k = 0; k < 4; ++k) at_least[k] += row.size() >= (2u << k);
    EXPECT_EQ(at_least[0], 20000);
    EXPECT_NEAR(at_least[1], 10000, 300);
    EXPECT_NEAR(at_least[2], 5000, 300);
    EXPECT_NEAR(at_least[3], 2500, 300);
}

TEST(Gallery, circuitHasDenseRowsAndColumns) {
    const CsrMatrix plain = make_gallery_matrix("circuit:n=20000,dense=0");
    const CsrMatrix dense = make_gallery_matrix("circuit:n=20000,dense=2,dense_length=10000");
    const auto longest = [](const CsrMatrix& a) {
        std::int64_t most = 0;
        for (std::int64_t i = 0; i < a.rows; ++i) most = std::max(most, a.view().row_length(i));
        return most;
    };
    EXPECT_LT(longest(plain), 64);
    // 10000 draws out of 20000 meet 20000·(1 - e^-0.5) = 7869 different ones.
    EXPECT_NEAR(static_cast<double>(longest(dense)), 7869, 150);
    EXPECT_NEAR(static_cast<double>(plain.nnz) / 20000, 6, 0.1);
}

TEST(Gallery, valuesFollowTheSwitch) {
    EXPECT_THAT(testing::values(make_gallery_matrix("banded:n=9,random_values=0").view()), Each(1));
    const auto random = testing::values(make_gallery_matrix("stencil5:random_values=1").view());
    double sum = 0;
    for (const double v : random) {
        ASSERT_GE(v, -1);
        ASSERT_LT(v, 1);
        ASSERT_EQ(v, static_cast<double>(static_cast<std::int64_t>(v * 0x1p52)) * 0x1p-52);
        sum += v;
    }
    // Mean 0 with a standard deviation of 1/√3 each.
    EXPECT_NEAR(sum / static_cast<double>(random.size()), 0, 0.003);
    EXPECT_EQ(std::set<double>(random.begin(), random.end()).size(), random.size());
}

TEST(Gallery, seedsDiffer) {
    EXPECT_NE(rows_of("random:rows=10,cols=100,per_row=5,seed=1"),
              rows_of("random:rows=10,cols=100,per_row=5,seed=2"));
    EXPECT_EQ(rows_of("random:rows=10,cols=100,per_row=5,seed=1"),
              rows_of("random:rows=10,cols=100,per_row=5"));
}

TEST(Gallery, listNamesPresets) {
    const auto entries = gallery();
    EXPECT_EQ(entries.size(), 23u);
    EXPECT_EQ(entries[0].name, "stencil5");
    EXPECT_EQ(entries[0].summary, "5-point Laplacian on an nx×ny grid");
    using Pair = std::pair<std::string_view, double>;
    EXPECT_THAT(entries[0].params,
                ElementsAre(Pair{"nx", 450}, Pair{"ny", 450}, Pair{"seed", 1},
                            Pair{"random_values", 0}, Pair{"long_rows", 0}, Pair{"longest", 1000}));
    std::set<std::string_view> names;
    for (const GalleryEntry& entry : entries) names.insert(entry.name);
    EXPECT_EQ(names.size(), entries.size());
}

TEST(GalleryErrors, names) {
    EXPECT_EQ(
        error_of("stencil6"),
        "gallery: no generator 'stencil6'; there are stencil5, stencil7, stencil9, "
        "stencil27, curl_curl, fem, fem_tri, mesh3d, delaunay, dual, rmat, debruijn, rgg, "
        "random, banded, near, arrow, diagonal, powerlaw, web, citations, circuit, road, lp, and "
        "the twins that spmvgen gallery list --suite all shows");
    EXPECT_EQ(error_of("").substr(0, 26), "gallery: no generator ''; ");
    EXPECT_EQ(error_of("stencil5:nz=3"),
              "gallery: stencil5: no parameter 'nz'; it takes nx, ny, seed, random_values, "
              "long_rows, longest");
}

TEST(GalleryErrors, form) {
    EXPECT_EQ(error_of("stencil5:nx"), "gallery: stencil5: 'nx' is not of the form name=value");
    EXPECT_EQ(error_of("stencil5:nx=1,,"), "gallery: stencil5: '' is not of the form name=value");
    EXPECT_EQ(error_of("stencil5:nx=1,"),
              "gallery: stencil5: a parameter is missing after the last comma");
    EXPECT_EQ(error_of("stencil5:nx=1,nx=1"), "gallery: stencil5: nx is given twice");
    EXPECT_EQ(rows_of("diagonal:"), rows_of("diagonal"));
}

TEST(GalleryErrors, numbers) {
    for (const char* bad : {"", "x", "1x", "0x10", "nan", "inf", "1e999", " 1", "+1"})
        EXPECT_EQ(error_of(std::string("stencil5:nx=") + bad),
                  std::string("gallery: stencil5: nx=") + bad + " is not a number");
    EXPECT_EQ(error_of("stencil5:nx=2.5"), "gallery: stencil5: nx=2.5 is not a whole number");
    EXPECT_EQ(error_of("stencil5:nx=0"), "gallery: stencil5: nx=0 is outside 1 … 68719476736");
    EXPECT_EQ(error_of("stencil5:nx=-3"), "gallery: stencil5: nx=-3 is outside 1 … 68719476736");
    EXPECT_EQ(error_of("rmat:a=1.5"), "gallery: rmat: a=1.5 is outside 0 … 1");
    EXPECT_EQ(error_of("debruijn:k=37"), "gallery: debruijn: k=37 is outside 1 … 36");
}

TEST(GalleryErrors, parametersThatDoNotFitTogether) {
    EXPECT_EQ(error_of("random:cols=5,per_row=6"),
              "gallery: random: per_row=6 is more than cols=5");
    EXPECT_EQ(error_of("rmat:a=0.5,b=0.5,c=0.5"), "gallery: rmat: a + b + c = 1.5 is more than 1");
    EXPECT_EQ(error_of("circuit:n=5,dense_length=6"),
              "gallery: circuit: dense_length=6 is more than n=5");
    EXPECT_EQ(error_of("powerlaw:min_row=6,max_row=5"),
              "gallery: powerlaw: min_row=6 is more than max_row=5");
}

TEST(GalleryErrors, absurdSizes) {
    EXPECT_EQ(error_of("stencil5:nx=1e9,ny=1e9"),
              "gallery: stencil5: 1000000000000000000 rows, 1000000000000000000 columns and up to "
              "5000000000000000000 entries are too large; at most 68719476736 each");
    EXPECT_EQ(error_of("diagonal:n=68719476736").substr(0, 77),
              "gallery: diagonal: 68719476736 rows and up to 68719476736 entries need about ");
    const double largest = 68719476736;
    for (const GalleryEntry& entry : gallery()) {
        std::string specification(entry.name);
        char separator = ':';
        for (const auto& [name, preset] : entry.params) {
            if (preset <= 1 || name == "seed") continue;
            const bool bits = name == "scale" || name == "k";
            specification += separator + std::string(name) + "=";
            specification += bits ? "36" : name == "dense" ? "65536" : std::to_string(largest);
            separator = ',';
        }
        EXPECT_NE(error_of(specification), "no error") << specification;
    }
}

}  // namespace
}  // namespace spmvgen
