// Loads of coded values on CPUs; coded_values.hpp says what the codes mean.
//
// Of `lanes` neighbouring values at a time: bytes are widened in registers, a dictionary of up to
// 256 values (2 KiB of f64) stays in the first-level cache and is gathered from.
#pragma once
#include "dialect/coded_values.hpp"
#include "dialect/cpu.hpp"

/// A value of A as the type that is computed with.
template <int value_code, typename Value, typename Storage>
[[gnu::always_inline]] inline Value coded_value(const Storage* values,
                                                const unsigned char* coded_values, long place) {
    if constexpr (value_code == plain_values) {
        return widened<Value>(values[place]);
    } else if constexpr (value_code == small_integers) {
        return small_integer<Value>(coded_values[place]);
    } else if constexpr (value_code == one_value) {
        return widened<Value>(values[0]);
    } else {
        return widened<Value>(values[coded_values[place]]);
    }
}

/// to[l] = the value at place + l for every lane l.
template <int value_code, int lanes, typename Value, typename Storage, typename Byte>
[[gnu::always_inline]] inline void decode_lanes(Value* to, const Storage* values,
                                                const Byte* coded_values, long place) {
    if constexpr (value_code == plain_values) {
        widen_lanes<lanes>(to, values + place);
    } else if constexpr (value_code == one_value) {
        const Value value = widened<Value>(values[0]);
        for (int l = 0; l < lanes; ++l) {
            to[l] = value;
        }
    } else {
        // All bytes at once, so that no store to `to` stands between their loads: bytes may be
        // anything's.
        typedef Byte Codes __attribute__((vector_size(lanes)));
        Codes codes = {};
        __builtin_memcpy(&codes, coded_values + place, sizeof(Codes));
        if constexpr (value_code == small_integers && !is_complex<Value>) {
            typedef signed char Integers __attribute__((vector_size(lanes)));
            typedef Value Numbers __attribute__((vector_size(lanes * sizeof(Value))));
            Integers integers = {};
            __builtin_memcpy(&integers, coded_values + place, sizeof(Integers));
            const Numbers numbers = __builtin_convertvector(integers, Numbers);
            __builtin_memcpy(to, &numbers, sizeof(Numbers));
        } else {
            for (int l = 0; l < lanes; ++l) {
                if constexpr (value_code == small_integers) {
                    to[l] = small_integer<Value>(codes[l]);
                } else {
                    to[l] = widened<Value>(values[codes[l]]);
                }
            }
        }
    }
}
