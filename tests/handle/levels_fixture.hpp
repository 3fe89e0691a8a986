#pragma once
#include <gtest/gtest.h>
#include <omp.h>

#include <memory>
#include <string>
#include <vector>

#include "fake_device.hpp"
#include "fakes.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// Handles of a tiny matrix, with a fake compiler that makes kernels for CSR.
struct Levels : testing::Test {
    // [ 1 2 ]
    // [ 0 3 ]
    // [ 4 0 ]
    struct Matrix {
        std::vector<int> row_ptr{0, 2, 3, 4};
        std::vector<int> col_idx{0, 1, 1, 0};
        std::vector<double> values{1, 2, 3, 4};
        CsrView view() const {
            return csr_view(3, 2, row_ptr.data(), col_idx.data(), values.data());
        }
    };
    /// A fake GPU on which one kernel's product is wrong.
    class WrongDevice : public FakeDevice {
      public:
        std::string wrong;  ///< a kernel's id
        void launch(const DeviceKernel& kernel, std::size_t step, const GridLaunch& grid,
                    void* const* arguments, StreamRef stream) override {
            FakeDevice::launch(kernel, step, grid, arguments, stream);
            if (kernel.signature().kernel == wrong) *static_cast<double**>(arguments[5])[0] += 1e-9;
        }
    };

    Levels() { omp_set_num_threads(1); }

    FakeKernels fake;
    Matrix tiny;
    const std::vector<double> x{10, 20};
    const std::vector<double> product{50, 60, 40};
    std::shared_ptr<WrongDevice> device = std::make_shared<WrongDevice>();

    static Options measure_options() {
        Options o;
        o.level = "measure";
        o.format = "csr";
        o.budget_ms = 20'000;  // enough for all kernels on a busy machine; each has 50 ms at most
        return o;
    }
    static Options gpu_options() {
        Options o = measure_options();
        o.device = "cuda:0";
        return o;
    }
    Handle make(const Options& o) {
        return make_handle(tiny.view(), o, fake.provider, o.device == "host" ? nullptr : device);
    }
    std::vector<double> multiplied(const Handle& handle) const {
        std::vector<double> y(3);
        handle.apply(1.0, x.data(), 0.0, y.data());
        return y;
    }
    static std::vector<std::string> names(const Info& info) {
        std::vector<std::string> all;
        for (auto& kernel : info.measured) all.push_back(kernel.kernel);
        return all;
    }
};

}  // namespace spmvgen
