#include <gtest/gtest.h>

#include "specializer/simplify/simplify.hpp"
#include "specializer/syntax/formatter.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

/// Body of `void kernel(long* y, long i, long c, int n)`, simplified.
std::string simplified(const std::string& body) {
    const std::string head = "static inline void kernel(long* y, long i, long c, int n) {\n";
    const std::string keep = "y[i] += c + n;\n";
    std::string text =
        format(simplify(head + body + keep + "}\n", {"kernel"}, {}, Helpers::stay).text);
    text.erase(0, head.size());
    return text.substr(0, text.rfind("    y[i] += c + n;"));
}

TEST(Simplify, DropsWhatDoesNothing) {
    EXPECT_EQ(simplified("y[c * 1 + 0] = 1 * i;\n"), "    y[c] = i;\n");
    EXPECT_EQ(simplified("y[0 * i] = 0 + c / 1 - 0;\n"), "    y[0] = c;\n");
    EXPECT_EQ(simplified("y[static_cast<long>(n) * 1] = (c);\n"), "    y[n] = c;\n");
    EXPECT_EQ(simplified("y[static_cast<long>(c + i) * 2] = 1;\n"), "    y[(c + i) * 2] = 1;\n");
    EXPECT_EQ(simplified("y[0] = true && c > 0 ? 1 : 2;\n"), "    y[0] = c > 0 ? 1 : 2;\n");
    EXPECT_EQ(simplified("y[0] = *(y + 0) + (i * 1) * c;\n"), "    y[0] = *y + i * c;\n");
}

// What an edit lays bare is cleaned, too.
TEST(Simplify, EndsWhenNothingIsLeft) {
    EXPECT_EQ(simplified("y[(static_cast<long>(n) + 0)] = 1;\n"), "    y[n] = 1;\n");
    EXPECT_EQ(simplified("(y + static_cast<long>(n))[0] = 1;\n"), "    y[n] = 1;\n");
    EXPECT_EQ(simplified("(y + n)[0] = 1;\n"), "    y[n] = 1;\n");
    EXPECT_EQ(simplified("(y + (n * 2 + n))[0] = 1;\n"), "    y[n * 2 + n] = 1;\n");
    EXPECT_EQ(simplified("(y + (n * 1 + 0))[0] = 1;\n"), "    y[n] = 1;\n");
    EXPECT_EQ(simplified("(y + n)[n] = 1;\n"), "    (y + n)[n] = 1;\n");
    EXPECT_EQ(simplified("((y + c) + i)[n] = 1;\n"), "    y[c + i + n] = 1;\n");
    EXPECT_EQ(simplified("(y + 0 + c)[n * 0] = 1;\n"), "    y[c] = 1;\n");
    EXPECT_EQ(simplified("const long first = (i / 1);\ny[first] = first;\n"), "    y[i] = i;\n");
    const std::string empty =
        "static inline void helper(long* y) {\n"
        "for (int r = 0; r < 2; ++r) {\ny[r] = y[r];\n}\n}\n";
    const std::string kernel = "static inline void kernel(long* y) {\n    ++y[0];\n";
    const auto text =
        simplify(empty + kernel + "helper(y);\n}\n", {"kernel"}, {}, Helpers::stay).text;
    EXPECT_EQ(format(text), kernel + "}\n");
}

TEST(Simplify, KeepsWhatHasAnEffectOrAnotherType) {
    for (const char* body :
         {"    y[0] = 0 * ++i;\n",             // the increment stays
          "    y[0] = n * 1l;\n",              // long, not int
          "    y[0] = 1024 * 1024;\n",         // said on purpose
          "    if (0u - 1 > 0) y[0] = 2;\n",   // unsigned: true, and not for us to tell
          "    y[0] = i - (0 - c);\n",         // no neutral element on the left of -
          "    y[0] = sizeof(i);\n",           // these parentheses stay
          "    y[0] = 0.0 * n + 1.0 * n;\n"})  // not for floating point: NaN, -0
        EXPECT_EQ(simplified(body), body);
}

