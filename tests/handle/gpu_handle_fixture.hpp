#pragma once
#include <gtest/gtest.h>
#include <omp.h>

#include <limits>
#include <memory>
#include <vector>

#include "fake_device.hpp"
#include "fakes.hpp"
#include "spmvgen/spmvgen.hpp"

/// A handle on a fake GPU, and the matrix that it multiplies with.
namespace spmvgen::fake_gpu {

// [ 1 2 ]
// [ 0 3 ]
// [ 4 0 ]
struct Tiny {
    std::vector<int> row_ptr{0, 2, 3, 4};
    std::vector<int> col_idx{0, 1, 1, 0};
    std::vector<double> values{1, 2, 3, 4};
    CsrView view() const { return csr_view(3, 2, row_ptr.data(), col_idx.data(), values.data()); }
};
inline const std::vector<double> x{10, 20};
inline const std::vector<double> product{50, 60, 40};
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline Options gpu_options() {
    Options o;
    o.device = "cuda:0";
    o.kernel = "csr_classical";
    return o;
}

/// A fake GPU with a fake compiler; its memory is the host's, so tests read and write it.
struct GpuHandle : testing::Test {
    GpuHandle() { omp_set_num_threads(1); }  // ThreadSanitizer does not see libgomp's barriers

    FakeKernels fake;
    std::shared_ptr<FakeDevice> device = std::make_shared<FakeDevice>();
    FakeDeviceLog& log = *device->log;

    Handle make(const Options& options = gpu_options(), const CsrView& a = Tiny().view()) {
        return make_handle(a, options, fake.provider, device);
    }
    void check_all_modes(const Handle& handle) {
        for (const double alpha : {0.0, 1.0, -2.0}) {
            for (const double beta : {0.0, 1.0, 3.0}) {
                std::vector<double> y(3, beta == 0 ? nan : 7);
                handle.apply(alpha, x.data(), beta, y.data());
                for (std::size_t i = 0; i < 3; ++i)
                    EXPECT_EQ(y[i], alpha * product[i] + 7 * beta)
                        << "row " << i << ", α = " << alpha << ", β = " << beta;
            }
        }
    }
    static Stream stream(std::uintptr_t number) { return {reinterpret_cast<void*>(number)}; }
};

}  // namespace spmvgen::fake_gpu
