#pragma once
#include <array>
#include <bit>
#include <cstdint>

/// Logarithm, power, root and bell curve by whole numbers: the same on every machine, whatever its
/// mathematical library or compiler does with the last bit. Fixed: multiples of 2^-16.
namespace spmvgen::sampler {

using Fixed = std::int64_t;
inline constexpr Fixed one = 65536;

namespace tables {

__extension__ using Wide = unsigned __int128;

/// 2^(k/256) · 2^30.
constexpr std::array<std::uint32_t, 257> powers = [] {
    constexpr std::uint64_t root = 4624189567668517720u;  // 2^(1/256) · 2^62
    std::array<std::uint32_t, 257> table{};
    std::uint64_t x = std::uint64_t{1} << 62;
    for (auto& entry : table) {
        entry = static_cast<std::uint32_t>(x >> 32);
        x = static_cast<std::uint64_t>((Wide{x} * root) >> 62);
    }
    return table;
}();

/// log2(1 + k/256) · 2^24.
constexpr std::array<std::uint32_t, 257> logarithms = [] {
    std::array<std::uint32_t, 257> table{};
    for (std::uint64_t k = 0; k < 256; ++k) {
        std::uint64_t x = (256 + k) << 54;  // between 1 and 2, in units of 2^-62
        for (int bit = 23; bit >= 0; --bit) {
            x = static_cast<std::uint64_t>((Wide{x} * x) >> 62);
            if (x >> 63 == 0) continue;
            table[k] |= std::uint32_t{1} << bit;
            x >>= 1;
        }
    }
    table[256] = std::uint32_t{1} << 24;
    return table;
}();

}  // namespace tables

/// log2(x), x ≥ 1, to about 2^-16.
constexpr Fixed log2_of(std::uint64_t x) {
    const int whole = std::bit_width(x) - 1;
    const std::uint64_t fraction = (x << (63 - whole) << 1) >> 40;  // 24 bits
    const std::uint64_t k = fraction >> 16, rest = fraction & 0xffff;
    const std::uint64_t low = tables::logarithms[k], high = tables::logarithms[k + 1];
    return whole * one + static_cast<Fixed>((low + (((high - low) * rest) >> 16)) >> 8);
}

/// 2^e rounded down, 0 ≤ e < 62; 1 below, 2^62 above.
constexpr std::int64_t exp2_of(Fixed e) {
    if (e <= 0) return 1;
    if (e >= 62 * one) return std::int64_t{1} << 62;
    const auto k = static_cast<std::size_t>((e >> 8) & 0xff);
    const std::uint64_t rest = static_cast<std::uint64_t>(e & 0xff);
    const std::uint64_t low = tables::powers[k], high = tables::powers[k + 1];
    const std::uint64_t mantissa = (low << 16) + (((high - low) * rest) << 8);  // 2^46 … 2^47
    const auto whole = static_cast<int>(e >> 16);
    return static_cast<std::int64_t>(whole <= 46 ? mantissa >> (46 - whole)
                                                 : mantissa << (whole - 46));
}

/// The largest r with r^power ≤ x; x ≥ 0, power 2 or 3.
constexpr std::int64_t root_of(std::int64_t x, int power) {
    std::int64_t low = 0, high = power == 2 ? 3037000499 : 2097151;
    while (low < high) {
        const std::int64_t middle = low + (high - low + 1) / 2;
        const std::int64_t square = middle * middle;
        (power == 2 ? square : square * middle) <= x ? low = middle : high = middle - 1;
    }
    return low;
}

/// About normal, mean 0, standard deviation 1, within ±5: the sum of eight uniform numbers of 16
/// bits.
constexpr Fixed bell_of(std::uint64_t a, std::uint64_t b) {
    Fixed sum = 0;
    for (int shift = 0; shift < 64; shift += 16)
        sum += static_cast<Fixed>((a >> shift & 0xffff) + (b >> shift & 0xffff));
    return (sum - 262140) * one / 53510;
}

/// The largest n in 1 … most with count(n) ≤ wanted, where count does not fall; 1 where there is
/// none.
template <typename Count>
std::int64_t largest_with(std::int64_t most, std::int64_t wanted, const Count& count) {
    std::int64_t low = 1, high = most;
    while (low < high) {
        const std::int64_t middle = low + (high - low + 1) / 2;
        count(middle) <= wanted ? low = middle : high = middle - 1;
    }
    return low;
}

}  // namespace spmvgen::sampler
