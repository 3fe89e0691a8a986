#include "verify/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace spmvgen {
namespace {

// [ 1 2 ]
// [ 0 3 ]
struct Tiny {
    std::vector<int> row_ptr{0, 2, 3};
    std::vector<int> col_idx{0, 1, 1};
    template <typename T>
    CheckResult check(std::vector<T> values, std::vector<T> x, std::vector<T> before,
                      std::vector<T> after, T alpha, T beta) {
        const CsrView a = csr_view<T>(2, 2, row_ptr.data(), col_idx.data(), values.data());
        return check_product(a, {&alpha, x.data(), &beta, before.data(), after.data(), 1});
    }
};

TEST(Reference, AcceptsTheHandComputedProduct) {
    EXPECT_TRUE(
        Tiny().check<double>({1, 2, 3}, {10, 20}, {1, 1}, {2 * 50 + 3, 2 * 60 + 3}, 2, 3).passed);
}

TEST(Reference, KnowsTheTransposesWorkedOutByHand) {
    using Complex = std::complex<double>;
    Tiny tiny;
    const std::vector<Complex> values{{1, 1}, 2, {3, -1}}, x{10, 100}, before{1, 1};
    const CsrView a =
        csr_view<Complex>(2, 2, tiny.row_ptr.data(), tiny.col_idx.data(), values.data());
    const Complex alpha = 2, beta = 3;
    const auto passed = [&](const std::vector<Complex>& after, Op op) {
        return check_product(a, {&alpha, x.data(), &beta, before.data(), after.data(), 1}, op)
            .passed;
    };
    const std::vector<Complex> plain{{423, 20}, {603, -200}}, transposed{{23, 20}, {643, -200}},
        adjoint{{23, -20}, {643, 200}};
    for (const Op op : {Op::none, Op::transpose, Op::conj_transpose}) {
        EXPECT_EQ(passed(plain, op), op == Op::none);
        EXPECT_EQ(passed(transposed, op), op == Op::transpose);
        EXPECT_EQ(passed(adjoint, op), op == Op::conj_transpose);
    }
}

// What is kept says the same as what is computed anew.
TEST(Reference, IsTheSameWhenItIsKept) {
    const auto expect_same = [](auto one) {
        using Value = decltype(one);
        Tiny tiny;
        const std::vector<Value> values{1, 2, 3}, x{10, 20};
        const CsrView a =
            csr_view<Value>(2, 2, tiny.row_ptr.data(), tiny.col_idx.data(), values.data());
        const ProductReference kept(a, x.data());
        const Value zero = 0, nan = std::numeric_limits<double>::quiet_NaN();
        for (auto& y : std::vector<std::vector<Value>>{
                 {50, 60}, {50, 61}, {49, 61}, {nan, 60}, {50, nan}, {50, Value(60.0000001)}}) {
            const CheckResult expected =
                check_product(a, {&one, x.data(), &zero, nullptr, y.data(), 1});
            const CheckResult result = kept.check(y.data());
            EXPECT_EQ(result.passed, expected.passed);
            EXPECT_EQ(result.message, expected.message);
            EXPECT_EQ(result.wrong, expected.wrong);
            EXPECT_EQ(result.worst_row, expected.worst_row);
            EXPECT_EQ(result.worst_ratio, expected.worst_ratio);
        }
        EXPECT_TRUE(kept.check(std::vector<Value>{50, 60}.data()).passed);
        EXPECT_EQ(kept.check(std::vector<Value>{50, 61}.data()).message.substr(0, 54),
                  "1 of 2 elements of y are wrong; the worst is in row 1:");
    };
    expect_same(1.0F);
    expect_same(1.0);
    expect_same(std::complex<float>(1));
    expect_same(std::complex<double>(1));
}

TEST(Reference, RefusesAnErrorOfAFewUnits) {
    const double off = 50 * (1 + 16 * std::numeric_limits<double>::epsilon());
    const CheckResult r = Tiny().check<double>({1, 2, 3}, {10, 20}, {0, 0}, {off, 60}, 1, 0);
    EXPECT_FALSE(r.passed);
    EXPECT_EQ(r.worst_row, 0);
    EXPECT_EQ(r.wrong, 1);
    EXPECT_EQ(r.message.substr(0, 60),
              "1 of 2 elements of y are wrong; the worst is in row 0: 5.333");
}

TEST(Reference, BetaZeroIgnoresNanInY) {
    const double nan = std::nan("");
    EXPECT_TRUE(Tiny().check<double>({1, 2, 3}, {10, 20}, {nan, nan}, {50, 60}, 1, 0).passed);
    EXPECT_FALSE(Tiny().check<double>({1, 2, 3}, {10, 20}, {0, 0}, {nan, 60}, 1, 0).passed);
}

TEST(Reference, InfinityMustStayInfinity) {
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(Tiny().check<double>({1, 2, 3}, {inf, 20}, {0, 0}, {inf, 60}, 1, 0).passed);
    EXPECT_FALSE(
        Tiny().check<double>({1, 2, 3}, {inf, 20}, {0, 0}, {std::nan(""), 60}, 1, 0).passed);
    EXPECT_FALSE(Tiny().check<double>({1, 2, 3}, {inf, 20}, {0, 0}, {-inf, 60}, 1, 0).passed);
}

TEST(Reference, ComplexProducts) {
    using C = std::complex<double>;
    const C i{0, 1};
    EXPECT_TRUE(Tiny().check<C>({i, 2, 3}, {i, 1}, {0, 0}, {C(1), C(3)}, 1, 0).passed);
    EXPECT_FALSE(Tiny().check<C>({i, 2, 3}, {i, 1}, {0, 0}, {C(1), C(3, 1e-12)}, 1, 0).passed);
}

// [ 2^30 1 ] · [ 1 ] = 2^30 + 1, and then - 2^30 of y: 1 is left in f64, 0 in f32.
TEST(Reference, HoldsVectorsToTheirTypeAndSumsToTheirs) {
    const std::vector<int> row_ptr{0, 2}, col_idx{0, 1};
    const std::vector<float> values{0x1p30F, 1};
    const CsrView a = csr_view<float>(1, 2, row_ptr.data(), col_idx.data(), values.data());
    const auto passed = [&]<typename X>(X after, std::optional<ValueType> accumulator) {
        const std::vector<X> x{1, 1};
        const X alpha = 1, beta = -1, before = 0x1p30F;
        return check_product(a, {.alpha = &alpha,
                                 .x = x.data(),
                                 .beta = &beta,
                                 .y_before = &before,
                                 .y_after = &after,
                                 .vectors = type_tag<X>::value,
                                 .accumulator = accumulator})
            .passed;
    };
    EXPECT_TRUE(passed(1.0, {}));  // f64 vectors of an f32 matrix
    EXPECT_FALSE(passed(0.0, {}));
    EXPECT_TRUE(passed(0.0F, {}));  // f32 sums
    EXPECT_TRUE(passed(1.0F, ValueType::f64));
    EXPECT_FALSE(passed(1024.0F, ValueType::f64));  // 4 roundings of 2^30 to f32 are 256
}

TEST(Reference, WiderSumsMustNotCancel) {
    const std::vector<int> row_ptr{0, 3}, col_idx{0, 1, 2};
    const std::vector<float> values{0x1p30F, 1, -0x1p30F}, x{1, 1, 1};
    const CsrView a = csr_view<float>(1, 3, row_ptr.data(), col_idx.data(), values.data());
    const auto passed = [&](float after, ValueType accumulator, bool in_steps) {
        const float alpha = 1, beta = 0;
        return check_product(a, {.alpha = &alpha,
                                 .x = x.data(),
                                 .beta = &beta,
                                 .y_after = &after,
                                 .accumulator = accumulator,
                                 .in_steps = in_steps})
            .passed;
    };
    EXPECT_TRUE(passed(1, ValueType::f64, false));
    EXPECT_FALSE(passed(0, ValueType::f64, false));
    EXPECT_TRUE(passed(0, ValueType::f32, false));
    EXPECT_TRUE(passed(0, ValueType::f64, true));
}

TEST(Reference, OverflowIsUndecided) {
    const float big = std::numeric_limits<float>::max();
    const CheckResult r = Tiny().check<float>({big, -big, 1}, {1, 1}, {0, 0}, {1, 1}, 1, 0);
    EXPECT_EQ(r.undecided, 1);
    EXPECT_TRUE(r.passed);
}

}  // namespace
}  // namespace spmvgen
