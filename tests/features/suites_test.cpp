// The twins of the papers' matrices, and the generators that they brought: checked against what
// defines them.
#include "matrix/suites/suites.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include "arrays.hpp"
#include "matrix/gallery/points.hpp"
#include "matrix/suites/gallery.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using Rows = std::vector<std::vector<std::int64_t>>;

Rows twin_rows(const std::string& specification) {
    const CsrMatrix a = make_gallery_matrix(specification);
    return testing::rows(a.view());
}

std::string twin_error(const std::string& specification) {
    try {
        make_gallery_matrix(specification);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
        return error.what();
    }
    return "no error";
}

using generators::Point;
__extension__ using Wide = __int128;

/// Positive when d lies within the circle through a, b, c, which are counter-clockwise.
bool in_circle(Point a, Point b, Point c, Point d) {
    const auto lifted = [&](Point p) {
        const Wide x = p.x - std::int64_t{d.x}, y = p.y - std::int64_t{d.y};
        return std::array<long double, 3>{static_cast<long double>(x), static_cast<long double>(y),
                                          static_cast<long double>(x * x + y * y)};
    };
    const auto p = lifted(a), q = lifted(b), r = lifted(c);
    const long double det = p[0] * (q[1] * r[2] - q[2] * r[1]) -
                            p[1] * (q[0] * r[2] - q[2] * r[0]) + p[2] * (q[0] * r[1] - q[1] * r[0]);
    return det > 0;
}

std::int64_t turn(Point a, Point b, Point c) {
    const Wide t = Wide{b.x - std::int64_t{a.x}} * (c.y - std::int64_t{a.y}) -
                   Wide{b.y - std::int64_t{a.y}} * (c.x - std::int64_t{a.x});
    return t > 0 ? 1 : t < 0 ? -1 : 0;
}

/// Edges by the definition: of triangles whose circle holds no other point.
Rows delaunay_by_definition(const std::vector<Point>& p) {
    const std::size_t n = p.size();
    std::vector<std::set<std::int64_t>> rows(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = 0; k < n; ++k) {
                if (i == j || j == k || i == k || turn(p[i], p[j], p[k]) <= 0) continue;
                bool empty = true;
                for (std::size_t m = 0; m < n && empty; ++m)
                    empty = m == i || m == j || m == k || !in_circle(p[i], p[j], p[k], p[m]);
                if (empty)
                    rows[i].insert({static_cast<std::int64_t>(j), static_cast<std::int64_t>(k)});
            }
    Rows result;
    for (auto& row : rows) result.emplace_back(row.begin(), row.end());
    return result;
}

TEST(Delaunay, isTheTriangulationWithEmptyCircles) {
    for (const bool lattice : {false, true})
        for (const bool spatial : {false, true}) {
            const auto points = generators::scattered_points(40, 7, {lattice, spatial, 1});
            EXPECT_EQ(twin_rows("delaunay:n=40,diagonal=0,seed=7,lattice=" +
                                std::to_string(lattice) + ",spatial=" + std::to_string(spatial)),
                      delaunay_by_definition(points))
                << lattice << spatial;
        }
}

TEST(Delaunay, blocksAndDiagonal) {
    const Rows plain = twin_rows("delaunay:n=30"), blown = twin_rows("delaunay:n=30,dofs=3");
    ASSERT_EQ(blown.size(), 90u);
    for (std::size_t i = 0; i < blown.size(); ++i) {
        std::vector<std::int64_t> wanted;
        for (const std::int64_t node : plain[i / 3])
            for (std::int64_t c = 0; c < 3; ++c) wanted.push_back(3 * node + c);
        EXPECT_EQ(blown[i], wanted);
        EXPECT_THAT(plain[i / 3], ::testing::Contains(static_cast<std::int64_t>(i / 3)));
    }
}

TEST(Delaunay, fewPoints) {
    EXPECT_EQ(twin_rows("delaunay:n=1"), (Rows{{0}}));
    EXPECT_EQ(twin_rows("delaunay:n=2,diagonal=0"), (Rows{{1}, {0}}));
    EXPECT_EQ(twin_rows("delaunay:n=3,diagonal=0"), (Rows{{1, 2}, {0, 2}, {0, 1}}));
    EXPECT_EQ(twin_rows("dual:n=3"), (Rows{{}}));
}

