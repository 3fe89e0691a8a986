// The strips of one slice on CPUs: columns decoded in registers, products of all lanes.
// docs/strips.md has the format.
#pragma once
#include "dialect/cpu_coded_values.hpp"
#include "dialect/cpu_prefetch.hpp"
#include "dialect/cpu_target.hpp"
#include "dialect/strips_format.hpp"

/// The other codes of deltas; every delta has delta_bytes<code> bytes.
constexpr int deltas_of_8_bits = 1;
constexpr int deltas_of_16_bits = 2;
constexpr int deltas_of_32_bits = 3;

/// In place of a code: slice_info tells it when a delta is read.
constexpr int any_deltas = 4;

template <int code>
inline constexpr int delta_bytes = code == deltas_of_32_bits ? 4 : code;

/// Whether the kernel has slices of that code and of others: whether it must ask.
template <int codes, int code>
inline constexpr bool asks_for = (codes >> code & 1) != 0 && codes != 1 << code;

/// Whether all slices have that code.
template <int codes, int code>
inline constexpr bool only_code = codes == 1 << code;

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

/// delta[l] = narrow number l of those at `from`, widened in registers.
template <typename Narrow, int lanes, typename Index>
[[gnu::always_inline]] inline void widen_deltas(Index* delta, const unsigned char* from) {
    typedef Narrow Packed __attribute__((vector_size(lanes * sizeof(Narrow))));
    typedef Index Wide __attribute__((vector_size(lanes * sizeof(Index))));
    Packed packed = {};
    __builtin_memcpy(&packed, from, sizeof(Packed));
    const Wide wide = __builtin_convertvector(packed, Wide);
    __builtin_memcpy(delta, &wide, sizeof(Wide));
}

/// Whether deltas are taken in a register, for gathers; single loads of x would have to take each
/// out of it again.
template <int code>
inline constexpr bool deltas_in_register = code != affine_deltas && gathers;

/// delta[l] = the delta of lane l of strip `strip`.
template <int code, int lanes, typename Index>
[[gnu::always_inline]] inline void load_deltas(Index* delta, const unsigned char* deltas,
                                               long strip) {
    if constexpr (code == affine_deltas) {
        for (int l = 0; l < lanes; ++l) {
            delta[l] = l;
        }
    } else if constexpr (code == deltas_of_8_bits) {
        widen_deltas<unsigned char, lanes>(delta, deltas + strip * lanes);
    } else if constexpr (code == deltas_of_16_bits) {
        widen_deltas<unsigned short, lanes>(delta, deltas + strip * (lanes * 2));
    } else {
        widen_deltas<unsigned, lanes>(delta, deltas + strip * (lanes * 4));
    }
}

/// Whether the base of a strip is 0 and not read: the delta is the column itself.
template <int code, typename Index>
inline constexpr bool has_no_base = code == deltas_of_32_bits && sizeof(Index) == 4;

/// The first column of the block of a lane whose delta is 0.
template <int code, int block_cols, typename Index>
[[gnu::always_inline]] inline long first_column(const Index* bases, long strip) {
    if constexpr (has_no_base<code, Index>) {
        return 0;
    } else {
        return static_cast<long>(bases[strip]) * block_cols;
    }
}

/// sum[l] += a[l] · b[l] for every lane l.
template <int lanes, typename Value>
[[gnu::always_inline]] inline void add_lanes(Value* sum, const Value* a, const Value* b) {
    if constexpr (is_complex<Value>) {
        for (int l = 0; l < lanes; ++l) {
            sum[l] = multiply_add(a[l], b[l], sum[l]);
        }
    } else {
        typedef Value Lanes __attribute__((vector_size(lanes * sizeof(Value))));
        Lanes total = {};
        Lanes left = {};
        Lanes right = {};
        __builtin_memcpy(&total, sum, sizeof(Lanes));
        __builtin_memcpy(&left, a, sizeof(Lanes));
        __builtin_memcpy(&right, b, sizeof(Lanes));
        total += left * right;
        __builtin_memcpy(sum, &total, sizeof(Lanes));
    }
}

