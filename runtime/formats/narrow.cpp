#include "formats/narrow.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "formats/layout.hpp"

namespace spmvgen {

std::uint16_t round_to_16_bits(double value, int exponent_bits, int fraction_bits) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const std::int64_t infinity = ((std::int64_t{1} << exponent_bits) - 1) << fraction_bits;
    if (std::isnan(value))
        return static_cast<std::uint16_t>(sign | infinity | 1 << (fraction_bits - 1));
    const double magnitude = std::abs(value);
    if (magnitude == 0) return sign;
    constexpr int double_bias = 1023, double_fraction = 52;
    const auto bits = std::bit_cast<std::uint64_t>(magnitude);
    const int exponent = static_cast<int>(bits >> double_fraction) - double_bias;
    if (exponent > bias) return static_cast<std::uint16_t>(sign | infinity);
    if (exponent >= 1 - bias) {
        // A normal number: what rounding carries out of the fraction belongs to the exponent.
        const int dropped = double_fraction - fraction_bits;
        const std::uint64_t below_half = (std::uint64_t{1} << (dropped - 1)) - 1;
        const std::uint64_t kept = (bits + below_half + (bits >> dropped & 1)) >> dropped;
        const std::int64_t other_bias = std::int64_t{double_bias - bias} << fraction_bits;
        return static_cast<std::uint16_t>(
            sign | std::min(static_cast<std::int64_t>(kept) - other_bias, infinity));
    }
    const double units = std::ldexp(magnitude, fraction_bits - (1 - bias));
    auto whole = static_cast<std::int64_t>(units);
    const double rest = units - static_cast<double>(whole);
    if (rest > 0.5 || (rest == 0.5 && whole % 2 != 0)) ++whole;
    return static_cast<std::uint16_t>(sign | whole);
}

double number_of(HalfBits half) {
    const int exponent = half.bits >> 10 & 31, fraction = half.bits & 1023;
    const double size = exponent == 31  ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                         : std::numeric_limits<double>::quiet_NaN())
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(1024 + fraction, exponent - 25);
    return (half.bits >> 15) != 0 ? -size : size;
}

double number_of(BfloatBits bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits.bits) << 16);
}

void widen_values(StoredMatrix& stored, ValueType storage) {
    if (!is_storage_only(storage)) return;
    const void* narrow = stored.arrays.at("values");
    stored.arrays.erase("values");
    auto* wide = add_array<float>(stored, "values", stored.stored);
    const auto widen = [&](const auto* from) {
        for (std::int64_t k = 0; k < stored.stored; ++k)
            wide[k] = static_cast<float>(number_of(from[k]));
    };
    if (storage == ValueType::f16)
        widen(static_cast<const HalfBits*>(narrow));
    else
        widen(static_cast<const BfloatBits*>(narrow));
    stored.bytes +=
        stored.stored * static_cast<std::int64_t>(size_of(ValueType::f32) - size_of(storage));
    std::erase_if(stored.owned, [&](const Buffer& buffer) { return buffer.data() == narrow; });
}

}  // namespace spmvgen