TEST(Dual, joinsTrianglesWithACommonSide) {
    // Euler: a triangulation of n points with e edges has e - n + 1 triangles, and each edge but
    // those of the hull joins two.
    const Rows mesh = twin_rows("delaunay:n=200,diagonal=0"), triangles = twin_rows("dual:n=200");
    std::size_t edges = 0, joints = 0, hull = 0;
    for (auto& row : mesh) edges += row.size();
    for (auto& row : triangles) {
        joints += row.size();
        hull += 3 - row.size();
        EXPECT_LE(row.size(), 3u);
    }
    EXPECT_EQ(triangles.size(), edges / 2 - 200 + 1);
    EXPECT_EQ(joints / 2 + hull, edges / 2);
}

TEST(Rgg, joinsPointsWithinTheRadius) {
    const int n = 300;
    const double degree = 9;
    const auto points = generators::scattered_points(n, 1, {.lattice = false, .spatial = true});
    const double radius_squared = degree / (3.14159265358979323846 * n) * 0x1p60;
    Rows wanted(n);
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            const auto [a, b] =
                std::pair(points[static_cast<std::size_t>(i)], points[static_cast<std::size_t>(j)]);
            const double dx = a.x - b.x, dy = a.y - b.y;
            if (i != j && dx * dx + dy * dy <= radius_squared)
                wanted[static_cast<std::size_t>(i)].push_back(j);
        }
    EXPECT_EQ(twin_rows("rgg:n=300,degree=9"), wanted);
    EXPECT_EQ(twin_rows("rgg:n=3,degree=1000"), (Rows{{1, 2}, {0, 2}, {0, 1}}));
}

TEST(CurlCurl, rowsOfThirteenWithinAndFewerAtBorders) {
    const Rows rows = twin_rows("curl_curl:nx=3,ny=3,nz=3");
    ASSERT_EQ(rows.size(), 81u);
    const std::int64_t centre = 13;  // of the points
    for (int direction = 0; direction < 3; ++direction)
        EXPECT_EQ(rows[static_cast<std::size_t>(3 * centre + direction)].size(), 13u);
    // The edge in direction x at the origin: itself, its neighbours upwards in y and z, and the
    // edges in directions y and z that begin at either end of it.
    EXPECT_THAT(rows[0], ::testing::ElementsAre(0, 1, 2, 4, 5, 9, 27));
}

TEST(Mesh3d, neighbours) {
    const auto inner = [](int points) {
        return twin_rows("mesh3d:nx=3,ny=3,nz=3,dofs=1,points=" + std::to_string(points))[13];
    };
    EXPECT_THAT(inner(7), ::testing::ElementsAre(4, 10, 12, 13, 14, 16, 22));
    EXPECT_THAT(inner(15),
                ::testing::ElementsAre(0, 1, 3, 4, 9, 10, 12, 13, 14, 16, 17, 22, 23, 25, 26));
    EXPECT_EQ(inner(19).size(), 19u);
    EXPECT_EQ(inner(27).size(), 27u);
    EXPECT_EQ(twin_error("mesh3d:points=9"), "gallery: mesh3d: points=9 is none of 7, 15, 19, 27");
}

TEST(Networks, rowLengths) {
    const Rows web = twin_rows("web:n=5000,min_row=2,max_row=100");
    const Rows cited = twin_rows("citations:n=5000,per_row=4");
    for (std::size_t i = 0; i < cited.size(); ++i) {
        EXPECT_LE(web[i].size(), 100u);
        EXPECT_GE(web[i].size(), 1u);
        for (const std::int64_t j : cited[i]) EXPECT_LT(j, static_cast<std::int64_t>(i));
    }
    const Rows near = twin_rows("near:n=5000,min_row=3,max_row=9,span=20");
    for (std::size_t i = 0; i < near.size(); ++i) {
        EXPECT_LE(near[i].size(), 9u);
        for (const std::int64_t j : near[i]) {
            const std::int64_t distance = std::abs(j - static_cast<std::int64_t>(i));
            EXPECT_LE(std::min(distance, 5000 - distance), 40);
        }
    }
    EXPECT_EQ(twin_error("web:min_row=9,max_row=8"),
              "gallery: web: min_row=9 is more than max_row=8");
    EXPECT_EQ(twin_error("near:min_row=9,max_row=8"),
              "gallery: near: min_row=9 is more than max_row=8");
    EXPECT_EQ(twin_error("rmat:scale=3,nodes=9"), "gallery: rmat: nodes=9 is more than 2^scale=8");
}

