#pragma once
#include <cstddef>

/// What loops that stream arrays of doubles share.
namespace spmvgen::streaming {

inline constexpr std::size_t line = 8;  ///< doubles of a cache line

/// Two doubles; arrays are read through it whatever they hold.
typedef double Pack __attribute__((vector_size(16), may_alias));

struct Range {
    std::size_t begin, end;
};

/// Part `thread` of `count` elements, in whole lines.
inline Range share(std::size_t count, int thread, int threads) {
    const std::size_t lines = count / line;
    const auto t = static_cast<std::size_t>(thread), n = static_cast<std::size_t>(threads);
    return {lines * t / n * line, lines * (t + 1) / n * line};
}

/// The sum of a range that starts and ends at a cache line.
inline double sum(const double* a, Range r) {
    // One sum for each pack of a line, so that the adder's latency does not limit the loop.
    Pack s0{}, s1{}, s2{}, s3{};
    const Pack* const end = reinterpret_cast<const Pack*>(a + r.end);
    for (auto p = reinterpret_cast<const Pack*>(a + r.begin); p < end; p += 4) {
        s0 += p[0];
        s1 += p[1];
        s2 += p[2];
        s3 += p[3];
    }
    const Pack all = s0 + s1 + s2 + s3;
    return all[0] + all[1];
}

}  // namespace spmvgen::streaming
