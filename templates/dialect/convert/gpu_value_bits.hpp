// Values told apart by their bits, in the order of the host (matrix/value_classes.hpp).
#pragma once
#include "dialect/gpu.hpp"

/// A value's bits: numbers that differ in `first` come in the order of that, others in that of
/// `second`.
struct value_bits {
    unsigned long long first;
    unsigned long long second;
};

template <typename Real>
[[gnu::always_inline]] inline unsigned long long real_bits(Real number) {
    if constexpr (sizeof(Real) == 4) {
        return __float_as_uint(number);
    } else {
        return static_cast<unsigned long long>(__double_as_longlong(number));
    }
}

template <typename Vector>
[[gnu::always_inline]] inline value_bits bits_of(Vector value) {
    value_bits bits = {};
    if constexpr (!is_complex<Vector>) {
        bits.first = real_bits(value);
    } else if constexpr (sizeof(Vector) == 8) {
        bits.first = real_bits(value.im) << 32 | real_bits(value.re);
    } else {
        bits.first = real_bits(value.re);
        bits.second = real_bits(value.im);
    }
    return bits;
}

[[gnu::always_inline]] inline bool same_bits(value_bits a, value_bits b) {
    return a.first == b.first && a.second == b.second;
}

/// The number of a value in a dictionary of `count` values, which are sorted by their bits.
template <typename Vector>
[[gnu::always_inline]] inline unsigned char number_in_dictionary(const Vector* dictionary,
                                                                 int count, Vector value) {
    const value_bits bits = bits_of(value);
    int low = 0;
    int high = count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        const value_bits other = bits_of(dictionary[middle]);
        const bool is_behind =
            other.first > bits.first || (other.first == bits.first && other.second > bits.second);
        low = is_behind ? low : middle;
        high = is_behind ? middle : high;
    }
    return static_cast<unsigned char>(low);
}
