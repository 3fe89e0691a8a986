// Rows in another order: regions are found on the device, and rows copied there, as on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <numeric>
#include <random>

#include "fixtures.hpp"
#include "handle/conversion/analysis_on_device.hpp"
#include "matrix/reorder/reordering.hpp"
#include "matrix/suites/gallery.hpp"
#include "matrix_on_device.hpp"

namespace spmvgen {
namespace {

class RowsOnDeviceTest : public testing::TestWithParam<const char*> {
  protected:
    AnalysisOnDevice analysis() {
        const KernelPolicy policy{.mode = CacheMode::on,
                                  .directory = fixtures::cache_of_this_run()};
        return {KernelProvider::process(), policy, device_};
    }
    template <typename T>
    std::vector<T> here(const void* array, std::int64_t count) {
        std::vector<T> copy(static_cast<std::size_t>(count));
        device_->copy_to_host(copy.data(), array, copy.size() * sizeof(T));
        return copy;
    }

    std::shared_ptr<Device> device_ = open_device(GetParam());
};
INSTANTIATE_TEST_SUITE_P(, RowsOnDeviceTest, testing::Values("simt:sm_90", "simt:gfx906"),
                         [](auto& test) { return std::string(test.param).substr(5); });

std::vector<std::int32_t> any_order(std::int64_t rows) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::shuffle(order, std::mt19937(5));
    return order;
}

// Empty rows, columns in no order, entries at the same place: all stand as they stood.
TEST_P(RowsOnDeviceTest, StandAsTheyStood) {
    constexpr std::int64_t n = 700;
    std::vector<std::int64_t> offsets{0}, columns;
    std::mt19937 random(1);
    for (std::int64_t row = 0; row < n; ++row) {
        for (unsigned left = row == 20 ? 300 : random() % 6; left > 0; --left)
            columns.push_back(random() % n);
        offsets.push_back(std::ssize(columns));
    }
    std::vector<float> values(columns.size());
    std::iota(values.begin(), values.end(), 1.0F);
    const CsrView wide = csr_view(n, n, offsets.data(), columns.data(), values.data());
    const std::vector<std::int32_t> order = any_order(n);
    const OnDevice there(*device_, wide);
    const auto rows = analysis().rows_in(there.view(), wide, order, 2);
    ASSERT_NE(rows, nullptr);
    std::vector<std::int64_t> row_ptr{0}, col_idx;
    std::vector<float> moved;
    for (const std::int32_t row : order) {
        for (std::int64_t k = wide.row_begin(row); k < wide.row_begin(row + 1); ++k) {
            col_idx.push_back(columns[static_cast<std::size_t>(k)]);
            moved.push_back(values[static_cast<std::size_t>(k)]);
        }
        row_ptr.push_back(std::ssize(col_idx));
    }
    EXPECT_EQ(here<std::int64_t>(rows->view().row_ptr, n + 1), row_ptr);
    EXPECT_EQ(here<std::int64_t>(rows->view().col_idx, wide.nnz), col_idx);
    EXPECT_EQ(here<float>(rows->view().values, wide.nnz), moved);
    const ValueOrder from = rows_in_order(wide, order, 2);
    const Buffer again = ordered_values(from, ValueType::f32, values.data(), 1);
    EXPECT_TRUE(std::ranges::equal(again.as<float>(), moved));
}

// A path takes more rounds than the device makes, a diagonal none; arrows of one way are followed
// that way, and what is out of reach gets seeds on the host.
TEST_P(RowsOnDeviceTest, AreInTheRegionsOfTheHost) {
    for (const char* spec :
         {"delaunay:n=3000,spatial=0,seed=3", "banded:n=4000,lower=1,upper=1",
          "banded:n=9000,lower=8,upper=0", "diagonal:n=5000", "rmat:scale=12,degree=3"}) {
        SCOPED_TRACE(spec);
        const CsrMatrix matrix = make_gallery_matrix(spec);
        const OnDevice there(*device_, matrix.view());
        constexpr std::int64_t rows_a_region = 1500;
        bool was_asked = false, ended = false;
        const auto regions = reordering::regions_of_rows(
            matrix.view(), rows_a_region, 2, [&](reordering::RegionSearch& search) {
                was_asked = true;
                return ended = analysis().search(there.view(), search, 512);
            });
        EXPECT_TRUE(was_asked);
        EXPECT_EQ(ended, !std::string(spec).starts_with("banded:n=4000"));
        const auto here = reordering::regions_of_rows(matrix.view(), rows_a_region);
        ASSERT_TRUE(regions && here);
        EXPECT_EQ(regions->count, here->count);
        EXPECT_TRUE(std::ranges::equal(regions->of_row(), here->of_row()));
    }
}

CsrView without_columns(CsrView a) {
    a.col_idx = a.values = nullptr;
    return a;
}

// Clusters that are cut off by the regions' ends, rows that no cluster has room for, rows that are
// out of reach, rows without entries, long ones, and a hub: the order is the host's, and so is the
// bandwidth. The host has no columns.
TEST_P(RowsOnDeviceTest, AreInTheClustersOfTheHost) {
    for (const char* spec : {"delaunay:n=5000,spatial=0,seed=3", "banded:n=300,lower=1,upper=1",
                             "banded:n=2500,lower=40,upper=0", "diagonal:n=5000",
                             "rmat:scale=12,degree=9", "stencil7:nx=17"}) {
        SCOPED_TRACE(spec);
        const CsrMatrix matrix = make_gallery_matrix(spec);
        const OnDevice there(*device_, matrix.view());
        auto on_device = analysis();
        const auto found = order_of_rows(
            without_columns(matrix.view()), 2,
            {.search = [&](auto& search) { return on_device.search(there.view(), search); },
             .cluster = [&](auto& regions) { return on_device.cluster(there.view(), regions); }});
        const auto here = order_of_rows(matrix.view(), 2);
        ASSERT_TRUE(found && here);
        EXPECT_EQ(found->order, here->order);
        EXPECT_EQ(found->bandwidth, here->bandwidth);
    }
}

// A hub makes one region of all rows, for which a single block of threads would take long.
TEST_P(RowsOnDeviceTest, AroundAHubAreLeftToTheHost) {
    const CsrMatrix matrix = make_gallery_matrix("arrow:n=30000");
    const OnDevice there(*device_, matrix.view());
    auto on_device = analysis();
    bool was_asked = false;
    const auto found = order_of_rows(
        without_columns(matrix.view()), 2,
        {.search = [&](auto& search) { return on_device.search(there.view(), search); },
         .cluster =
             [&](auto& regions) {
                 was_asked = true;
                 return on_device.cluster(there.view(), regions);
             }});
    EXPECT_TRUE(was_asked);
    EXPECT_FALSE(found);
}

// The same with columns and offsets of 64 bits; and a column that is no row is found out.
TEST_P(RowsOnDeviceTest, ReadColumnsOf64Bits) {
    const CsrMatrix matrix = make_gallery_matrix("delaunay:n=3000,spatial=0,seed=4");
    const CsrView narrow = matrix.view();
    std::vector<std::int64_t> offsets, columns;
    for (std::int64_t row = 0; row <= narrow.rows; ++row) offsets.push_back(narrow.row_begin(row));
    for (std::int64_t k = 0; k < narrow.nnz; ++k) columns.push_back(narrow.col(k));
    const std::vector<double> values(columns.size(), 1);
    const auto ordered = [&](bool clusters_alone) {
        const CsrView wide =
            csr_view(narrow.rows, narrow.cols, offsets.data(), columns.data(), values.data());
        const OnDevice there(*device_, wide);
        reordering::ClusteringElsewhere elsewhere{
            .search = [&](auto& search) { return analysis().search(there.view(), search); },
            .cluster = [&](auto& regions) { return analysis().cluster(there.view(), regions); }};
        if (clusters_alone) elsewhere.search = {};
        return order_of_rows(clusters_alone ? narrow : without_columns(wide), 1, elsewhere);
    };
    const auto here = order_of_rows(narrow, 1);
    const auto found = ordered(false);
    ASSERT_TRUE(found && here);
    EXPECT_EQ(found->order, here->order);
    for (const std::int64_t wrong : {std::int64_t{-1}, std::int64_t{3000}}) {
        columns[70] = wrong;
        EXPECT_FALSE(ordered(false));
        EXPECT_EQ(ordered(true)->order, here->order);  // by the host, which has the right ones
    }
}

TEST_P(RowsOnDeviceTest, OfComplexNumbersAreNotMade) {
    const std::vector<int> offsets{0, 1, 2}, columns{0, 1};
    const std::vector<std::complex<double>> values{1, 2};
    const CsrView a = csr_view(2, 2, offsets.data(), columns.data(), values.data());
    const OnDevice there(*device_, a);
    EXPECT_EQ(analysis().rows_in(there.view(), a, any_order(2), 1), nullptr);
}

}  // namespace
}  // namespace spmvgen
