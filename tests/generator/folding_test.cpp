#include <gtest/gtest.h>

#include "template_case.hpp"

namespace spmvgen::specializer {
namespace {

TEST(Folding, BindsTypesAndKeepsComments) {
    EXPECT_EQ(specialised(R"(
/// Adds one.
template <typename Value>
void kernel(Value* __restrict__ y, long n) {
    // every element
    for (long i = 0; i < n; ++i) {
        y[i] += static_cast<Value>(1) + Value(0);  // plus nothing
    }
}
)",
                          f64),
              R"(/// Adds one.
static inline void kernel(double* __restrict__ y, long n) {
    // every element
    for (long i = 0; i < n; ++i) {
        y[i] += 1.0 + 0.0;  // plus nothing
    }
}
)");
}

TEST(Folding, DropsConversionsThatConvertNothing) {
    const std::string text = R"(
template <typename First, typename Second>
inline constexpr bool is_same = false;
template <typename Type>
inline constexpr bool is_same<Type, Type> = true;

template <typename To, typename From>
inline To converted(From number) {
    if constexpr (is_same<To, From>) {
        return number;
    } else {
        return static_cast<To>(number);
    }
}

template <typename Value>
inline Value same(Value number) {
    return number;
}

template <typename Value, typename Vector>
void kernel(const Vector* x, Vector* y, long i) {
    y[i] = converted<Vector>(converted<Value>(x[i]) + converted<Value>(x[i + 1]) * 2);
    y[0] = 2 * converted<Vector>(same(x[i]) + x[0]);
}
)";
    EXPECT_EQ(specialised(text, {{{"Value", "double"}, {"Vector", "double"}}, {}, {}}),
              R"(static inline double same(double number) {
    return number;
}

static inline void kernel(const double* x, double* y, long i) {
    y[i] = (x[i] + x[i + 1] * 2);
    y[0] = 2 * (same(x[i]) + x[0]);
}
)");
    const std::string mixed =
        specialised(text, {{{"Value", "double"}, {"Vector", "float"}}, {}, {}});
    EXPECT_NE(
        mixed.find("converted_f32_f64(converted_f64_f32(x[i]) + converted_f64_f32(x[i + 1]) * 2)"),
        std::string::npos)
        << mixed;
    EXPECT_NE(mixed.find("y[0] = 2 * (same(x[i]) + x[0]);"), std::string::npos) << mixed;
}

TEST(Folding, DecidesConstexprIfWithItsComments) {
    const std::string text = R"(
enum class mode { off, on, twice };
template <typename Value, mode how>
void kernel(Value* y) {
    // never seen when off
    if constexpr (how != mode::off) {
        // inside
        y[0] = 1;
    }
    if constexpr (how == mode::on) {
        y[1] = 1;  // on
    } else if constexpr (how == mode::twice) {
        y[1] = 2;  // twice
    } else {
        y[1] = 0;  // off
    }
    if constexpr (how == mode::on)
        y[2] = 1;
    else
        y[2] = 2;
}
)";
    EXPECT_EQ(specialised(text, numbers({{"how", "mode::off"}})),
              R"(static inline void kernel(double* y) {
    y[1] = 0;  // off
    y[2] = 2;
}
)");
    EXPECT_EQ(specialised(text, numbers({{"how", "mode::on"}})),
              R"(static inline void kernel(double* y) {
    // never seen when off
    // inside
    y[0] = 1;
    y[1] = 1;  // on
    y[2] = 1;
}
)");
    EXPECT_EQ(specialised(text, numbers({{"how", "mode::twice"}})),
              R"(static inline void kernel(double* y) {
    // never seen when off
    // inside
    y[0] = 1;
    y[1] = 2;  // twice
    y[2] = 2;
}
)");
}

TEST(Folding, KeepsBracesThatHideNames) {
    EXPECT_EQ(specialised(R"(
template <typename Value, int n>
void kernel(Value* y) {
    if constexpr (n > 1) {
        const Value t = y[0];
        y[1] = t;
    }
    const Value t = y[2];
    y[3] = t;
}
)",
                          numbers({{"n", "2"}})),
              R"(static inline void kernel(double* y) {
    {
        const double t = y[0];
        y[1] = t;
    }
    const double t = y[2];
    y[3] = t;
}
)");
}

TEST(Folding, PicksConditionalsAndFoldsConstants) {
    EXPECT_EQ(specialised(R"(
template <typename Value, int n>
void kernel(Value* y, long i, long c) {
    static_assert(n < 10, "small");
    constexpr int height = n * static_cast<int>(sizeof(Value));
    y[i * (n - 1) + height] = n > 2 ? y[i] : y[c];
    y[c * n + n * 2] = (n > 1 && i > 0) ? y[height] : y[n];
    const long bytes = sizeof(Value) * i;
    y[bytes] = 0;
}
)",
                          numbers({{"n", "3"}})),
              R"(static inline void kernel(double* y, long i, long c) {
    constexpr int height = 24;
    y[i * 2 + height] = y[i];
    y[c * 3 + 6] = (i > 0) ? y[height] : y[3];
    const long bytes = sizeof(double) * i;
    y[bytes] = 0;
}
)");
}