/// Strips begin … end-1 of a slice, which every lane has: sum[i·lanes + l] += row i of lane l's
/// blocks times x. `bases` and `deltas` are the slice's own, `place` the number of its first value.
/// With `is_filled` blocks may reach beyond the last column.
template <int code, int lanes, int block_rows, int block_cols, int value_code, int prefetch,
          bool is_filled, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void add_strips(Value* sum, const Index* bases,
                                              const unsigned char* deltas, const Storage* values,
                                              const unsigned char* coded_values, long place,
                                              const Vector* x, long num_cols, long begin,
                                              long end) {
    constexpr int block = block_rows * block_cols;
#pragma GCC unroll 1
    for (long k = begin; k < end; ++k) {
        const long first = place + k * (block * lanes);
        if constexpr (value_code == plain_values) {
            prefetch_ahead<prefetch, block * lanes* static_cast<int>(sizeof(Storage))>(values +
                                                                                       first);
        } else if constexpr (value_code != one_value) {
            prefetch_ahead<prefetch, block * lanes>(coded_values + first);
        }
        if constexpr (code != affine_deltas) {
            prefetch_ahead<prefetch, lanes * delta_bytes<code>>(deltas +
                                                                k * (lanes * delta_bytes<code>));
        }
        Index delta[lanes] = {};
        if constexpr (deltas_in_register<code>) {
            load_deltas<code, lanes>(delta, deltas, k);
        }
        const long column = first_column<code, block_cols>(bases, k);
        const Vector* near = x + column;
        for (int j = 0; j < block_cols; ++j) {
            Value factors[lanes] = {};
            for (int l = 0; l < lanes; ++l) {
                long offset = 0;
                if constexpr (deltas_in_register<code>) {
                    offset = delta[l] * block_cols + j;
                } else {
                    offset = delta_of<code, lanes>(deltas, k, l) * block_cols + j;
                }
                if constexpr (is_filled) {
                    const long beyond = column + offset;
                    factors[l] = converted<Value>(x[beyond < num_cols ? beyond : num_cols - 1]);
                } else {
                    factors[l] = converted<Value>(near[offset]);
                }
            }
            for (int i = 0; i < block_rows; ++i) {
                Value entries[lanes] = {};
                decode_lanes<value_code, lanes>(entries, values, coded_values,
                                                first + (i * block_cols + j) * lanes);
                add_lanes<lanes>(sum + i * lanes, entries, factors);
            }
        }
    }
}

/// The mask of one block of r·c elements; which bits are set tells which of them the matrix has.
template <int block, int lanes>
[[gnu::always_inline]] inline unsigned long mask_of(const unsigned char* masks, long strip,
                                                    int lane) {
    constexpr int bytes = block <= 8 ? 1 : block <= 16 ? 2 : block <= 32 ? 4 : 8;
    unsigned long mask = 0;
    for (int byte = 0; byte < bytes; ++byte) {
        mask |= static_cast<unsigned long>(masks[(strip * lanes + lane) * bytes + byte])
                << (8 * byte);
    }
    return mask;
}

/// Which lanes have bit `bit` set in their masks of strip `strip`: -1 and 0.
template <typename Mask, int lanes, typename Index>
[[gnu::always_inline]] inline void lanes_of_masks(Index* is_there, const unsigned char* masks,
                                                  long strip, int bit) {
    typedef Mask Masks __attribute__((vector_size(lanes * sizeof(Mask))));
    typedef Index Lanes __attribute__((vector_size(lanes * sizeof(Index))));
    Masks all = {};
    __builtin_memcpy(&all, masks + strip * (lanes * sizeof(Mask)), sizeof(Masks));
    const Lanes set = __builtin_convertvector((all >> bit & 1) != 0, Lanes);
    __builtin_memcpy(is_there, &set, sizeof(Lanes));
}

