#pragma once
#include <cstddef>
#include <cstdint>

/// What loops that measure how fast doubles are read share.
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

/// A number at random that is a pure function of `number`.
inline std::uint64_t scattered(std::uint64_t number) {
    number *= 0x9e3779b97f4a7c15u;
    number ^= number >> 29;
    number *= 0xbf58476d1ce4e5b9u;
    return number ^ (number >> 32);
}

/// The sum of `count` elements, a multiple of 8, at random places of an array that has `mask` + 1,
/// a power of two. The places are a pure function of `first`.
inline double scattered_sum(const double* a, std::uint64_t mask, std::uint64_t first,
                            std::uint64_t count) {
    double sums[8]{};
    for (std::uint64_t i = 0; i < count; i += 8)
        for (std::size_t k = 0; k < 8; ++k) sums[k] += a[scattered(first + i + k) & mask];
    return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

}  // namespace spmvgen::streaming
