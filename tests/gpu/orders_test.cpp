// An order of rows that is made on a GPU is the host's, and so are the products in it.
#include "gpu_products.hpp"
#include "handle/conversion/analysis_on_device.hpp"
#include "kernels/matrix_on_device.hpp"
#include "matrix/reorder/reordering.hpp"

namespace spmvgen::gpu_tests {
namespace {

class GpuOrders : public OnDevice {
  protected:
    /// The order that the device makes of rows whose columns the host does not have.
    std::optional<RowOrder> order_there(const CsrView& a) {
        const KernelPolicy policy{.mode = CacheMode::memory, .directory = {}};
        AnalysisOnDevice analysis(KernelProvider::process(), policy, device_);
        const spmvgen::OnDevice there(*device_, a);
        CsrView lacking = a;
        lacking.col_idx = lacking.values = nullptr;
        return order_of_rows(
            lacking, 0,
            {.search = [&](auto& search) { return analysis.search(there.view(), search); },
             .cluster = [&](auto& regions) { return analysis.cluster(there.view(), regions); }});
    }
};

/// Many regions at once, which a SIMT executor makes one after another.
std::vector<std::string> unordered_matrices() {
    if (!is_cuda()) return {"delaunay:n=3000,spatial=0,seed=3", "banded:n=2500,lower=40,upper=0"};
    return {"delaunay:n=400000,spatial=0,seed=3", "near:n=300000,seed=5",
            "banded:n=200000,lower=40,upper=0", "stencil7:nx=70"};
}

TEST_F(GpuOrders, AreTheHosts) {
    for (auto& spec : unordered_matrices()) {
        SCOPED_TRACE(spec);
        const CsrMatrix matrix = make_gallery_matrix(spec);
        const auto there = order_there(matrix.view()), here = order_of_rows(matrix.view());
        ASSERT_TRUE(there && here);
        EXPECT_EQ(there->order, here->order);
        EXPECT_EQ(there->bandwidth, here->bandwidth);
    }
}

/// From device arrays, with new values in device memory.
TEST_F(GpuOrders, ThatAreChosenMultiply) {
    if (!is_cuda()) GTEST_SKIP() << "a SIMT executor would take long for so many rows";
    const CsrMatrix matrix = make_gallery_matrix("delaunay:n=600000,spatial=0,seed=4");
    Product<double> product(matrix, *device_);
    const spmvgen::OnDevice there(*device_, product.view());
    Options options = options_for("auto");
    options.device_arrays = true;
    Handle handle(there.view(), options);
    EXPECT_EQ(handle.info().reorder, "rows") << handle.info().reason;
    EXPECT_TRUE(std::ranges::equal(handle.row_order(), order_of_rows(matrix.view())->order.order));
    EXPECT_EQ(product.multiply(handle, 1, 0), "");
    EXPECT_EQ(product.multiply(handle, 2, 3), "");
    handle.update_values(ValueType::f64, there.view().values);
    EXPECT_EQ(product.multiply(handle, 1, 0), "");
}

}  // namespace
}  // namespace spmvgen::gpu_tests
