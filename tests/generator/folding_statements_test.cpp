// Pragmas, lambdas and atomic builtins in templates that are folded.
#include <gtest/gtest.h>

#include "template_case.hpp"

namespace spmvgen::specializer {
namespace {

TEST(Folding, KeepsPragmasAndBindsNamesInThem) {
    EXPECT_EQ(specialised(R"(
template <typename Value, int lanes, int unroll>
void kernel(Value* y, long n) {
    constexpr int safe = lanes * 2;
    Value sum = 0;
#pragma omp simd simdlen(lanes) safelen(safe) reduction(+ : sum)
    for (long i = 0; i < n; ++i) {
        sum += y[i];
    }
#pragma GCC unroll unroll
    for (long i = 0; i < n; ++i) {
        y[i] = sum;
    }
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) {
        y[i] *= 2;
    }
}
)",
                          numbers({{"lanes", "4"}, {"unroll", "2"}})),
              R"(static inline void kernel(double* y, long n) {
    constexpr int safe = 8;
    double sum = 0;
#pragma omp simd simdlen(4) safelen(safe) reduction(+ : sum)
    for (long i = 0; i < n; ++i) {
        sum += y[i];
    }
#pragma GCC unroll 2
    for (long i = 0; i < n; ++i) {
        y[i] = sum;
    }
#pragma GCC ivdep
    for (long i = 0; i < n; ++i) {
        y[i] *= 2;
    }
}
)");
}

TEST(Folding, TakesLambdasWithTypedParameters) {
    EXPECT_EQ(specialised(R"(
template <typename Value, int n>
void kernel(Value* y) {
    auto scaled = [&](Value v) -> Value {
        if constexpr (n == 2) {
            return v + y[0];
        } else {
            return v;
        }
    };
    y[1] = scaled(y[2]);
}
)",
                          numbers({{"n", "2"}})),
              R"(static inline void kernel(double* y) {
    auto scaled = [&](double v) -> double { return v + y[0]; };
    y[1] = scaled(y[2]);
}
)");
}

TEST(Folding, AtomicBuiltinsAreEffects) {
    EXPECT_EQ(specialised(R"(
template <typename Value>
inline void add_to(Value* p, Value v) {
    Value before = *p;
    Value after = before + v;
    while (!__atomic_compare_exchange(p, &before, &after, true, 0, 0)) {
        after = before + v;
    }
}

template <typename Value>
void kernel(Value* y, double* norm) {
    add_to(y, 1.0);
}
)",
                          f64),
              R"(static inline void add_to(double* p, double v) {
    double before = *p;
    double after = before + v;
    while (!__atomic_compare_exchange(p, &before, &after, true, 0, 0)) {
        after = before + v;
    }
}

static inline void kernel(double* y) {
    add_to(y, 1.0);
}
)");
}

}  // namespace
}  // namespace spmvgen::specializer
