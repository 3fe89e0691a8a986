// Transposed products on a device, by a transposed plan and by atomics, against the reference of
// the transpose.
#include "matrix/transpose.hpp"
#include "gpu_products.hpp"

namespace spmvgen::gpu_tests {
namespace {

class GpuTranspose : public OnDevice {
  protected:
    template <typename Value>
    void check_gallery(const std::string& op, bool atomics) {
        for (auto& text : small_gallery()) {
            SCOPED_TRACE(text);
            const CsrMatrix matrix =
                convert_values(make_gallery_matrix(text).view(), type_tag<Value>::value);
            Product<Value> product(transpose(matrix.view(), op == "H"), *device_);
            Options options = options_for("auto");
            options.op = op;
            options.transpose_by_atomics = atomics;
            const Handle handle(matrix.view(), options);
            for (const double a : {1.0, -1.5, 0.0})
                for (const double b : {0.0, 1.0, 2.5}) {
                    const Value alpha = a == -1.5 ? general<Value>(a) : static_cast<Value>(a);
                    const Value beta = b == 2.5 ? general<Value>(b) : static_cast<Value>(b);
                    EXPECT_EQ(product.multiply(handle, alpha, beta), "")
                        << handle.info().kernel << " α=" << alpha << " β=" << beta;
                }
        }
    }
};

TEST_F(GpuTranspose, QuickByAPlan) {
    check_gallery<double>("T", false);
}
TEST_F(GpuTranspose, QuickByAtomics) {
    check_gallery<double>("T", true);
}
TEST_F(GpuTranspose, ConjugateByAPlan) {
    check_gallery<std::complex<double>>("H", false);
}
TEST_F(GpuTranspose, ConjugateByAtomics) {
    check_gallery<std::complex<double>>("H", true);
}
TEST_F(GpuTranspose, SingleByAtomics) {
    check_gallery<float>("T", true);
}

}  // namespace
}  // namespace spmvgen::gpu_tests
