// Orders of rows alone: clusters of rows that share columns.
#include "matrix/reorder/row_clusters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "fixtures.hpp"
#include "matrix/reorder/regions.hpp"
#include "matrix/reorder/reordering.hpp"
#include "matrix/reorder/sampled_clusters.hpp"
#include "matrix/suites/gallery.hpp"

namespace spmvgen {
namespace {

TEST(ReorderRows, NeedNoSquareMatrix) {
    for (const char* shape : {"rows=700,cols=90", "rows=90,cols=700"}) {
        const CsrMatrix matrix =
            make_gallery_matrix("random:" + std::string(shape) + ",per_row=3,seed=4");
        const CsrView a = matrix.view();
        const Reordering r = reorder(a, ReorderMethod::rows, {}, 1);
        EXPECT_EQ(r, reorder(a, ReorderMethod::rows, {}, 3));
        std::vector<std::int32_t> sorted = r.order, rows(static_cast<std::size_t>(a.rows)),
                                  columns(static_cast<std::size_t>(a.cols));
        std::ranges::sort(sorted);
        std::iota(rows.begin(), rows.end(), 0);
        std::iota(columns.begin(), columns.end(), 0);
        EXPECT_EQ(sorted, rows);
        EXPECT_EQ(r.place, columns);
        const CsrMatrix b = permute(a, r);
        EXPECT_EQ(bandedness(a, r), bandedness(a));
        for (std::int64_t i = 0; i < a.rows; ++i)
            EXPECT_EQ(b.view().row_length(i), a.row_length(r.order[static_cast<std::size_t>(i)]));
    }
}

// Rows 0, 2, 4, … share columns, and so do the others: clusters keep them apart.
TEST(ReorderRows, OfAMatrixThatIsNotSquareShareColumns) {
    constexpr int m = 2 * cluster_rows;
    std::vector<int> row_ptr(m + 1), col_idx(m);
    const std::vector<double> values(m, 1);
    for (int i = 0; i < m; ++i) {
        row_ptr[static_cast<std::size_t>(i) + 1] = i + 1;
        col_idx[static_cast<std::size_t>(i)] = i % 2;
    }
    const Reordering r =
        reorder(csr_view(m, 2, row_ptr.data(), col_idx.data(), values.data()), ReorderMethod::rows);
    for (int i = 1; i < cluster_rows; ++i)
        EXPECT_EQ(r.order[static_cast<std::size_t>(i)] % 2, r.order[0] % 2);
}

TEST(ReorderRows, AreClustersOfNeighbours) {
    const CsrMatrix matrix = make_gallery_matrix("delaunay:n=4000,spatial=0,seed=2");
    const CsrView a = matrix.view();
    const Reordering r = reorder(a, ReorderMethod::rows, {}, 1);
    EXPECT_EQ(r, reorder(a, ReorderMethod::rows, {}, 3));
    std::vector<std::int32_t> sorted = r.order;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, r.place) << "a permutation of rows; columns stay";
    // Entries whose column belongs to a row of the same cluster: hardly any before.
    const auto inside = [&](const std::vector<std::int32_t>& order) {
        std::vector<std::int32_t> cluster(order.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            cluster[static_cast<std::size_t>(order[i])] =
                static_cast<std::int32_t>(i) / cluster_rows;
        std::int64_t entries = 0;
        for (std::int64_t i = 0; i < a.rows; ++i)
            for (std::int64_t k = a.row_begin(i); k < a.row_begin(i + 1); ++k)
                entries += cluster[static_cast<std::size_t>(i)] ==
                           cluster[static_cast<std::size_t>(a.col(k))];
        return static_cast<double>(entries) / static_cast<double>(a.nnz);
    };
    EXPECT_GT(inside(r.order), 0.7);
    EXPECT_LT(inside(r.place), 0.3);
    for (std::size_t i = 1; i < r.order.size(); ++i)
        if (i % cluster_rows != 0) {
            EXPECT_LE(a.row_length(r.order[i]), a.row_length(r.order[i - 1])) << i;
        }
}

// Regions are grown from many rows at once, so this has some.
TEST(ReorderRows, AreTheSameForAnyNumberOfThreads) {
    const CsrMatrix a = make_gallery_matrix("delaunay:n=60000,spatial=0,seed=3");
    const reordering::Regions regions = *reordering::regions_of_rows(a.view(), 1000, 1);
    EXPECT_EQ(regions.count, 60);
    const reordering::Regions again = *reordering::regions_of_rows(a.view(), 1000, 3);
    EXPECT_TRUE(std::ranges::equal(regions.of_row(), again.of_row()));
    EXPECT_EQ(reordering::row_clusters(a.view(), cluster_rows, 1)->order,
              reordering::row_clusters(a.view(), cluster_rows, 3)->order);
}

// Rows that lead nowhere are regions in the order that they have.
TEST(ReorderRows, TakeRowsWithoutNeighbours) {
    const CsrMatrix a = make_gallery_matrix("diagonal:n=50000");
    const reordering::Regions regions = *reordering::regions_of_rows(a.view(), 1000, 2);
    std::vector<int> rows(static_cast<std::size_t>(regions.count));
    for (const std::int32_t region : regions.of_row()) ++rows[static_cast<std::size_t>(region)];
    EXPECT_LE(*std::ranges::max_element(rows), 1000);
    EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), 0), 50000);
}

