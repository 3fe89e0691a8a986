#pragma once
#include <cstdint>

namespace spmvgen::generators {

/// What a random number is for: numbers of different purposes do not depend on each other.
enum class Purpose : std::uint64_t { value, length, column, edge, place, order, hub };

/// The finaliser of splitmix64 (Steele, Lea, Flood 2014).
constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Counter-based random bits: a pure function of the seed and two counters, hence the same on every
/// machine, in any order and on any number of threads.
class Random {
  public:
    constexpr Random(std::uint64_t seed, Purpose purpose)
        : key_(mix(mix(seed + step) + step * static_cast<std::uint64_t>(purpose))) {}

    /// 64 bits for the pair (a, b).
    constexpr std::uint64_t bits(std::int64_t a, std::int64_t b = 0) const {
        const std::uint64_t h = mix(key_ + step * (static_cast<std::uint64_t>(a) + 1));
        return mix(h + step * (static_cast<std::uint64_t>(b) + 1));
    }
    /// A multiple of 2^-53 in [0, 1).
    constexpr double unit(std::int64_t a, std::int64_t b = 0) const {
        return static_cast<double>(bits(a, b) >> 11) * 0x1p-53;
    }
    /// A whole number in 0 … n-1 (n ≥ 1).
    constexpr std::int64_t below(std::int64_t n, std::int64_t a, std::int64_t b = 0) const {
        __extension__ using Wide = unsigned __int128;
        return static_cast<std::int64_t>((Wide{bits(a, b)} * static_cast<std::uint64_t>(n)) >> 64);
    }

  private:
    static constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;
    std::uint64_t key_;
};

}  // namespace spmvgen::generators
