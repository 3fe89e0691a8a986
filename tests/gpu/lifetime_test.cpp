// Handles come and go without leaving anything in the device, many of them at once.
#include <future>

#include "gpu_products.hpp"

namespace spmvgen::gpu_tests {
namespace {

/// What the driver takes from the device at a time.
constexpr std::size_t granule = std::size_t{2} << 20;

class GpuLifetime : public OnDevice {};

/// Free memory tells of leaks only where nobody else uses the device.
TEST_F(GpuLifetime, TenThousandHandlesLeaveNoMemory) {
    if (!is_cuda()) GTEST_SKIP() << device_text() << " has no memory of its own";
    const CsrMatrix matrix =
        convert_values(make_gallery_matrix("powerlaw:n=600,max_row=500").view(), ValueType::f64);
    Product<double> product(matrix, *device_);
    std::vector<Options> all;
    for (auto& kernel : kernels())
        for (const bool deterministic : {false, true}) {
            all.push_back(options_for(kernel));
            all.back().deterministic = deterministic;
        }
    const auto use = [&](const Options& options) {
        const Handle handle(matrix.view(), options);
        handle.apply(1.0, product.x(), 0.0, product.y());
        handle.apply(1.0, product.x(), 1.0, product.y());
    };
    // The kernels, which stay loaded, and what the driver keeps for them.
    for (auto& options : all) use(options);
    device_->synchronize({});
    const auto before = device_->free_bytes();
    for (std::size_t i = 0; i < 10'000; ++i) use(all[i % all.size()]);
    device_->synchronize({});
    const auto after = device_->free_bytes();
    EXPECT_LE(before, after + granule);
    for (auto& options : all) {
        const Handle handle(matrix.view(), options);
        EXPECT_EQ(product.multiply(handle, 1, 0), "") << handle.info().kernel;
    }
}

/// A thread for each kernel, all of which are planned, compiled and filled at the same time.
TEST_F(GpuLifetime, HandlesOfAllKernelsAreMadeAtOnce) {
    const CsrMatrix matrix = make_gallery_matrix(is_cuda() ? "powerlaw:n=20000,max_row=2000"
                                                           : "powerlaw:n=600,max_row=500");
    const std::vector<std::string> all = kernels();
    std::vector<std::future<std::string>> troubles;
    for (auto& kernel : all)
        troubles.push_back(std::async(std::launch::async, [&] {
            Product<double> product(matrix, *device_);
            Options options = options_for(kernel);
            options.memory_limit = std::int64_t{1} << 32;  // padding is none of the matter
            const Handle handle(product.view(), options);
            return product.multiply(handle, 1, 0);
        }));
    for (std::size_t i = 0; i < troubles.size(); ++i) EXPECT_EQ(troubles[i].get(), "") << all[i];
}

/// A handle that is destroyed right after an apply: its memory must not go to others before that
/// has ended. Of the larger matrix it comes from the device's pool.
TEST_F(GpuLifetime, QuickHandleEndsBeforeItsApply) {
    std::vector<std::string> matrices{"stencil27:nx=12,ny=12,nz=12"};
    if (is_cuda()) matrices.push_back("stencil27:nx=24,ny=24,nz=24");
    for (auto& name : matrices) {
        const CsrMatrix matrix = make_gallery_matrix(name);
        for (auto& kernel : kernels()) {
            Product<double> product(matrix, *device_);
            for (int i = 0; i < (is_cuda() ? 20 : 2); ++i) {
                product.new_y(0);
                const Options options = options_for(kernel);
                Handle(product.view(), options).apply(1.0, product.x(), 0.0, product.y());
                // Takes up what the handle gave back.
                const Handle other(product.view(), options);
                device_->synchronize({});
                ASSERT_EQ(product.trouble(1, 0), "") << other.info().kernel;
            }
        }
    }
}

}  // namespace
}  // namespace spmvgen::gpu_tests
