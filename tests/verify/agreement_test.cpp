#include "verify/agreement.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>

namespace spmvgen {
namespace {

// [ 1 2 ]
// [ 0 3 ]
struct TinyCsr {
    std::vector<int> row_ptr{0, 2, 3}, col_idx{0, 1, 1};
    template <typename Value, typename Vector = Value>
    std::string difference(std::vector<Vector> expected, std::vector<Vector> y) {
        const std::vector<Value> values{1, 2, 3};
        const std::vector<Vector> x{10, 20};
        const CsrView a = csr_view(2, 2, row_ptr.data(), col_idx.data(), values.data());
        return Agreement(a, x.data(), type_tag<Vector>::value, 1)
            .difference(expected.data(), y.data());
    }
};

TEST(Agreement, AllowsTwiceTheRoundingOfASum) {
    // Row 0: 2 · (2 + 4) · 2^-53 · 50 = 6.7e-14
    EXPECT_EQ(TinyCsr().difference<double>({50, 60}, {50, 60}), "");
    EXPECT_EQ(TinyCsr().difference<double>({50, 60}, {50 + 5e-14, 60}), "");
    EXPECT_EQ(TinyCsr().difference<double>({50, 60}, {50 + 8e-14, 60}),
              "1 of 2 elements of its product differ, the first is 0");
    EXPECT_EQ(TinyCsr().difference<double>({50, 60}, {51, 61}),
              "2 of 2 elements of its product differ, the first is 0");
}

TEST(Agreement, GoesByTheTypeOfTheVectors) {
    EXPECT_EQ(TinyCsr().difference<float>({50, 60}, {50.00002F, 60}), "");
    EXPECT_NE((TinyCsr().difference<float, double>({50, 60}, {50.00002, 60})), "");
    EXPECT_EQ((TinyCsr().difference<float, double>({50, 60}, {50 + 5e-14, 60})), "");
    using Complex = std::complex<double>;
    EXPECT_EQ(TinyCsr().difference<Complex>({50, 60}, {{50, 1e-13}, 60}), "");
    EXPECT_NE(TinyCsr().difference<Complex>({50, 60}, {{50, 1e-12}, 60}), "");
}

TEST(Agreement, WhatIsNotFiniteAgreesWithItselfOnly) {
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_EQ(TinyCsr().difference<double>({inf, 60}, {inf, 60}), "");
    EXPECT_EQ(TinyCsr().difference<double>({inf, 60}, {-inf, 60}), "")
        << "overflow in another order";
    EXPECT_NE(TinyCsr().difference<double>({50, 60}, {inf, 60}), "");
    EXPECT_NE(TinyCsr().difference<double>({inf, 60}, {50, 60}), "");
}

}  // namespace
}  // namespace spmvgen
