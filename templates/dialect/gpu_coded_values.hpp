// Loads of coded values on GPUs; coded_values.hpp says what the codes mean.
//
// A dictionary is read through the L1 cache (`coded_value`) or from shared memory
// (`staged_value`). Up to 16 f64 values are one cache line: all lanes of a warp are served at once,
// and no block waits for a copy. With many values the lanes of a warp name up to 16 lines, which L1
// looks up one after another; shared memory has 32 banks and serves them in about three turns, for
// a copy of 2 KiB and a barrier a block, which pays off where a block has many entries.
#pragma once
#include "dialect/coded_values.hpp"
#include "dialect/gpu.hpp"

/// The value whose byte of coded_values is `code`: for bytes that a kernel loads by itself.
template <int value_code, typename Value, typename Storage>
[[gnu::always_inline]] inline Value decoded_value(const Storage* values, unsigned char code) {
    if constexpr (value_code == small_integers) {
        return small_integer<Value>(code);
    } else if constexpr (value_code == dictionary_values) {
        return widened<Value>(values[code]);
    } else {
        return widened<Value>(values[0]);
    }
}

/// A value of A, whose array and byte are read once, as the type that is computed with.
template <int value_code, typename Value, typename Storage>
[[gnu::always_inline]] inline Value coded_value(const Storage* values,
                                                const unsigned char* coded_values, long place) {
    if constexpr (value_code == plain_values) {
        return load_value<Value>(values + place);
    } else if constexpr (value_code == one_value) {
        return widened<Value>(values[0]);
    } else {
        return decoded_value<value_code, Value>(values, load_stream(coded_values + place));
    }
}

/// Copies the dictionary to shared memory, as the type that is computed with. All threads of the
/// block take part, `block` of them; the copy may be read when it returns.
template <int block, typename Value, typename Storage>
[[gnu::always_inline]] inline void stage_dictionary(Value* dictionary, const Storage* values) {
    for (int i = static_cast<int>(threadIdx.x); i < dictionary_size; i += block) {
        dictionary[i] = widened<Value>(values[i]);
    }
    __syncthreads();
}

/// coded_value() by a dictionary that stage_dictionary() made; for value_code = dictionary_values.
template <typename Value>
[[gnu::always_inline]] inline Value staged_value(const Value* dictionary,
                                                 const unsigned char* coded_values, long place) {
    return dictionary[load_stream(coded_values + place)];
}
