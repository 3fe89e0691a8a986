// How values of A may be coded, beside the storage type: what the parameter `value_code` means.
//
// Every code is exact: the number that is decoded has the bits of the given one. Two arrays hold
// the values, `values` of the storage type and `coded_values` of bytes; both are always arguments,
// and what a code does not need is not read:
//   plain_values      values[place] is the value.
//   small_integers    coded_values[place] is the value, an integer from -128 to 127 (not -0), of
//                     complex values with the imaginary part 0.
//   one_value         values[0] is every value.
//   dictionary_values values[coded_values[place]] is the value; `values` has 256 elements, of which
//                     those beyond the dictionary's end are 0. The last one is, too, and stands for
//                     what is missing.
#pragma once
#include "dialect/common.hpp"

constexpr int plain_values = 0;
constexpr int small_integers = 1;
constexpr int one_value = 2;
constexpr int dictionary_values = 3;

/// Whether what stands for a missing element is 0: else it must not be added, whatever x is.
template <int value_code>
inline constexpr bool fill_is_zero = value_code != one_value;

/// Elements of `values` when value_code is dictionary_values.
constexpr int dictionary_size = 256;
/// The number of what is missing, then.
constexpr unsigned char missing_in_dictionary = dictionary_size - 1;

/// The small integer that a byte of coded_values stands for.
template <typename Value>
[[gnu::always_inline]] inline Value small_integer(unsigned char code) {
    if constexpr (is_complex<Value>) {
        Value value = {};
        value.re = static_cast<signed char>(code);
        return value;
    } else {
        return static_cast<Value>(static_cast<signed char>(code));
    }
}
