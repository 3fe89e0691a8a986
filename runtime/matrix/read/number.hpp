#pragma once
#include <cstdint>

namespace spmvgen {

/// What became of a token that should be a number.
enum class Scan {
    ok,
    malformed,  ///< it is no such number
    too_large   ///< it is one, beyond the range of the type
};

// Each scanner reads one token at `p`, which must lie in a text that ends in '\n'. With `ok`, `p`
// is after the token and a blank or line end follows; otherwise `p` is left at the token.

/// A dimension, count or index: digits with an optional sign. Values beyond int64 are `too_large`.
inline Scan scan_index(const char*& p, std::int64_t& value);

/// A number of the integer field, rounded to the nearest double.
Scan scan_integer(const char*& p, double& value);

/// A real number, rounded to the nearest double: decimal with optional sign, point and exponent
/// (e, E, or d, D and the letterless three-digit form that Fortran writes), inf, infinity and nan
/// in any case, and the forms 1.#INF, 1.#IND, 1.#QNAN. Numbers that round to infinity are
/// `too_large`; numbers too small become 0.
Scan scan_real(const char*& p, double& value);

inline bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

/// Whether the line ends at `p`: "\n" or "\r\n".
inline bool at_line_end(const char* p) {
    return *p == '\n' || (*p == '\r' && p[1] == '\n');
}

inline bool ends_token(const char* p) {
    return is_blank(*p) || at_line_end(p);
}

inline void skip_blanks(const char*& p) {
    while (is_blank(*p)) ++p;
}

/// scan_index for any token; the usual one, a few digits, never gets here.
Scan scan_unusual_index(const char*& p, std::int64_t& value);

inline Scan scan_index(const char*& p, std::int64_t& value) {
    const char* q = p;
    std::int64_t number = 0;
    for (; *q >= '0' && *q <= '9' && q - p < 18; ++q) number = number * 10 + (*q - '0');
    if (q == p || !ends_token(q)) return scan_unusual_index(p, value);
    value = number;
    p = q;
    return Scan::ok;
}

}  // namespace spmvgen
