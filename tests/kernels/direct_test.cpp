#include "direct.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <cstring>
#include <set>

#include "fixtures.hpp"
#include "registry.hpp"
#include "verify/reference.hpp"

namespace spmvgen::direct {

std::vector<KernelCase> csr_cases();
std::vector<KernelCase> other_cases();
std::vector<KernelCase> block_cases();
std::vector<KernelCase> strips_cases();

const std::vector<KernelCase>& kernel_table() {
    static const std::vector<KernelCase> table = [] {
        std::vector<KernelCase> all = csr_cases();
        for (auto& kernel : other_cases()) all.push_back(kernel);
        for (auto& kernel : block_cases()) all.push_back(kernel);
        for (auto& kernel : strips_cases()) all.push_back(kernel);
        return all;
    }();
    return table;
}

std::string name(const KernelCase& kernel) {
    std::string text = kernel.kernel;
    for (auto& [parameter, value] : kernel.params)
        text += "_" + parameter.str() + std::to_string(value);
    return text;
}

namespace {

using fixtures::Fixture;
using fixtures::OffsetArray;

Signature signature(const KernelCase& kernel, ValueType value, IndexType integers) {
    Signature s;
    s.kernel = kernel.kernel;
    s.params = kernel.params;
    s.value = value;
    s.index = s.offset = integers;
    s.target.arch = "x86-64-v3";
    return complete(s);
}

std::string describe(const Fixture& f, const Problem& p, IndexType integers) {
    return f.name + " (" + f.oddity + "), α " + to_string(p.alpha) + ", β " + to_string(p.beta) +
           ", k = " + std::to_string(p.num_rhs) + ", threads = " + std::to_string(p.threads) +
           ", integers " + to_string(integers);
}

template <typename Value>
Value number_of(Scale mode, Value general) {
    return mode == Scale::zero ? Value(0) : mode == Scale::one ? Value(1) : general;
}

/// One product against the reference; twice, for the same bits.
template <typename Value>
void check(const KernelCase& kernel, const Fixture& f, const StoredMatrix& stored,
           const CsrView& view, const Problem& p, IndexType integers) {
    SCOPED_TRACE(describe(f, p, integers));
    const Value alpha = number_of(p.alpha, general_alpha<Value>());
    const Value beta = number_of(p.beta, general_beta<Value>());
    const OffsetArray<Value> x = fixtures::make_x<Value>(f, p.num_rhs);
    const OffsetArray<Value> before = fixtures::make_y<Value>(f, p.num_rhs, p.beta == Scale::zero);
    OffsetArray<Value> y = before;
    OffsetArray<Value> again = before;
    // α = 0 must not touch x
    const Value* x_data = p.alpha == Scale::zero ? nullptr : x.data();
    for (auto* result : {&y, &again})
        kernel.run(stored, type_tag<Value>::value, integers, p, &alpha, x_data, &beta,
                   result->data());
    const CheckResult result =
        check_product(view, {&alpha, x_data, &beta, before.data(), y.data(), p.num_rhs});
    EXPECT_TRUE(result.passed) << result.message;
    EXPECT_EQ(std::memcmp(y.data(), again.data(), y.size() * sizeof(Value)), 0)
        << "not reproducible";
}

template <typename Value, typename Integer>
void check_modes(const KernelCase& kernel, const Fixture& f) {
    const fixtures::TypedMatrix<Value, Integer, Integer> matrix(f);
    constexpr IndexType integers = type_tag<Integer>::value;
    const StoredMatrix stored =
        convert(matrix.view(), signature(kernel, type_tag<Value>::value, integers), true, 1 << 30);
    for (Scale alpha : {Scale::zero, Scale::one, Scale::general})
        for (Scale beta : {Scale::zero, Scale::one, Scale::general})
            for (int num_rhs : {1, 3})
                for (int threads : {1, 2, 3, 8})
                    if (is_instantiated(type_tag<Value>::value, integers, alpha, beta, num_rhs))
                        check<Value>(kernel, f, stored, matrix.view(),
                                     {alpha, beta, num_rhs, threads}, integers);
}

class Direct : public testing::TestWithParam<KernelCase> {
  protected:
    /// Thousands of tiny products: a team of threads for each check would cost more than the check.
    static void SetUpTestSuite() { omp_set_num_threads(1); }

    template <typename Value>
    void check_all() {
        for (auto& f : fixtures::all()) {
            check_modes<Value, std::int32_t>(GetParam(), f);
            if constexpr (std::is_same_v<Value, double>)
                check_modes<Value, std::int64_t>(GetParam(), f);
        }
    }
};

TEST_P(Direct, F32) {
    check_all<float>();
}
TEST_P(Direct, F64) {
    check_all<double>();
}
TEST_P(Direct, ComplexF32) {
    check_all<std::complex<float>>();
}
TEST_P(Direct, ComplexF64) {
    check_all<std::complex<double>>();
}

// [ 0 2 0 ]   [ 1 10 ]   [  4  40 ]
// [ 0 0 0 ] · [ 2 20 ] = [  0   0 ]
// [ 3 0 1 ]   [ 4 40 ]   [  7  70 ]
TEST_P(Direct, HandWorkedProduct) {
    const std::vector<int> row_ptr{0, 1, 1, 3};
    const std::vector<int> col_idx{1, 2, 0};
    const std::vector<double> values{2, 1, 3};
    const CsrView view = csr_view<double>(3, 3, row_ptr.data(), col_idx.data(), values.data());
    const StoredMatrix stored =
        convert(view, signature(GetParam(), ValueType::f64, IndexType::i32), false);
    const double alpha = 10, beta = 2;
    const auto run = [&](Problem p, std::vector<double> x, std::vector<double> y) {
        GetParam().run(stored, ValueType::f64, IndexType::i32, p, &alpha, x.data(), &beta,
                       y.data());
        return y;
    };
    const double nan = std::nan("");
    EXPECT_EQ(run({Scale::one, Scale::zero, 1, 2}, {1, 2, 4}, {nan, nan, nan}),
              (std::vector<double>{4, 0, 7}));
    EXPECT_EQ(run({Scale::general, Scale::general, 1, 2}, {1, 2, 4}, {1, 2, 3}),
              (std::vector<double>{42, 4, 76}));
    EXPECT_EQ(run({Scale::zero, Scale::general, 1, 2}, {nan, nan, nan}, {1, 2, 3}),
              (std::vector<double>{2, 4, 6}));
    EXPECT_EQ(run({Scale::one, Scale::one, 3, 2}, {1, 10, 0, 2, 20, 0, 4, 40, 0},
                  {1, 1, 1, 1, 1, 1, 1, 1, 1}),
              (std::vector<double>{5, 41, 1, 1, 1, 1, 8, 71, 1}));
}

INSTANTIATE_TEST_SUITE_P(Kernels, Direct, testing::ValuesIn(kernel_table()),
                         [](const auto& test) { return name(test.param); });

TEST(KernelTable, HoldsEveryHostKernelOfTheRegistry) {
    std::set<std::string> tested, registered;
    for (auto& kernel : kernel_table()) tested.insert(kernel.kernel);
    // Those that transpose are in transposed_products_test.cpp.
    for (auto& entry : kernel_registry())
        if (!entry.gpu && is_plain_product(entry)) registered.insert(std::string(entry.id));
    EXPECT_EQ(tested, registered);
}

}  // namespace
}  // namespace spmvgen::direct
