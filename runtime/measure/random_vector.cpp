#include "measure/random_vector.hpp"

#include <cmath>

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
void fill(Real* data, std::int64_t count, std::uint64_t seed, int bits) {
    const double step = std::ldexp(1.0, -bits);
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) {
        const auto number = random_bits(seed, static_cast<std::uint64_t>(i)) >> (64 - bits);
        data[i] = static_cast<Real>(0.5 + static_cast<double>(number) * step);
    }
}

void fill_reals(ValueType type, void* data, std::int64_t count, std::uint64_t seed, int bits) {
    const std::int64_t reals = is_complex(type) ? 2 * count : count;
    if (type == ValueType::f32 || type == ValueType::c32)
        fill(static_cast<float*>(data), reals, seed, bits);
    else
        fill(static_cast<double*>(data), reals, seed, bits);
}

constexpr int bits_of_f32 = 23, bits_of_f64 = 52;

}  // namespace

void fill_random(ValueType type, void* data, std::int64_t count, std::uint64_t seed) {
    fill_reals(type, data, count, seed, bits_of_f32);
}

void fill_random_wide(ValueType type, void* data, std::int64_t count, std::uint64_t seed) {
    const bool single = type == ValueType::f32 || type == ValueType::c32;
    fill_reals(type, data, count, seed, single ? bits_of_f32 : bits_of_f64);
}

}  // namespace spmvgen
