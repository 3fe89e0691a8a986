#include "matrix/overflow.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

namespace spmvgen {
namespace {

/// The smallest number that rounds to infinity: the largest finite one and half a unit more.
double overflow(ValueType storage) {
    if (storage == ValueType::f64 || storage == ValueType::c64)
        return std::numeric_limits<double>::infinity();
    const int fraction_bits = storage == ValueType::f16 ? 10 : storage == ValueType::bf16 ? 7 : 23;
    return std::ldexp(2 - std::ldexp(1.0, -fraction_bits - 1),
                      storage == ValueType::f16 ? 15 : 127);
}

/// Place of the first value that would become infinite; nnz when there is none.
template <typename Value>
std::int64_t first_overflow(const CsrView& matrix, double limit) {
    const Value* values = matrix.values_as<Value>();
    const auto overflows = [&](auto part) {
        return std::isfinite(part) && std::abs(static_cast<double>(part)) >= limit;
    };
    std::int64_t first = matrix.nnz;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (std::int64_t k = 0; k < matrix.nnz; ++k)
        if (overflows(std::real(values[k])) || overflows(std::imag(values[k])))
            first = std::min(first, k);
    return first;
}

}  // namespace

std::int64_t entry_row(const CsrView& matrix, std::int64_t place) {
    std::int64_t low = 0;
    std::int64_t high = matrix.rows;
    while (high - low > 1) {
        const std::int64_t middle = low + (high - low) / 2;
        (matrix.row_begin(middle) <= place ? low : high) = middle;
    }
    return low;
}

std::int64_t first_overflow(const CsrView& matrix, ValueType storage) {
    const double limit = overflow(storage);
    if (std::isinf(limit)) return matrix.nnz;
    return dispatch(matrix.value_type,
                    [&]<typename Value>(Value) { return first_overflow<Value>(matrix, limit); });
}

std::string number_text(ValueType type, const void* values, std::int64_t place) {
    return dispatch(type, [&]<typename Value>(Value) {
        const Value value = static_cast<const Value*>(values)[place];
        if constexpr (std::is_floating_point_v<Value>)
            return fmt::format("{}", value);
        else
            return fmt::format("({}, {})", value.real(), value.imag());
    });
}

std::string entry_text(const CsrView& matrix, std::int64_t place) {
    return fmt::format(
        "value {} in row {}, column {} (counted from 0)",
        number_text(matrix.value_type, matrix.values, place), entry_row(matrix, place),
        matrix.col_idx != nullptr ? fmt::format("{}", matrix.col(place)) : "unknown");
}

}  // namespace spmvgen
