// Handles come and go without leaving anything in the device.
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

/// A handle that is destroyed right after an apply: its memory must not go to others before that
/// has ended.
TEST_F(GpuLifetime, QuickHandleEndsBeforeItsApply) {
    const CsrMatrix matrix = make_gallery_matrix("stencil27:nx=12,ny=12,nz=12");
    for (auto& kernel : kernels()) {
        Product<double> product(matrix, *device_);
        for (int i = 0; i < (is_cuda() ? 20 : 2); ++i) {
            product.new_y(0);
            Handle(product.view(), options_for(kernel)).apply(1.0, product.x(), 0.0, product.y());
            // Takes up what the handle gave back.
            const Handle other(product.view(), options_for(kernel));
            device_->synchronize({});
            ASSERT_EQ(product.trouble(1, 0), "") << other.info().kernel;
        }
    }
}

}  // namespace
}  // namespace spmvgen::gpu_tests