TEST(ReorderRows, WithoutColumnsThereIsNoOrderWhereNobodyElseMakesOne) {
    const CsrMatrix a = make_gallery_matrix("diagonal:n=5000");
    CsrView rows = a.view();
    rows.col_idx = nullptr;
    const auto ends = [](reordering::RegionSearch&) { return true; };
    EXPECT_FALSE(order_of_rows(rows, 1));
    EXPECT_FALSE(order_of_rows(rows, 1, {.search = ends}));
    const auto found = order_of_rows(
        rows, 1, {.search = ends, .cluster = [](reordering::RegionsToCluster& regions) {
                      regions.bandwidth = 7;
                      return true;
                  }});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->bandwidth, 7);
    EXPECT_EQ(found->order, order_of_rows(a.view(), 1)->order);
}

// Columns that the matrix lacks are asked for where nobody else does what is left.
TEST(ReorderRows, AreMadeOfColumnsThatComeLater) {
    const CsrMatrix a = make_gallery_matrix("delaunay:n=20000,spatial=0,seed=3");
    const CsrView whole = a.view();
    CsrView rows = whole;
    rows.col_idx = rows.values = nullptr;
    int asked = 0;
    const auto found =
        order_of_rows(rows, 2,
                      {.search = [](reordering::RegionSearch&) { return false; },
                       .cluster = [](reordering::RegionsToCluster&) { return false; },
                       .here =
                           [&] {
                               ++asked;
                               return &whole;
                           }});
    const RowOrder expected = *order_of_rows(whole);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->order, expected.order);
    EXPECT_EQ(found->bandwidth, expected.bandwidth);
    EXPECT_GT(asked, 0);
}

TEST(ReorderRows, ASampleIsOfClustersAsTheyCome) {
    const CsrMatrix a = make_gallery_matrix("delaunay:n=60000,spatial=0,seed=3");
    const auto sample = reordering::sampled_row_clusters(a.view(), cluster_rows, 2, 4);
    ASSERT_EQ(sample.size(), 8U * cluster_rows);
    EXPECT_EQ(std::set(sample.begin(), sample.end()).size(), sample.size()) << "no row twice";
    std::int64_t inside = 0, entries = 0;
    for (std::size_t begin = 0; begin < sample.size(); begin += cluster_rows) {
        const std::set<std::int64_t> cluster(
            sample.begin() + static_cast<std::ptrdiff_t>(begin),
            sample.begin() + static_cast<std::ptrdiff_t>(begin) + cluster_rows);
        for (const std::int64_t row : cluster)
            for (std::int64_t k = a.view().row_begin(row); k < a.view().row_begin(row + 1); ++k) {
                inside += cluster.contains(a.view().col(k)) ? 1 : 0;
                ++entries;
            }
    }
    EXPECT_GT(static_cast<double>(inside), 0.7 * static_cast<double>(entries));
}

TEST(ReorderRows, TakeHubsAndManyComponents) {
    for (const char* spec : {"arrow:n=1000", "rmat:scale=9", "powerlaw:n=700,max_row=50"}) {
        const CsrMatrix a = make_gallery_matrix(spec);
        Reordering r = reorder(a.view(), ReorderMethod::rows);
        std::ranges::sort(r.order);
        EXPECT_EQ(r.order, r.place) << spec;
    }
}

}  // namespace
}  // namespace spmvgen
