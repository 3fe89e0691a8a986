#include "devices/host/generic_csr.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <vector>

#include "verify/reference.hpp"

namespace spmvgen {
namespace {

template <typename T>
class Generic : public testing::Test {};
using Values = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Generic, Values);

//     [ 1 0 2 ]
// A = [ 0 0 0 ]   with the entries of the first row stored out of order
//     [ 0 3 0 ]
//     [ 4 0 5 ]
template <typename Value, typename Index, typename Offset>
struct SmallCsr {
    std::vector<Offset> row_ptr{0, 2, 2, 3, 5};
    std::vector<Index> col_idx{2, 0, 1, 0, 2};
    std::vector<Value> values{2, 1, 3, 4, 5};
    CsrView view() const { return csr_view(4, 3, row_ptr.data(), col_idx.data(), values.data()); }
};

template <typename Value, typename Index, typename Offset>
void check_by_hand() {
    const SmallCsr<Value, Index, Offset> a;
    const std::vector<Value> x{1, 10, 100}, product{201, 0, 30, 504};
    const Value nan = std::numeric_limits<double>::quiet_NaN();
    for (const int threads : {1, 2, 7}) {
        for (const int alpha : {1, 2, -3}) {
            for (const int beta : {0, 1, 5}) {
                std::vector<Value> y(4, beta == 0 ? nan : Value(7));
                const Value al(alpha), be(beta);
                generic_csr(a.view(), 1, {&al, x.data(), &be, y.data()}, threads);
                for (std::size_t i = 0; i < 4; ++i)
                    EXPECT_EQ(y[i], al * product[i] + Value(7 * beta))
                        << "row " << i << ", α = " << alpha << ", β = " << beta;
            }
        }
    }
}

TYPED_TEST(Generic, ProductsWorkedOutByHandForEveryIndexType) {
    check_by_hand<TypeParam, std::int32_t, std::int32_t>();
    check_by_hand<TypeParam, std::int32_t, std::int64_t>();
    check_by_hand<TypeParam, std::int64_t, std::int32_t>();
    check_by_hand<TypeParam, std::int64_t, std::int64_t>();
}

TYPED_TEST(Generic, RightHandSidesAreColumnsOfRowMajorArrays) {
    const SmallCsr<TypeParam, std::int32_t, std::int64_t> a;
    const TypeParam alpha(2), beta(3);
    for (const int k : {1, 2, 7, 8, 9, 19, 64}) {
        // Column c of x is (c, c, c), so that column c of Ax is c·(3, 0, 3, 9).
        std::vector<TypeParam> x, y(static_cast<std::size_t>(4 * k), TypeParam(1));
        for (int row = 0; row < 3; ++row)
            for (int c = 0; c < k; ++c) x.emplace_back(static_cast<float>(c));
        generic_csr(a.view(), k, {&alpha, x.data(), &beta, y.data()}, 2);
        const int sums[] = {3, 0, 3, 9};
        for (int row = 0; row < 4; ++row)
            for (int c = 0; c < k; ++c)
                EXPECT_EQ(y[static_cast<std::size_t>(row * k + c)],
                          TypeParam(static_cast<float>(2 * c * sums[row] + 3)));
    }
}

TYPED_TEST(Generic, UpdatesOfY) {
    const TypeParam zero(0), one(1), two(2), three(3);
    const TypeParam nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<TypeParam> y(5, nan);
    const std::vector<TypeParam> t(5, TypeParam(10));
    scale_vector(type_tag<TypeParam>::value, 5, &zero, y.data(), 2);
    EXPECT_EQ(y, std::vector<TypeParam>(5, zero));
    scale_add(type_tag<TypeParam>::value, 5, &two, t.data(), &three, y.data(), 2);
    EXPECT_EQ(y, std::vector<TypeParam>(5, TypeParam(20)));
    scale_add(type_tag<TypeParam>::value, 5, &one, t.data(), &two, y.data(), 2);
    EXPECT_EQ(y, std::vector<TypeParam>(5, TypeParam(50)));
    scale_vector(type_tag<TypeParam>::value, 5, &one, y.data(), 2);
    scale_vector(type_tag<TypeParam>::value, 5, &three, y.data(), 2);
    EXPECT_EQ(y, std::vector<TypeParam>(5, TypeParam(150)));
    y.assign(5, nan);
    scale_add(type_tag<TypeParam>::value, 5, &two, t.data(), &zero, y.data(), 2);
    EXPECT_EQ(y, std::vector<TypeParam>(5, TypeParam(20)));
}

TEST(GenericCsr, ComplexNumbersMultiplyAsComplexNumbers) {
    using C = std::complex<double>;
    const std::vector<int> row_ptr{0, 1}, col_idx{0};
    const std::vector<C> values{{1, 2}}, x{{3, 4}};
    std::vector<C> y{{1, 1}};
    const C alpha{0, 1}, beta{0, 2};
    generic_csr(csr_view(1, 1, row_ptr.data(), col_idx.data(), values.data()), 1,
                {&alpha, x.data(), &beta, y.data()}, 1);
    // i·(1+2i)(3+4i) + 2i·(1+i) = i·(-5+10i) + (-2+2i) = (-10-5i) + (-2+2i)
    EXPECT_EQ(y[0], (C{-12, -3}));
}

TEST(GenericCsr, OneLongRowAmongManyEmptyOnes) {
    std::vector<std::int64_t> row_ptr(1001, 5000);
    std::fill_n(row_ptr.begin(), 501, 0);
    std::vector<int> col_idx(5000);
    for (int k = 0; k < 5000; ++k) col_idx[static_cast<std::size_t>(k)] = k;
    const std::vector<double> values(5000, 0.1), x(5000, 3);
    std::vector<double> y(1000, -1);
    const CsrView a = csr_view(1000, 5000, row_ptr.data(), col_idx.data(), values.data());
    const double alpha = 1, beta = 0;
    generic_csr(a, 1, {&alpha, x.data(), &beta, y.data()}, 4);
    EXPECT_TRUE(check_product(a, {&alpha, x.data(), &beta, nullptr, y.data(), 1}).passed);
}

}  // namespace
}  // namespace spmvgen
