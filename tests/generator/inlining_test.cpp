#include <gtest/gtest.h>

#include "specializer/simplify/simplify.hpp"
#include "specializer/syntax/formatter.hpp"

namespace spmvgen::specializer {
namespace {

/// The plain text with its helpers put where they are called.
std::string inlined(const std::string& text) {
    return format(simplify(text, {"kernel"}, {}, Helpers::inlined).text);
}

TEST(Inlining, ShortExpressionsStandWhereTheyAreCalled) {
    EXPECT_EQ(inlined(R"(
static inline long twice(long a) { return 2 * a; }
static inline void kernel(long* y, long i) {
    y[0] = twice(i);
    y[1] = twice(i + 1) - twice(i);
}
)"),
              R"(
static inline void kernel(long* y, long i) {
    y[0] = 2 * i;
    y[1] = 2 * (i + 1) - 2 * i;
}
)");
}

TEST(Inlining, NarrowArgumentsAreConvertedWhereSumsCouldOverflow) {
    const std::string text = inlined(R"(
static inline long third(long a) { return a * 3; }
static inline long same(long a) { return a; }
static inline void kernel(long* y, int i) {
    y[0] = third(i);
    y[same(i)] = same(i) * 5;
}
)");
    EXPECT_NE(text.find("y[0] = static_cast<long>(i) * 3;"), text.npos) << text;
    EXPECT_NE(text.find("y[i] = static_cast<long>(i) * 5;"), text.npos) << text;
}

TEST(Inlining, WhatIsCalledOnceIsPutThereWithItsLocalsRenamed) {
    EXPECT_EQ(inlined(R"(
static inline void add(double* sum, const double* x, long first, long count) {
    long k = first;
    for (; k < count; ++k) {
        sum[0] += x[k];
    }
}
static inline void kernel(const double* x, double* y, long n) {
    long k = n / 2;
    double sum[1] = {};
    add(sum, x, k, n);
    y[0] = sum[0] + k;
}
)"),
              R"(
static inline void kernel(const double* x, double* y, long n) {
    long k = n / 2;
    double sum = 0.0;
    long k2 = k;
    for (; k2 < n; ++k2) {
        sum += x[k2];
    }
    y[0] = sum + k;
}
)");
}

// A parameter of `add` becomes a local of `sum_row`, which has one of its name; so does the caller.
TEST(Inlining, LocalsOfHelpersInHelpersKeepDifferentNames) {
    const std::string text = inlined(R"(
static inline void add(double* sum, const double* x, long col, long n) {
    for (; col < n; col += 2) {
        sum[0] += x[col] * static_cast<double>(col);
    }
}
static inline void sum_row(double* sum, const double* x, const long* columns, long n) {
    long col[2] = {columns[0], columns[1]};
    for (long k = 0; k < 2; ++k) {
        add(sum, x, col[k], n);
        sum[0] += static_cast<double>(col[k]);
    }
}
static inline void kernel(const double* x, const long* columns, double* y, long n) {
    long col = n / 2;
    double sum[1] = {};
    sum_row(sum, x, columns, n);
    y[0] = sum[0] + static_cast<double>(col);
}
)");
    EXPECT_NE(text.find("long col3[2] = {columns[0], columns[1]};"), text.npos) << text;
    EXPECT_NE(text.find("long col2 = col3[k];"), text.npos) << text;
    EXPECT_NE(text.find("sum += x[col2] * static_cast<double>(col2);"), text.npos) << text;
    EXPECT_NE(text.find("sum += static_cast<double>(col3[k]);"), text.npos) << text;
}

TEST(Inlining, CallsAreNeitherRepeatedNorMadeConditional) {
    const std::string text = inlined(R"(
long next();
static inline long square(long a) { return a * a; }
static inline long chosen(bool b, long a) { return b ? a : 0; }
static inline void kernel(long* y, long i) {
    y[0] = square(next()) + square(next());
    y[1] = chosen(i > 0, next()) + chosen(i > 1, next());
}
)");
    EXPECT_NE(text.find("square(next())"), text.npos) << text;
    EXPECT_NE(text.find("chosen(i > 0, next())"), text.npos) << text;
}

TEST(Inlining, ArgumentsAreReadBeforeAReferenceChanges) {
    const std::string text = inlined(R"(
static inline void advance(long& at, long from, long* y) {
    at += 1;
    y[at] = from;
}
static inline long doubled(long a, long b) {
    a += a;
    a += b;
    return a;
}
static inline void kernel(long* y, long n) {
    long k = n;
    advance(k, k, y);
    k = doubled(k, k + 1);
    y[0] = k;
}
)");
    EXPECT_NE(text.find("advance(k, k, y);"), text.npos) << text;
    EXPECT_NE(text.find("a += k + 1;"), text.npos) << text;
    EXPECT_NE(text.find("k = a;"), text.npos) << text;
}

TEST(Inlining, WhatAnUnusedArgumentDoesIsDone) {
    const std::string text = inlined(R"(
long next();
static inline void store(long* y, long unused) {
    y[0] = 1;
    y[1] = 2;
}
static inline void kernel(long* y) { store(y, next()); }
)");
    EXPECT_NE(text.find("store(y, next());"), text.npos) << text;
}

TEST(Inlining, PointersToOneNumberBecomeReferences) {
    const std::string text = inlined(R"(
static inline void add(double* sum, double a) {
    if (a > 0) {
        sum[0] += a;
    }
}
static inline void kernel(double* y, const double* x) {
    double sum[1] = {};
    add(sum, x[0]);
    add(sum, x[1]);
    y[0] = sum[0];
}
)");
    EXPECT_NE(text.find("add(double& sum, double a)"), text.npos) << text;
    EXPECT_NE(text.find("double sum = 0.0;"), text.npos) << text;
    EXPECT_NE(text.find("sum += a;"), text.npos) << text;
}

}  // namespace
}  // namespace spmvgen::specializer