TEST(Twins, haveNamesOfTheirOwn) {
    std::set<std::string_view> names;
    for (auto& entry : gallery()) names.insert(entry.name);
    const std::size_t generators = names.size();
    for (auto& twin : twins()) {
        names.insert(twin.name);
        EXPECT_FALSE(twin.difference.empty()) << twin.name;
    }
    EXPECT_EQ(names.size(), generators + twins().size());
    EXPECT_GE(twins().size(), 64u);
    std::map<std::string_view, int> of_suite;
    for (auto& twin : twins()) ++of_suite[twin.suite];
    // 35 regular and 29 irregular; 8; 11, of which in-2004 is among the first, too.
    EXPECT_EQ(of_suite,
              (std::map<std::string_view, int>{{"csr-k", 64}, {"gospmv", 8}, {"lightspmv", 10}}));
}

class TwinSizes : public ::testing::TestWithParam<Twin> {};

TEST_P(TwinSizes, smallOnesHaveTheRowsOfTheOriginal) {
    const Twin& twin = GetParam();
    // A de Bruijn graph comes in powers of two, and a hub needs room.
    const double scale = twin.name == "debr" ? 0.0625 : std::min(1.0, 2e5 / twin.nnz);
    const CsrMatrix a =
        make_gallery_matrix(std::string(twin.name) + ":scale=" + std::to_string(scale));
    validate(a.view());
    EXPECT_NEAR(static_cast<double>(a.rows) / (twin.rows * scale), 1, 0.15);
    // Borders weigh more in a small grid, and a graph cut down has more doubled edges.
    const double mean = static_cast<double>(a.nnz) / static_cast<double>(a.rows);
    EXPECT_NEAR(mean / (twin.nnz / twin.rows), 1, 0.25) << mean;
}

INSTANTIATE_TEST_SUITE_P(All, TwinSizes, ::testing::ValuesIn(twins().begin(), twins().end()),
                         [](const auto& twin) {
                             std::string name(twin.param.name);
                             for (char& c : name)
                                 if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                             return name;
                         });

TEST(LongRows, haveTheLengthsAskedForAndMirrors) {
    const Rows plain = twin_rows("stencil5:nx=40,ny=50");
    const Rows rows = twin_rows("stencil5:nx=40,ny=50,long_rows=4,longest=120");
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_THAT(rows[i], ::testing::IsSupersetOf(plain[i]));
        lengths.push_back(rows[i].size());
    }
    std::ranges::sort(lengths, std::greater{});
    // A long row may also hold mirrored entries of another.
    for (std::size_t k = 0; k < 4; ++k)
        EXPECT_NEAR(static_cast<double>(lengths[k]), 120.0 / static_cast<double>(k + 1), 3);
    EXPECT_LE(lengths[4], 9u);
    const CsrMatrix wide =
        make_gallery_matrix("random:rows=10,cols=500,per_row=3,long_rows=1,longest=1000");
    EXPECT_EQ(wide.nnz, 9 * 3 + 500 - 500 / 8);
    EXPECT_EQ(twin_rows("diagonal:n=5,long_rows=2,longest=1"), twin_rows("diagonal:n=5"));
}

TEST(Scale, sidesThatAreOneStayOne) {
    const CsrMatrix a = make_gallery_matrix("af_shell10:scale=0.01");
    EXPECT_EQ(a.rows, 55 * 55 * 5);
}

TEST(Rmat, everyNodeHasAnEdge) {
    for (auto& row : twin_rows("rmat:scale=8,degree=4,every=1")) EXPECT_GE(row.size(), 1u);
}

TEST(Twins, parameters) {
    EXPECT_EQ(make_gallery_matrix("ecology1:scale=0.01").rows, 10000);
    EXPECT_EQ(make_gallery_matrix("ecology1:scale=0.01,ny=3").rows, 300);
    EXPECT_EQ(
        make_gallery_matrix("ecology1:scale=0.01,random_values=1").view().values_as<double>()[0] ==
            4,
        false);
    EXPECT_EQ(twin_error("ecology1:scale=0"),
              "gallery: ecology1: scale=0: use a number above 0, at most 100");
    EXPECT_EQ(twin_error("ecology1:nz=3"),
              "gallery: stencil5: no parameter 'nz'; it takes nx, ny, seed, random_values, "
              "long_rows, longest");
}

}  // namespace
}  // namespace spmvgen
