#include "formats/narrow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// The smallest number that rounds to infinity: the largest finite one and half a unit more.
double overflow(ValueType storage) {
    const int fraction_bits = storage == ValueType::f16 ? 10 : storage == ValueType::bf16 ? 7 : 23;
    return std::ldexp(2 - std::ldexp(1.0, -fraction_bits - 1),
                      storage == ValueType::f16 ? 15 : 127);
}

/// Place of the first value that would become infinite; nnz when there is none.
template <typename Value>
std::int64_t first_overflow(const CsrView& matrix, double limit) {
    const Value* values = matrix.values_as<Value>();
    std::int64_t first = matrix.nnz;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (std::int64_t k = 0; k < matrix.nnz; ++k)
        if (std::isfinite(values[k]) && std::abs(static_cast<double>(values[k])) >= limit)
            first = std::min(first, k);
    return first;
}

/// The row that holds entry `place`.
std::int64_t row_of(const CsrView& matrix, std::int64_t place) {
    std::int64_t low = 0;
    std::int64_t high = matrix.rows;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (matrix.row_begin(middle) <= place ? low : high) = middle;
    }
    return low;
}

}  // namespace

std::uint16_t round_to_16_bits(double value, int exponent_bits, int fraction_bits) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const std::int64_t infinity = ((std::int64_t{1} << exponent_bits) - 1) << fraction_bits;
    if (std::isnan(value))
        return static_cast<std::uint16_t>(sign | infinity | 1 << (fraction_bits - 1));
    const double magnitude = std::abs(value);
    if (magnitude == 0) return sign;
    if (magnitude >= std::ldexp(2.0, bias)) return static_cast<std::uint16_t>(sign | infinity);
    const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
    const double units = std::ldexp(magnitude, fraction_bits - exponent);
    auto whole = static_cast<std::int64_t>(units);
    const double rest = units - static_cast<double>(whole);
    if (rest > 0.5 || (rest == 0.5 && whole % 2 != 0)) ++whole;
    // A normal number has its leading one in `whole`, which adds one to the exponent's field; a
    // subnormal one has not.
    const std::int64_t field = std::int64_t{exponent + bias - 1} << fraction_bits;
    return static_cast<std::uint16_t>(sign | std::min(field + whole, infinity));
}

std::int64_t first_overflow(const CsrView& matrix, ValueType storage) {
    const double limit = overflow(storage);
    return matrix.value_type == ValueType::f64 ? first_overflow<double>(matrix, limit)
                                               : first_overflow<float>(matrix, limit);
}

void check_storable(const CsrView& matrix, const Signature& signature) {
    if (!signature.storage || is_complex(signature.value)) return;
    const std::int64_t place = first_overflow(matrix, *signature.storage);
    const bool wide = matrix.value_type == ValueType::f64;
    if (place == matrix.nnz) return;
    const double value =
        wide ? matrix.values_as<double>()[place] : matrix.values_as<float>()[place];
    throw Error(ErrorCode::invalid_argument,
                fmt::format("value {} in row {}, column {} (counted from 0) is too large for "
                            "storage type {}: use a wider one",
                            value, row_of(matrix, place), matrix.col(place),
                            to_string(*signature.storage)));
}

}  // namespace spmvgen
