// α and β in a device's memory: what the kernels that read them there make of a product.
#include <gtest/gtest.h>

#include "any_matrix.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

/// y = αAx + βy with numbers in the memory of the SIMT executor, which is this machine's.
template <typename Value>
std::vector<Value> with_device_scalars(const Handle& handle, const AnyMatrix<Value>& a, Value alpha,
                                       Value beta) {
    const auto x = a.x();
    std::vector<Value> y(x.size(), Value(3));
    handle.apply_device_scalars(&alpha, x.data(), &beta, y.data());
    return y;
}

template <typename Value>
std::vector<Value> with_host_scalars(const Handle& handle, const AnyMatrix<Value>& a, Value alpha,
                                     Value beta) {
    const auto x = a.x();
    std::vector<Value> y(x.size(), Value(3));
    handle.apply(alpha, x.data(), beta, y.data());
    return y;
}

template <typename Value>
void check(const Options& options, const AnyMatrix<Value>& a) {
    const Handle handle(a.view(), options);
    for (const auto& [alpha, beta] :
         {std::pair{Value(-2), Value(5)}, {Value(1), Value(0)}, {Value(0), Value(1)}})
        EXPECT_EQ(with_device_scalars(handle, a, alpha, beta),
                  with_host_scalars(handle, a, alpha, beta))
            << handle.info().kernel;
}

std::vector<std::string> product_kernels() {
    std::vector<std::string> ids;
    for (auto& kernel : kernel_registry())
        if (kernel.gpu && is_plain_product(kernel)) ids.emplace_back(kernel.id);
    return ids;
}

class DeviceScalars : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, DeviceScalars, testing::ValuesIn(product_kernels()),
                         [](auto& test) { return test.param; });

TEST_P(DeviceScalars, AreWhatTheProductIsScaledBy) {
    Options options = options_for("simt:sm_90");
    options.kernel = GetParam();
    check(options, AnyMatrix<double>());
    options.device = "simt:gfx90a";
    check(options, AnyMatrix<std::complex<double>>());
}

TEST(DeviceScalarsOf, EveryKindOfHandle) {
    const AnyMatrix<double> a;
    Options options = options_for("simt:sm_90");
    options.op = "T";
    check(options, a);
    options.transpose_by_atomics = true;
    check(options, a);
    for (const char* order : {"rows", "rcm"}) {
        options = options_for("simt:sm_90");
        options.reorder = order;
        check(options, a);
    }
    options = options_for("simt:sm_90");
    options.level = "lazy";
    check(options, a);
    options = options_for("host");
    check(options, a);
    options = options_for("simt:sm_90");
    options.epilogue = "value + row";
    check(options, a);
}

TEST(DeviceScalarsOf, AMatrixWithoutEntriesScaleY) {
    AnyMatrix<double> a(4);
    a.row_ptr.assign(5, 0);
    a.col_idx.clear();
    a.values.clear();
    check(options_for("simt:sm_90"), a);
}

// There they are numbers in its memory, and no kernel of their own is asked for.
TEST(DeviceScalarsOf, TheHostTakeTheWorkspaceOfAnyNumbers) {
    const AnyMatrix<double> a;
    Options options = options_for("host");  // strict
    options.kernel = "csr_balanced";
    const Handle handle(a.view(), options);
    handle.prepare(Scale::device, Scale::device);
    EXPECT_EQ(handle.workspace_bytes(Scale::device, Scale::device),
              handle.workspace_bytes(Scale::general, Scale::general));
}

// The same pointers with other numbers: nothing is made or bound again.
TEST(DeviceScalarsOf, ALaterProductAreReadAnew) {
    const AnyMatrix<double> a;
    const Handle handle(a.view(), options_for("simt:sm_90"));
    handle.prepare(Scale::device, Scale::device);
    double alpha = 1, beta = 0;
    const auto x = a.x();
    for (const double number : {2.0, -3.0}) {
        std::vector<double> y(x.size());
        alpha = number;
        handle.apply_device_scalars(&alpha, x.data(), &beta, y.data());
        EXPECT_EQ(y, a.product(a.values, "N", number));
    }
}

}  // namespace
}  // namespace spmvgen