/// The same for strips that some lanes have: those k with k < length[l], and a long row has none
/// here; with `is_filled` the masks tell, which are 0 where a lane has no strip. What is not there
/// meets no x.
template <int code, int lanes, int block_rows, int block_cols, int long_rows, int value_code,
          bool is_filled, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void add_some_of_strips(
    Value* sum, const Index* bases, const unsigned char* deltas, const unsigned char* masks,
    const unsigned short* length, const Storage* values, const unsigned char* coded_values,
    long place, const Vector* x, long begin, long end) {
    typedef Index Lanes __attribute__((vector_size(lanes * sizeof(Index))));
    constexpr int block = block_rows * block_cols;
    Lanes strips = {};
    if constexpr (!is_filled) {
        widen_deltas<unsigned short, lanes>(reinterpret_cast<Index*>(&strips),
                                            reinterpret_cast<const unsigned char*>(length));
        if constexpr (long_rows == 1) {
            strips = strips == length_of_long ? Lanes{} : strips;
        }
    }
#pragma GCC unroll 1
    for (long k = begin; k < end; ++k) {
        Lanes delta = {};
        load_deltas<code, lanes>(reinterpret_cast<Index*>(&delta), deltas, k);
        const long column = first_column<code, block_cols>(bases, k);
        for (int i = 0; i < block_rows; ++i) {
            for (int j = 0; j < block_cols; ++j) {
                Lanes is_there = {};
                if constexpr (!is_filled) {
                    is_there = static_cast<Index>(k) < strips;
                } else if constexpr (block <= 8) {
                    lanes_of_masks<unsigned char, lanes>(reinterpret_cast<Index*>(&is_there), masks,
                                                         k, i * block_cols + j);
                } else if constexpr (block <= 16) {
                    lanes_of_masks<unsigned short, lanes>(reinterpret_cast<Index*>(&is_there),
                                                          masks, k, i * block_cols + j);
                } else if constexpr (block <= 32) {
                    lanes_of_masks<unsigned, lanes>(reinterpret_cast<Index*>(&is_there), masks, k,
                                                    i * block_cols + j);
                } else {
                    lanes_of_masks<unsigned long, lanes>(reinterpret_cast<Index*>(&is_there), masks,
                                                         k, i * block_cols + j);
                }
                const Lanes columns =
                    is_there ? delta * block_cols + static_cast<Index>(column + j) : Lanes{} - 1;
                Value entries[lanes] = {};
                decode_lanes<value_code, lanes>(
                    entries, values, coded_values,
                    place + k * (block * lanes) + (i * block_cols + j) * lanes);
                add_unpadded_products<lanes>(sum + i * lanes, entries,
                                             reinterpret_cast<const Index*>(&columns), x);
            }
        }
    }
}

/// The delta of one lane where the code is known only when it is read.
template <int lanes>
[[gnu::noinline]] inline long delta_of_code(const unsigned char* deltas, long strip, int lane,
                                            int code) {
    if (code == affine_deltas) {
        return delta_of<affine_deltas, lanes>(deltas, strip, lane);
    }
    if (code == deltas_of_8_bits) {
        return delta_of<deltas_of_8_bits, lanes>(deltas, strip, lane);
    }
    if (code == deltas_of_16_bits) {
        return delta_of<deltas_of_16_bits, lanes>(deltas, strip, lane);
    }
    return delta_of<deltas_of_32_bits, lanes>(deltas, strip, lane);
}

/// The masks of a slice of `width` strips, which lie behind its deltas; null when it has no fill.
template <int code, int lanes, int fill>
[[gnu::always_inline]] inline const unsigned char* masks_of(const unsigned char* deltas, int info,
                                                            long width) {
    if constexpr (fill == 1) {
        if ((info & filled_slice) != 0) {
            if constexpr (code == any_deltas) {
                const int kind = info & code_bits;
                return deltas + width * (lanes * (kind == deltas_of_32_bits ? 4 : kind));
            } else {
                return deltas + width * (lanes * delta_bytes<code>);
            }
        }
    }
    return nullptr;
}

/// All strips of one lane, of any number of right-hand sides: sum[i·num_rhs + rhs] += … `masks` is
/// null where blocks are whole.
template <int code, int lanes, int block_rows, int block_cols, int value_code, int fill,
          int num_rhs, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void add_lane(Value* sum, const Index* bases,
                                            const unsigned char* deltas, const unsigned char* masks,
                                            const Storage* values,
                                            const unsigned char* coded_values, long place,
                                            const Vector* x, int info, int lane, long length) {
    constexpr int block = block_rows * block_cols;
#pragma GCC unroll 1
    for (long k = 0; k < length; ++k) {
        long column = first_column<code, block_cols>(bases, k);
        if constexpr (code == any_deltas) {
            column += delta_of_code<lanes>(deltas, k, lane, info & code_bits) * block_cols;
        } else {
            column += delta_of<code, lanes>(deltas, k, lane) * block_cols;
        }
        const long first = place + k * (block * lanes) + lane;
        unsigned long mask = ~0UL;
        if constexpr (fill == 1) {
            if (masks != nullptr) {
                mask = mask_of<block, lanes>(masks, k, lane);
            }
        }
        for (int i = 0; i < block_rows; ++i) {
            for (int j = 0; j < block_cols; ++j) {
                if (fill == 0 || (mask >> (i * block_cols + j) & 1) != 0) {
                    add_scaled<num_rhs>(
                        sum + i * num_rhs,
                        coded_value<value_code, Value>(values, coded_values,
                                                       first + (i * block_cols + j) * lanes),
                        x + (column + j) * num_rhs);
                }
            }
        }
    }
}
