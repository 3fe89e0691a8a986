// What values have in common, found on the device: as on the host, to the last bit.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "fixtures.hpp"
#include "formats/value_encoding.hpp"
#include "handle/conversion/analysis_on_device.hpp"
#include "handle/kernels/kernel_provider.hpp"
#include "matrix_on_device.hpp"

namespace spmvgen {
namespace {

class ValuesOnDeviceTest : public testing::TestWithParam<const char*> {
  protected:
    template <typename Value>
    void expect_as_on_host(const std::vector<Value>& values) {
        SCOPED_TRACE(values.size());
        const auto nnz = static_cast<std::int64_t>(values.size());
        std::vector<int> row_ptr{0, static_cast<int>(nnz)}, col_idx(values.size());
        for (std::size_t k = 0; k < col_idx.size(); ++k) col_idx[k] = static_cast<int>(k);
        const CsrView a = csr_view<Value>(1, nnz, row_ptr.data(), col_idx.data(), values.data());
        const OnDevice there(*device_, a);
        const KernelPolicy policy{.mode = CacheMode::on,
                                  .directory = fixtures::cache_of_this_run()};
        AnalysisOnDevice analysis(KernelProvider::process(), policy, device_);
        const auto traits = analysis.value_traits(there.view());
        ASSERT_TRUE(traits.has_value());
        for (const bool half : {false, true})
            for (const bool integers : {false, true})
                for (const bool one : {false, true})
                    for (const bool dictionary : {false, true}) {
                        const EncodingChoice allowed{.half = half,
                                                     .small_integers = integers,
                                                     .one_value = one,
                                                     .dictionary = dictionary};
                        EXPECT_EQ(encoding_of(*traits, a.value_type, allowed),
                                  encode_values(a, allowed));
                    }
    }
    /// Complex numbers of the same parts, either part varying.
    template <typename Real>
    void expect_as_on_host_in(const std::vector<double>& numbers) {
        std::vector<Real> reals;
        std::vector<std::complex<Real>> first, second;
        for (const double number : numbers) {
            const auto real = static_cast<Real>(number);
            reals.push_back(real);
            first.push_back({real, 0});
            second.push_back({2, real});
        }
        expect_as_on_host(reals);
        expect_as_on_host(first);
        expect_as_on_host(second);
    }
    void expect_as_on_host_in_all(const std::vector<double>& numbers) {
        expect_as_on_host_in<double>(numbers);
        expect_as_on_host_in<float>(numbers);
    }

    std::shared_ptr<Device> device_ = open_device(GetParam());
};
INSTANTIATE_TEST_SUITE_P(, ValuesOnDeviceTest,
                         testing::Values("simt:sm_90", "simt:gfx906", "simt:gfx1030"),
                         [](auto& test) { return std::string(test.param).substr(5); });

TEST_P(ValuesOnDeviceTest, FewNumbers) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const std::vector<double>& numbers :
         std::vector<std::vector<double>>{{7},
                                          {1.5, 1.5, 1.5},
                                          {nan, nan},
                                          {1, nan},
                                          {-128, 127, 0, 5},
                                          {-129, 1},
                                          {128, 1},
                                          {0.0, -0.0},
                                          {-0.0, -0.0},
                                          {infinity, -infinity, 1},
                                          {0.5, 3.25, 1e300},
                                          {1e-40, 2, 3},
                                          {0x1p-24, 65504, 300},
                                          {0x1p-25, 3},
                                          {65536, 0.25},
                                          {0x1.fep100, 1},
                                          {0x1.fffffep10, 0.5},
                                          {0.1, 0.2, -0.1},
                                          {std::numbers::pi, 0x1p-1074}})
        expect_as_on_host_in_all(numbers);
}

TEST_P(ValuesOnDeviceTest, ManyNumbers) {
    // The odd one comes first, in the middle, and last.
    for (const int distinct : {2, 255, 256, 257, 3000})
        for (const std::size_t odd : {0, 7001, 19999}) {
            std::vector<double> numbers;
            for (int k = 0; k < 20000; ++k) numbers.push_back(0.1 * (k % distinct));
            expect_as_on_host(numbers);
            numbers[odd] = 1e200;
            expect_as_on_host(numbers);
        }
    std::vector<double> integers(20000, 3);
    expect_as_on_host_in_all(integers);
    integers[13000] = -4;
    expect_as_on_host_in_all(integers);
    integers[13001] = 0.1;
    expect_as_on_host_in_all(integers);
    integers[19998] = std::numeric_limits<double>::quiet_NaN();
    expect_as_on_host_in_all(integers);
}

}  // namespace
}  // namespace spmvgen
