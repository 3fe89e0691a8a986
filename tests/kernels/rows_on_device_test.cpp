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
    CsrView in_order = wide;
    in_order.row_ptr = row_ptr.data();
    const ValueOrder from = values_in_order(wide, in_order, order, 2);
    const Buffer again = ordered_values(from, ValueType::f32, values.data(), 1);
    EXPECT_TRUE(std::ranges::equal(again.as<float>(), moved));
}

// A path takes more rounds than the device makes, a diagonal none; arrows of one way are followed
// that way, and what is out of reach gets seeds on the host.
TEST_P(RowsOnDeviceTest, AreInTheRegionsOfTheHost) {
    for (const char* spec :
         {"delaunay:n=3000,spatial=0,seed=3", "banded:n=4000,lower=1,upper=1",
          "banded:n=900,lower=2,upper=0", "diagonal:n=500", "rmat:scale=10,degree=3"}) {
        SCOPED_TRACE(spec);
        const CsrMatrix matrix = make_gallery_matrix(spec);
        const OnDevice there(*device_, matrix.view());
        constexpr std::int64_t rows_a_region = 1500;
        bool was_asked = false, ended = false;
        const reordering::Regions regions = reordering::regions_of_rows(
            matrix.view(), rows_a_region, 2, [&](reordering::RegionSearch& search) {
                was_asked = true;
                return ended = analysis().search(there.view(), search);
            });
        EXPECT_TRUE(was_asked);
        EXPECT_EQ(ended, !std::string(spec).starts_with("banded:n=4000"));
        const reordering::Regions here = reordering::regions_of_rows(matrix.view(), rows_a_region);
        EXPECT_EQ(regions.count, here.count);
        EXPECT_EQ(regions.of_row, here.of_row);
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
