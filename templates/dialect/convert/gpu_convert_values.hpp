// How conversions of CSR on the device store values.
#pragma once
#include "dialect/convert/gpu_convert.hpp"
#include "dialect/convert/gpu_value_bits.hpp"

/// The number of 16 bits nearest to `number`, ties to even, as the host rounds (formats/narrow.hpp).
template <int exponent_bits, int fraction_bits>
[[gnu::always_inline]] inline unsigned short rounded_to_16_bits(double number) {
    constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    constexpr int infinity = ((1 << exponent_bits) - 1) << fraction_bits;
    const unsigned long long bits = real_bits(number);
    const int sign = static_cast<int>(bits >> 63) << 15;
    if (!(number == number)) {
        return static_cast<unsigned short>(sign | infinity | 1 << (fraction_bits - 1));
    }
    const int given = static_cast<int>(bits >> 52 & 0x7ffull) - 1023;
    if (given > bias) {
        return static_cast<unsigned short>(sign | infinity);
    }
    const int exponent = given > 1 - bias ? given : 1 - bias;
    const double magnitude = number < 0 ? -number : number;
    // In units of the last place, and rounded by a sum that has no bits below them.
    const double unit =
        __longlong_as_double(static_cast<long long>(1023 + fraction_bits - exponent) << 52);
    const double whole = magnitude * unit + 0x1p52 - 0x1p52;
    const int field = (exponent + bias - 1) << fraction_bits;
    const int all = field + static_cast<int>(whole);
    return static_cast<unsigned short>(sign | (all < infinity ? all : infinity));
}

/// A value as it is stored.
template <typename Storage, typename Vector>
[[gnu::always_inline]] inline Storage stored_as(Vector value) {
    if constexpr (is_f16<Storage>) {
        return {rounded_to_16_bits<5, 10>(static_cast<double>(value))};
    } else if constexpr (is_bf16<Storage>) {
        return {rounded_to_16_bits<8, 7>(static_cast<double>(value))};
    } else {
        return converted<Storage>(value);
    }
}

/// Puts the value of an entry, or 0 where there is none, to its place; value_code is not one_value.
/// `dictionary` has num_distinct values, sorted by their bits.
template <int value_code, typename Vector, typename Storage>
[[gnu::always_inline]] inline void put_value(Storage* values, unsigned char* coded_values,
                                             const Vector* dictionary, int num_distinct, long place,
                                             bool exists, Vector value) {
    if constexpr (value_code == plain_values) {
        values[place] = stored_as<Storage>(value);
    } else if constexpr (value_code == dictionary_values) {
        coded_values[place] =
            exists ? number_in_dictionary(dictionary, num_distinct, value) : missing_in_dictionary;
    } else {
        if constexpr (is_complex<Vector>) {
            coded_values[place] = static_cast<unsigned char>(static_cast<signed char>(value.re));
        } else {
            coded_values[place] = static_cast<unsigned char>(static_cast<signed char>(value));
        }
    }
}

/// Puts what `values` holds where entries have codes: the one value, or the dictionary and zeros
/// behind it. `thread` of `threads` takes part.
template <int value_code, typename Vector, typename Storage>
[[gnu::always_inline]] inline void put_decoded(Storage* values, const Vector* csr_values,
                                               const Vector* dictionary, int num_distinct,
                                               int thread, int threads) {
    if constexpr (value_code == one_value) {
        if (thread == 0) {
            values[0] = stored_as<Storage>(csr_values[0]);
        }
    } else if constexpr (value_code == dictionary_values) {
        for (int i = thread; i < dictionary_size; i += threads) {
            values[i] = stored_as<Storage>(i < num_distinct ? dictionary[i] : Vector{});
        }
    }
}