TEST(Folding, PicksOnlyWhenTheTypeStays) {
    // 1 / 2 is not 1.0 / 2: the conditional converts.
    EXPECT_EQ(specialised(R"(
template <typename Value, bool whole>
void kernel(Value* y, int i, Value v) {
    y[0] = (whole ? i : v) / 2;
}
)",
                          numbers({{"whole", "true"}})),
              R"(static inline void kernel(double* y, int i, double v) {
    y[0] = (true ? i : v) / 2;
}
)");
}

TEST(Folding, SpecialisesHelpersAndNamesThem) {
    EXPECT_EQ(specialised(R"(
/// Not needed.
inline void other() {}
/// Twice.
inline long twice(long v) { return 2 * v; }
/// v times n.
template <int n, typename Value>
inline Value times(Value v) {
    return v * n;
}
template <typename Value>
void kernel(Value* y, float* z, long i) {
    y[twice(i)] = times<2>(y[0]) + times<3>(y[1]);
    z[0] = times<3>(z[1]);
}
)",
                          f64),
              R"(/// Twice.
static inline long twice(long v) {
    return 2 * v;
}

/// v times n.
static inline double times_2_f64(double v) {
    return v * 2;
}

/// v times n.
static inline double times_3_f64(double v) {
    return v * 3;
}

/// v times n.
static inline float times_3_f32(float v) {
    return v * 3;
}

static inline void kernel(double* y, float* z, long i) {
    y[twice(i)] = times_2_f64(y[0]) + times_3_f64(y[1]);
    z[0] = times_3_f32(z[1]);
}
)");
}

TEST(Folding, CarriesStructsTraitsAndAliases) {
    const std::string text = R"(
/// Re, im.
struct complex_f64 {
    double re;
    double im;
};
/// Two of a kind.
template <typename T>
struct pair {
    T first;
    T second;
};
template <typename T>
struct real_of {
    using type = T;
};
template <>
struct real_of<complex_f64> {
    using type = double;
};
template <typename T>
inline constexpr bool is_complex = false;
template <>
inline constexpr bool is_complex<complex_f64> = true;
/// n elements of T.
template <typename T, int n>
using vec = T __attribute__((vector_size(n * sizeof(T))));
template <typename Value>
void kernel(Value* y, typename real_of<Value>::type* norm) {
    if constexpr (is_complex<Value>) {
        pair<Value> p = {y[0], y[1]};
        norm[0] = p.first.re * p.second.re;
    } else {
        vec<Value, 4> v = {y[0], y[1], y[2], y[3]};
        norm[0] = v[0];
    }
}
)";
    EXPECT_EQ(specialised(text, {{{"Value", "complex_f64"}}, {}, {}}),
              R"(/// Re, im.
struct complex_f64 {
    double re;
    double im;
};

/// Two of a kind.
struct pair {
    complex_f64 first;
    complex_f64 second;
};

static inline void kernel(complex_f64* y, double* norm) {
    pair p = {y[0], y[1]};
    norm[0] = p.first.re * p.second.re;
}
)");
    EXPECT_EQ(specialised(text, f64), R"(/// n elements of T.
typedef double vec __attribute__((vector_size(32)));

static inline void kernel(double* y, double* norm) {
    vec v = {y[0], y[1], y[2], y[3]};
    norm[0] = v[0];
}
)");
}

TEST(Folding, WritesLocalVectorTypesAnew) {
    EXPECT_EQ(specialised(R"(
template <typename Vec, typename Value>
inline Vec load(const Value* p) {
    Vec v;
    __builtin_memcpy(&v, p, sizeof(Vec));
    return v;
}
template <typename Value, int lanes>
void kernel(Value* y) {
    typedef Value Lanes __attribute__((vector_size(lanes * sizeof(Value))));
    using Loose [[gnu::vector_size(lanes * sizeof(Value)), gnu::aligned(sizeof(Value))]] = Value;
    alignas(lanes * sizeof(Value)) Value room[lanes] = {};
    Lanes a = load<Lanes>(y);
    Loose* b = reinterpret_cast<Loose*>(room);
    *b = a + a;
    y[0] = room[lanes - 1];
}
)",
                          numbers({{"lanes", "4"}})),
              R"(typedef double f64x4 __attribute__((vector_size(32)));

static inline f64x4 load(const double* p) {
    f64x4 v;
    __builtin_memcpy(&v, p, sizeof(f64x4));
    return v;
}

static inline void kernel(double* y) {
    typedef double Lanes __attribute__((vector_size(32)));
    typedef double Loose __attribute__((vector_size(32), aligned(8)));
    alignas(32) double room[4] = {};
    Lanes a = load(y);
    Loose* b = reinterpret_cast<Loose*>(room);
    *b = a + a;
    y[0] = room[3];
}
)");
}

}  // namespace
}  // namespace spmvgen::specializer