TEST(Simplify, ReplacesLoopsThatRunOnce) {
    EXPECT_EQ(simplified(R"(
// each right-hand side
#pragma GCC ivdep
for (int r = 0; r < 1; ++r) {
    y[i * 1 + r] = c * 4 + r;
}
)"),
              "    // each right-hand side\n    y[i] = c * 4;\n");
    EXPECT_EQ(simplified("for (int r = 0; r < 1; ++r) y[r + n] = r;\n"), "    y[n] = 0;\n");
    EXPECT_EQ(simplified("for (long h = 4 / 2; h > 1; h /= 2) y[h] = h;\n"), "    y[2] = 2;\n");
    EXPECT_EQ(simplified("// gone\nfor (int r = 0; r < 0; ++r) y[r] = 1;\n"), "");
    EXPECT_EQ(simplified("for (int r = 0; r <= 0; r += 2) {\nif (r == 0) y[0] = 1;\n}\n"),
              "    y[0] = 1;\n");
    EXPECT_EQ(simplified("while (c > i)\nfor (int r = 0; r < 1; ++r) c -= 1;\n"),
              "    while (c > i)\n        c -= 1;\n");
}

TEST(Simplify, FollowsTheValuesOfVanishedLoops) {
    EXPECT_EQ(simplified(R"(
for (int u = 0; u < 1; ++u) {
    for (int r = 1; r < 2; ++r) {
        long s[1] = {};
        s[u] = y[c + u * 8] + (u + i) * r;
        if (r == u) {
            y[0] = 1;
        } else {
            y[r * 4 + u] = r > 0 ? s[u] : 0;
        }
    }
}
)"),
              "    long s = 0;\n    s = y[c] + i;\n    y[4] = s;\n");
    EXPECT_EQ(simplified("constexpr int lanes = 1;\nif (lanes > 1) y[0] = 1;\n"
                         "y[1] = static_cast<long>(c * lanes);\n"),
              "    y[1] = c;\n");
    EXPECT_EQ(simplified("long s[2] = {c, i};\nfor (int h = 2 / 2; h > 0; h /= 2) {\n"
                         "for (int l = 0; l < h; ++l) s[l] += s[l + h];\n}\ny[0] = s[0];\n"),
              "    long s[2] = {c, i};\n    s[0] += s[1];\n    y[0] = s[0];\n");
}

TEST(Simplify, KeepsLoopsThatCannotGo) {
    for (const char* body :
         {"    for (int r = 0; r < 2; ++r) {\n        y[r] = 1;\n    }\n",
          "    for (int r = 0; r < 1; ++r) {\n        if (c > 0) break;\n        y[r] = 1;\n    "
          "}\n",
          "    for (int r = 0; r < 1; ++r) {\n        if (c > 0) continue;\n        y[r] = 1;\n"
          "    }\n",
          "    for (int r = 0; r < 1; ++r) {\n        y[r] = r++;\n    }\n",
          "    for (int r = 0; r < 1; ++r) {\n        const int& s = r;\n        y[s] = s;\n"
          "    }\n",
          "    for (int r = 0; r < n; ++r) {\n        y[r] = 1;\n    }\n"})
        EXPECT_EQ(simplified(body), body);
    // A break of an inner loop does not matter.
    EXPECT_EQ(simplified("for (int r = 0; r < 1; ++r) {\n"
                         "while (c > r) {\nif (i > c) break;\nc -= 1;\n}\n}\n"),
              "    while (c > 0) {\n        if (i > c) break;\n        c -= 1;\n    }\n");
}

