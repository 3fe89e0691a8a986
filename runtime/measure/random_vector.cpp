#include "measure/random_vector.hpp"

namespace spmvgen {
namespace {

/// splitmix64 as a function of the position (Steele, Lea, Flood: Fast splittable pseudorandom
/// number generators, OOPSLA 2014).
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t position) {
    std::uint64_t z = seed * 0xd1342543de82ef95u + (position + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

template <typename Real>
void fill(Real* data, std::int64_t count, std::uint64_t seed) {
    // 23 bits are exact in f32 and keep f32 and f64 vectors equal.
    constexpr double step = 1.0 / (1 << 23);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) {
        const auto bits = random_bits(seed, static_cast<std::uint64_t>(i)) >> 41;
        data[i] = static_cast<Real>(0.5 + static_cast<double>(bits) * step);
    }
}

}  // namespace

void fill_random(ValueType type, void* data, std::int64_t count, std::uint64_t seed) {
    const std::int64_t reals = is_complex(type) ? 2 * count : count;
    if (type == ValueType::f32 || type == ValueType::c32)
        fill(static_cast<float*>(data), reals, seed);
    else
        fill(static_cast<double*>(data), reals, seed);
}

}  // namespace spmvgen
