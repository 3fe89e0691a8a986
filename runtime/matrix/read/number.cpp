#include "matrix/read/number.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

namespace spmvgen {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The parts of a decimal number as they were scanned.
struct Decimal {
    bool negative = false;
    std::uint64_t digits = 0;  ///< all digits as one integer; wrong when count > 19
    std::int64_t count = 0;
    std::int64_t fraction = 0;       ///< how many of them follow the point
    std::int64_t exponent = 0;       ///< as written, clamped
    const char* mantissa = nullptr;  ///< begin of the digits, after the sign
    const char* mantissa_end = nullptr;
};

const char* scan_digits(const char* p, Decimal& d) {
    const char* begin = p;
    for (; is_digit(*p); ++p) d.digits = d.digits * 10 + static_cast<std::uint64_t>(*p - '0');
    d.count += p - begin;
    return p;
}

/// Scans [+-]digits at `p` as the exponent; null when there are no digits.
const char* scan_exponent(const char* p, Decimal& d) {
    constexpr std::int64_t limit = 1'000'000'000;
    const bool negative = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    if (!is_digit(*p)) return nullptr;
    for (; is_digit(*p); ++p) d.exponent = std::min(limit, d.exponent * 10 + (*p - '0'));
    if (negative) d.exponent = -d.exponent;
    return p;
}

/// Scans a decimal number; null when there is none.
const char* scan_decimal(const char* p, Decimal& d) {
    d.negative = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    d.mantissa = p;
    p = scan_digits(p, d);
    bool point = false;
    if (*p == '.') {
        point = true;
        const std::int64_t whole = d.count;
        p = scan_digits(p + 1, d);
        d.fraction = d.count - whole;
    }
    if (d.count == 0) return nullptr;
    d.mantissa_end = p;
    const char letter = static_cast<char>(*p | 0x20);
    if (letter == 'e' || letter == 'd') return scan_exponent(p + 1, d);
    // Fortran drops the letter when the exponent needs three digits: 0.5-123.
    if (point && (*p == '+' || *p == '-')) {
        const char* end = scan_exponent(p, d);
        return end != nullptr && end - p == 4 ? end : nullptr;
    }
    return p;
}

constexpr std::array<double, 23> powers_of_ten{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Digits and a power of ten that are both exact as double need one rounding only (Clinger).
bool convert_exactly(const Decimal& d, double& value) {
    constexpr std::uint64_t exact = std::uint64_t{1} << 53;
    const std::int64_t scale = d.exponent - d.fraction;
    if (d.count > 19 || d.digits > exact || scale < -22 || scale > 22) return false;
    const double digits = static_cast<double>(d.digits);
    value = scale < 0 ? digits / powers_of_ten[static_cast<std::size_t>(-scale)]
                      : digits * powers_of_ten[static_cast<std::size_t>(scale)];
    return true;
}

/// The power of ten of the first digit that is not 0.
std::int64_t magnitude(const Decimal& d) {
    std::int64_t place = d.count - d.fraction;
    for (const char* p = d.mantissa; p < d.mantissa_end; ++p) {
        if (*p == '.') continue;
        if (*p != '0') return place - 1 + d.exponent;
        --place;
    }
    return std::numeric_limits<std::int64_t>::min();
}

Scan convert(const Decimal& d, const char* end, double& value) {
    if (convert_exactly(d, value)) return Scan::ok;
    const std::int64_t size = magnitude(d);
    if (size < -400) {
        value = 0;
        return Scan::ok;
    }
    if (size > 400) return Scan::too_large;
    std::from_chars_result result{};
    if (d.mantissa_end == end || (*d.mantissa_end | 0x20) == 'e') {
        result = std::from_chars(d.mantissa, end, value);
    } else {
        std::string text(d.mantissa, d.mantissa_end);
        text += 'e' + std::to_string(d.exponent);
        result = std::from_chars(text.data(), text.data() + text.size(), value);
    }
    if (result.ec == std::errc::result_out_of_range) {
        if (size > 0) return Scan::too_large;
        value = 0;
    }
    return std::isinf(value) ? Scan::too_large : Scan::ok;
}

struct Special {
    std::string_view name;
    double value;
};
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<Special, 11> specials{{{"inf", infinity},
                                            {"infinity", infinity},
                                            {"nan", nan_value},
                                            {"nan(ind)", nan_value},
                                            {"nan(snan)", nan_value},
                                            {"nanq", nan_value},
                                            {"nans", nan_value},
                                            {"1.#inf", infinity},
                                            {"1.#ind", nan_value},
                                            {"1.#qnan", nan_value},
                                            {"1.#snan", nan_value}}};

Scan scan_special(const char*& p, double& value) {
    const char* start = p;
    const bool negative = *start == '-';
    if (*start == '-' || *start == '+') ++start;
    std::string text;
    const char* end = start;
    for (; !ends_token(end) && text.size() < 10; ++end)
        text += static_cast<char>(*end >= 'A' && *end <= 'Z' ? *end | 0x20 : *end);
    if (!ends_token(end)) return Scan::malformed;
    if (text.starts_with("1.#"))
        text.erase(std::find_if_not(text.begin() + 3, text.end(), [](char c) { return c != '0'; }),
                   text.end());
    for (const Special& s : specials)
        if (text == s.name) {
            value = negative ? -s.value : s.value;
            p = end;
            return Scan::ok;
        }
    return Scan::malformed;
}

}  // namespace

Scan scan_unusual_index(const char*& p, std::int64_t& value) {
    const char* q = p;
    const bool negative = *q == '-';
    if (*q == '-' || *q == '+') ++q;
    const char* first = q;
    std::uint64_t number = 0;
    for (; is_digit(*q); ++q) number = number * 10 + static_cast<std::uint64_t>(*q - '0');
    if (q == first || !ends_token(q)) return Scan::malformed;
    if (q - first > 18) {
        const auto result = std::from_chars(first, q, number);
        if (result.ec != std::errc() || number > INT64_MAX) return Scan::too_large;
    }
    value = negative ? -static_cast<std::int64_t>(number) : static_cast<std::int64_t>(number);
    p = q;
    return Scan::ok;
}

Scan scan_integer(const char*& p, double& value) {
    Decimal d;
    d.negative = *p == '-';
    d.mantissa = p + (*p == '-' || *p == '+' ? 1 : 0);
    const char* end = scan_digits(d.mantissa, d);
    d.mantissa_end = end;
    if (d.count == 0 || !ends_token(end)) return Scan::malformed;
    const Scan status = convert(d, end, value);
    if (status != Scan::ok) return status;
    if (d.negative && value != 0) value = -value;
    p = end;
    return Scan::ok;
}

Scan scan_real(const char*& p, double& value) {
    Decimal d;
    const char* end = scan_decimal(p, d);
    if (end == nullptr || !ends_token(end)) return scan_special(p, value);
    const Scan status = convert(d, end, value);
    if (status != Scan::ok) return status;
    if (d.negative) value = -value;
    p = end;
    return Scan::ok;
}

}  // namespace spmvgen
