// The deltas of strips on CPUs: of one lane, and of all lanes in registers.
// docs/explanation/strips.md has the format.
#pragma once
#include "dialect/cpu_lanes.hpp"
#include "dialect/formats/strips_format.hpp"

/// Whether a slice's code must be asked for: `codes` has it and a wider one.
template <int codes, int code>
inline constexpr bool asks_for = has_delta_code<codes, code> && widest_code<codes> != code;

/// The delta of one lane of strip `strip`, counted within the slice.
template <int code, int lanes>
[[gnu::always_inline]] inline long delta_of(const unsigned char* deltas, long strip, int lane) {
    if constexpr (code == affine_deltas) {
        return lane;
    } else if constexpr (code == deltas_of_8_bits) {
        return deltas[strip * lanes + lane];
    } else if constexpr (code == deltas_of_16_bits) {
        unsigned short delta = 0;
        __builtin_memcpy(&delta, deltas + (strip * lanes + lane) * 2, sizeof(delta));
        return delta;
    } else {
        unsigned delta = 0;
        __builtin_memcpy(&delta, deltas + (strip * lanes + lane) * 4, sizeof(delta));
        return delta;
    }
}

/// What the column of lane `lane` adds to the base of strip `strip`, by the code of its slice.
template <int codes, int lanes>
[[gnu::always_inline]] inline long delta_of_any(const unsigned char* deltas, long strip, int lane,
                                                int code) {
    if constexpr (asks_for<codes, affine_deltas>) {
        if (code == affine_deltas) {
            return delta_of<affine_deltas, lanes>(deltas, strip, lane);
        }
    }
    if constexpr (asks_for<codes, deltas_of_8_bits>) {
        if (code == deltas_of_8_bits) {
            return delta_of<deltas_of_8_bits, lanes>(deltas, strip, lane);
        }
    }
    if constexpr (asks_for<codes, deltas_of_16_bits>) {
        if (code == deltas_of_16_bits) {
            return delta_of<deltas_of_16_bits, lanes>(deltas, strip, lane);
        }
    }
    return delta_of<widest_code<codes>, lanes>(deltas, strip, lane);
}

/// delta[l] = narrow number l of strip `strip`, widened in registers.
template <typename Narrow, int lanes, int prefetch, typename Index>
[[gnu::always_inline]] inline void widen_deltas(Index* delta, const unsigned char* deltas,
                                                long strip) {
    typedef Narrow Packed __attribute__((vector_size(lanes * sizeof(Narrow))));
    typedef Index Wide __attribute__((vector_size(lanes * sizeof(Index))));
    const unsigned char* from = deltas + strip * (lanes * sizeof(Narrow));
    prefetch_ahead<prefetch, lanes * sizeof(Narrow)>(from);
    Packed packed = {};
    __builtin_memcpy(&packed, from, sizeof(Packed));
    const Wide wide = __builtin_convertvector(packed, Wide);
    __builtin_memcpy(delta, &wide, sizeof(Wide));
}

/// delta[l] = l for every lane l.
template <int lanes, typename Index>
[[gnu::always_inline]] inline void number_lanes(Index* delta) {
    for (int l = 0; l < lanes; ++l) {
        delta[l] = l;
    }
}

/// delta[l] = the delta of lane l of strip `strip`, whose code is one of `codes`: `code`.
template <int codes, int lanes, int prefetch, typename Index>
[[gnu::always_inline]] inline void load_deltas(Index* delta, const unsigned char* deltas,
                                               long strip, int code) {
    if constexpr (asks_for<codes, affine_deltas>) {
        if (code == affine_deltas) {
            number_lanes<lanes>(delta);
            return;
        }
    }
    if constexpr (asks_for<codes, deltas_of_8_bits>) {
        if (code == deltas_of_8_bits) {
            widen_deltas<unsigned char, lanes, prefetch>(delta, deltas, strip);
            return;
        }
    }
    if constexpr (asks_for<codes, deltas_of_16_bits>) {
        if (code == deltas_of_16_bits) {
            widen_deltas<unsigned short, lanes, prefetch>(delta, deltas, strip);
            return;
        }
    }
    if constexpr (widest_code<codes> == affine_deltas) {
        number_lanes<lanes>(delta);
    } else if constexpr (widest_code<codes> == deltas_of_8_bits) {
        widen_deltas<unsigned char, lanes, prefetch>(delta, deltas, strip);
    } else if constexpr (widest_code<codes> == deltas_of_16_bits) {
        widen_deltas<unsigned short, lanes, prefetch>(delta, deltas, strip);
    } else {
        widen_deltas<unsigned, lanes, prefetch>(delta, deltas, strip);
    }
}

/// Whether the base of a strip is 0 and not read: the delta is the column itself.
template <int code, typename Index>
inline constexpr bool has_no_base = code == deltas_of_32_bits && sizeof(Index) == 4;

/// The first column of the block of a lane whose delta is 0.
template <int codes, int block_cols, typename Index>
[[gnu::always_inline]] inline long first_column(const Index* bases, long strip, int code) {
    if constexpr (has_no_base<widest_code<codes>, Index>) {
        if (codes == only_code<deltas_of_32_bits> || code == deltas_of_32_bits) {
            return 0;
        }
    }
    return static_cast<long>(bases[strip]) * block_cols;
}
