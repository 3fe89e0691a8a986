// Spellings of numbers, against values that the compiler reads.
#include "matrix/read/number.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

#include <fmt/format.h>

namespace spmvgen {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

/// The scanned value, NaN when the token is not taken as a whole.
struct Scanned {
    Scan status;
    double value;
};
Scanned real(const std::string& token) {
    const std::string text = token + " \n";
    const char* p = text.c_str();
    double value = 0;
    const Scan status = scan_real(p, value);
    EXPECT_EQ(p - text.c_str(), status == Scan::ok ? std::ptrdiff_t(token.size()) : 0) << token;
    return {status, value};
}

TEST(Numbers, LegalSpellings) {
    const std::pair<const char*, double> table[] = {
        {"0", 0},
        {"1", 1},
        {"+1", 1},
        {"-1", -1},
        {"007", 7},
        {".5", .5},
        {"5.", 5},
        {"-.5", -.5},
        {"+5.", 5},
        {"1e3", 1e3},
        {"1E3", 1e3},
        {"1e+3", 1e3},
        {"1e-3", 1e-3},
        {"1.e2", 1e2},
        {".1e2", 10},
        {"1d3", 1e3},
        {"1.5D+03", 1.5e3},
        {"-1.5d-03", -1.5e-3},
        {"0.5-123", 0.5e-123},
        {"-0.25+100", -0.25e100},
        {"0.1", 0.1},
        {"3.3e-2", 3.3e-2},
        {"123456789012345678901234567890", 123456789012345678901234567890.},
        {"0.000000000000000000000000000001", 1e-30},
        {"9007199254740993", 9007199254740992.},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"0.00017976931348623157D312", 1.7976931348623157e308},
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"1e-400", 0},
        {"1e-999999999999", 0},
        {"0e999999999999", 0},
        {"inf", inf},
        {"-Inf", -inf},
        {"+INFINITY", inf},
        {"1.#INF", inf},
        {"-1.#INF00", -inf},
    };
    for (const auto& [token, value] : table) {
        const Scanned scanned = real(token);
        EXPECT_EQ(scanned.status, Scan::ok) << token;
        EXPECT_EQ(scanned.value, value) << token;
    }
    EXPECT_TRUE(std::signbit(real("-0").value));
    EXPECT_TRUE(std::signbit(real("-0.0e5").value));
}

TEST(Numbers, NotANumberIsANumberToo) {
    for (const char* token :
         {"nan", "NaN", "-nan", "+NAN", "nan(ind)", "1.#QNAN", "-1.#IND00", "1.#SNAN"}) {
        const Scanned scanned = real(token);
        EXPECT_EQ(scanned.status, Scan::ok) << token;
        EXPECT_TRUE(std::isnan(scanned.value)) << token;
    }
}

TEST(Numbers, WhatIsNoNumber) {
    for (const char* token :
         {"",        "x",    "+",    "-",     ".",     "e5",       "1e",    "1e+",
          "1.5x",    "--1",  "+-1",  "0x10",  "0x1p3", "1,5",      "1_000", "1.2.3",
          "infinit", "nano", "in",   "1.5-3", "1-100", "1.5-1234", "1e5.",  "1.#",
          "1.#INFx", "1f",   "\x01", "1\r2",  "(1,2)", "1e5e5"}) {
        EXPECT_EQ(real(token).status, Scan::malformed) << token;
    }
}

TEST(Numbers, BeyondTheRangeOfDouble) {
    for (const char* token :
         {"1e309", "-1e309", "1.7976931348623159e308", "1E9999", "1d400", "1e99999999999999999999"})
        EXPECT_EQ(real(token).status, Scan::too_large) << token;
}

TEST(Numbers, RandomDoublesComeBackBitForBit) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 20000; ++i) {
        const auto value = std::bit_cast<double>(random());
        if (!std::isfinite(value)) continue;
        for (const std::string& text : {fmt::format("{}", value), fmt::format("{:.17e}", value)}) {
            const Scanned scanned = real(text);
            ASSERT_EQ(scanned.status, Scan::ok) << text;
            ASSERT_EQ(std::bit_cast<std::uint64_t>(scanned.value),
                      std::bit_cast<std::uint64_t>(value))
                << text;
        }
    }
}

TEST(Numbers, ShortDecimalsAgreeWithStrtod) {
    std::mt19937_64 random(2);
    for (int i = 0; i < 20000; ++i) {
        const auto digits = static_cast<std::int64_t>(random() >> (1 + random() % 60));
        const std::string text = fmt::format("{}.{}e{}", digits % 1000003, digits / 7,
                                             static_cast<int>(random() % 60) - 30);
        ASSERT_EQ(real(text).value, std::strtod(text.c_str(), nullptr)) << text;
    }
}

TEST(Numbers, Integers) {
    const auto scan = [](const std::string& token) {
        const std::string text = token + "\n";
        const char* p = text.c_str();
        double value = 0;
        return Scanned{scan_integer(p, value), value};
    };
    EXPECT_EQ(scan("12").value, 12);
    EXPECT_EQ(scan("+12").value, 12);
    EXPECT_EQ(scan("-9223372036854775808").value, -9223372036854775808.);
    EXPECT_EQ(scan("18446744073709551615").value, 18446744073709551616.);
    EXPECT_FALSE(std::signbit(scan("-0").value));
    for (const char* token : {"1.0", "1e3", "inf", "", "-", "0x10"})
        EXPECT_EQ(scan(token).status, Scan::malformed) << token;
    EXPECT_EQ(scan(std::string(400, '9')).status, Scan::too_large);
}

TEST(Numbers, Indices) {
    const auto scan = [](const std::string& token) {
        const std::string text = token + "\r\n";
        const char* p = text.c_str();
        std::int64_t value = 0;
        return std::pair(scan_index(p, value), value);
    };
    EXPECT_EQ(scan("+7"), std::pair(Scan::ok, std::int64_t{7}));
    EXPECT_EQ(scan("-7"), std::pair(Scan::ok, std::int64_t{-7}));
    EXPECT_EQ(scan("9223372036854775807"), std::pair(Scan::ok, INT64_MAX));
    EXPECT_EQ(scan("00000000000000000000001"), std::pair(Scan::ok, std::int64_t{1}));
    for (const char* token :
         {"9223372036854775808", "18446744073709551617", "99999999999999999999"})
        EXPECT_EQ(scan(token).first, Scan::too_large) << token;
    for (const char* token : {"", "1.0", "1e2", "a", "+", "1x"})
        EXPECT_EQ(scan(token).first, Scan::malformed) << token;
}

}  // namespace
}  // namespace spmvgen
