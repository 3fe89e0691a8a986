// Features of the values of tiny matrices.
#include <gtest/gtest.h>

#include <complex>
#include <limits>

#include "tiny.hpp"

namespace spmvgen {
namespace {

using testing::of_values;

TEST(ValueFeatures, distinctValues) {
    EXPECT_EQ(of_values<double>({2, 3, 2, 3}).distinct_values, 2);
    EXPECT_FALSE(of_values<double>({2, 3}).all_equal);
    EXPECT_EQ(of_values<float>({2, 2, 2}).distinct_values, 1);
    EXPECT_TRUE(of_values<float>({2, 2, 2}).all_equal);
    EXPECT_EQ(of_values<double>({0.0, -0.0}).distinct_values, 2);  // told apart by their bits
    using C = std::complex<double>;
    EXPECT_EQ(of_values<C>({C(1, 2), C(2, 1), C(1, 2)}).distinct_values, 2);
    using S = std::complex<float>;
    EXPECT_EQ(of_values<S>({S(1, 2), S(1, 3), S(1, 4)}).distinct_values, 3);
}

TEST(ValueFeatures, distinctValuesUpTo256) {
    for (const int count : {255, 256, 257, 300, 40000}) {
        std::vector<double> values;
        for (int k = 0; k < 3 * count; ++k) values.push_back(0.1 * (k % count));
        EXPECT_EQ(of_values(values).distinct_values, std::min(count, 257)) << count;
    }
}

struct Exact {
    double value;
    bool f32, bf16, f16, int8;
};

TEST(ValueFeatures, exactValues) {
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Exact table[]{
        {0, true, true, true, true},
        {-0.0, true, true, true, false},
        {1, true, true, true, true},
        {-128, true, true, true, true},
        {127, true, true, true, true},
        {128, true, true, true, false},
        {-129, true, true, true, false},  // 8 bits, as many as bf16 holds
        {0.5, true, true, true, false},
        {0.1, false, false, false, false},
        {257, true, false, true, false},    // 9 bits
        {2047, true, false, true, false},   // 11 bits
        {2049, true, false, false, false},  // 12 bits
        {65504, true, false, true, false},  // the largest f16
        {65536, true, true, false, false},
        {0x1p-24, true, true, true, false},  // the smallest f16
        {0x1.8p-24, true, true, false, false},
        {0x1p-25, true, true, false, false},
        {0x1.ff8p-15, true, false, true, false},   // the largest subnormal f16: 1023 · 2^-24
        {0x1.ffcp-15, true, false, false, false},  // one bit more
        {0x1p-149, true, false, false, false},     // the smallest f32
        {0x1p-133, true, true, false, false},      // the smallest bf16
        {0x1p-150, false, false, false, false},
        {0x1.000002p0, true, false, false, false},  // all bits of f32
        {0x1.000001p0, false, false, false, false},
        {1e300, false, false, false, false},
        {inf, true, true, true, false},
        {-inf, true, true, true, false},
        {nan, true, true, true, false},
    };
    for (const Exact& row : table) {
        const Features f = of_values<double>({row.value});
        EXPECT_EQ(f.exact_f32, row.f32) << row.value;
        EXPECT_EQ(f.exact_bf16, row.bf16) << row.value;
        EXPECT_EQ(f.exact_f16, row.f16) << row.value;
        EXPECT_EQ(f.exact_int8, row.int8) << row.value;
        // One value that does not fit is enough, in either part of a complex number.
        const Features c = of_values<std::complex<double>>({{1, 1}, {1, row.value}, {1, 1}});
        EXPECT_EQ(c.exact_f32, row.f32) << row.value;
        EXPECT_EQ(c.exact_bf16, row.bf16) << row.value;
        EXPECT_EQ(c.exact_f16, row.f16) << row.value;
        EXPECT_EQ(c.exact_int8, row.int8) << row.value;
        if (!row.f32) continue;
        const Features s = of_values<float>({static_cast<float>(row.value), 1});
        EXPECT_TRUE(s.exact_f32);
        EXPECT_EQ(s.exact_bf16, row.bf16) << row.value;
        EXPECT_EQ(s.exact_f16, row.f16) << row.value;
        EXPECT_EQ(s.exact_int8, row.int8) << row.value;
    }
}

TEST(ValueFeatures, zerosAndNonFinite) {
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Features f = of_values<double>({0, -0.0, 1, inf, nan, -inf, 1e308});
    EXPECT_EQ(f.explicit_zeros, 2);
    EXPECT_EQ(f.non_finite, 3);
    const Features c =
        of_values<std::complex<double>>({{0, 0}, {0, 1}, {inf, 0}, {0, nan}, {inf, nan}});
    EXPECT_EQ(c.explicit_zeros, 1);
    EXPECT_EQ(c.non_finite, 3);
}

}  // namespace
}  // namespace spmvgen