TEST(Simplify, MakesScalarsOfSingleElements) {
    EXPECT_EQ(simplified("long s[1] = {};\ns[0] += c;\ny[0] = s[0];\n"),
              "    long s = 0;\n    s += c;\n    y[0] = s;\n");
    EXPECT_EQ(simplified("double s[1] = {};\nfor (int r = 0; r < 1; ++r) s[r] += c;\n"
                         "y[0] = s[0] > 0;\n"),
              "    double s = 0.0;\n    s += c;\n    y[0] = s > 0;\n");
    EXPECT_EQ(simplified("const long s[1] = {c};\ny[0] = s[0];\n"),
              "    const long s = c;\n    y[0] = s;\n");
    // What named the extent goes with it.
    EXPECT_EQ(simplified("constexpr int size = 1;\nlong s[size] = {};\ns[0] += c;\ny[0] = s[0];\n"),
              "    long s = 0;\n    s += c;\n    y[0] = s;\n");
    // One whose address is used stays.
    EXPECT_EQ(simplified("long s[1] = {c};\nlong* p = s;\np[0] = 1;\ny[0] = s[0];\n"),
              "    long s[1] = {c};\n    long* p = s;\n    p[0] = 1;\n    y[0] = s[0];\n");
}

TEST(Simplify, DropsWhatNobodyUses) {
    const auto result = simplify(R"(/// Gone with its comment.
struct unused {
    int a;
};
/// Pure: may go, too.
[[gnu::always_inline]] static inline long length(const long* p, long n) {
    long sum = 0;
    for (long i = 0; i < n; ++i) sum += p[i];
    return sum;
}
struct pair {
    long a;
    long b;
};
static inline void inner(long* y, long kept, long dead, const long* p) {
    y[0] = kept;
}
static inline void kernel(pair both, long* y, long a, long b, const long* p, int thread) {
    // not read
    const long begin = length(p, b);
    using name = long;
    inner(y, a, begin + b, p);
    inner(y, a + 1, b, p + a);
}
)",
                                 {"kernel"}, {}, Helpers::stay);
    EXPECT_EQ(format(result.text), R"(static inline void inner(long* y, long kept) {
    y[0] = kept;
}
static inline void kernel(long* y, long a) {
    inner(y, a);
    inner(y, a + 1);
}
)");
    EXPECT_EQ(result.functions,
              (std::vector<FunctionSignature>{{"kernel", {{"long*", "y"}, {"long", "a"}}}}));
}

TEST(Simplify, KeepsArgumentsWithEffects) {
    const std::string text = R"(static inline long next(long* p) {
    return p[0]++;
}
static inline void inner(long* y, long dead) {
    y[0] = 1;
}
static inline void kernel(long* y) {
    inner(y, next(y));
}
)";
    EXPECT_EQ(format(simplify(text, {"kernel"}, {}, Helpers::stay).text), text);
}

TEST(Simplify, TellsClangsMessageForIllegalText) {
    try {
        simplify("void kernel() {\n    y = 1;\n}\n", {"kernel"}, {}, Helpers::stay);
        FAIL();
    } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::internal);
        EXPECT_STREQ(e.what(),
                     "the specialised text is not legal C++: kernel.cpp:2: use of undeclared "
                     "identifier 'y'\nvoid kernel() {\n    y = 1;\n}\n");
    }
}

TEST(Simplify, LoopVariableOfAnArrayThatStaysBecomesItsValue) {
    const std::string text = format(simplify(R"(
static inline void fill(double* sum) { sum[0] += 1; }
static inline double twice(double a) { return a + a; }
static inline void kernel(double* y) {
    double sum[1] = {};
    fill(sum);
    for (int rhs = 0; rhs < 1; ++rhs) {
        sum[rhs] = twice(sum[rhs]);
    }
    y[0] = sum[0];
}
)",
                                             {"kernel"}, {}, Helpers::stay)
                                        .text);
    EXPECT_NE(text.find("    fill(sum);\n    sum = twice(sum);\n"), text.npos) << text;
}

}  // namespace
}  // namespace spmvgen::specializer
