#include "rounding.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "formats/narrow.hpp"

namespace spmvgen::cli {
namespace {

/// The number that these bits of IEEE binary16 stand for.
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

double rounded(double value, ValueType storage) {
    if (storage == ValueType::f16) return number_of(stored_value<HalfBits>(value));
    if (storage == ValueType::bf16) return number_of(stored_value<BfloatBits>(value));
    return static_cast<float>(value);
}

}  // namespace

void round_values(ValueType storage, CsrMatrix& matrix) {
    dispatch(matrix.value_type, [&]<typename Value>(Value) {
        if constexpr (std::is_floating_point_v<Value>) {
            const auto values = matrix.values.as<Value>();
#pragma omp parallel for schedule(static)
            for (std::int64_t k = 0; k < matrix.nnz; ++k) {
                Value& value = values[static_cast<std::size_t>(k)];
                value = static_cast<Value>(rounded(value, storage));
            }
        }
    });
}

}  // namespace spmvgen::cli
