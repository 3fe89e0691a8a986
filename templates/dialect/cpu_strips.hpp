// The strips of one slice on CPUs: products of all lanes, and of single ones.
// docs/explanation/strips.md has the format.
#pragma once
#include "dialect/cpu_coded_values.hpp"
#include "dialect/cpu_strips_deltas.hpp"
#include "dialect/cpu_target.hpp"

/// What all slices of a matrix have in common: the kernel's parameters but for the codes of deltas,
/// of which helpers take the bit mask that they have loops for.
template <int slice_lanes, int rows, int cols, int window, int is_ragged, int has_fill,
          int has_long_rows, int value_coding, int bytes_ahead>
struct strip_shape {
    static constexpr int lanes = slice_lanes;
    static constexpr int block_rows = rows;
    static constexpr int block_cols = cols;
    static constexpr int size = rows * cols;  ///< elements of a block
    static constexpr int sigma = window;
    static constexpr int ragged = is_ragged;
    static constexpr int fill = has_fill;
    static constexpr int long_rows = has_long_rows;
    static constexpr int value_code = value_coding;  ///< coded_values.hpp
    static constexpr int prefetch = bytes_ahead;
};

/// One slice. Of its lanes those below `lanes` have a row.
template <typename Storage, typename Index>
struct slice_view {
    const Index* bases;             ///< of its strips
    const unsigned char* deltas;    ///< its own; masks of `width` strips may follow
    const unsigned short* lengths;  ///< of its lanes, where it is ragged
    const unsigned short* places;   ///< of its rows in their window
    const Storage* values;          ///< of the matrix
    const unsigned char* coded_values;
    long first_value;  ///< number of its first value
    long first;        ///< number of its first position
    long lanes;        ///< that have a row, and more where all have
    long width;        ///< strips
    int info;          ///< bits, and the strips that all lanes have
    int code;          ///< of its deltas
    bool is_ragged;    ///< its lanes have different lengths
};

/// x as blocks read it.
template <typename Vector>
struct x_view {
    const Vector* x;
    long num_cols;  ///< elements of x
};

/// y, and what it is computed with.
template <typename Vector>
struct result_view {
    Vector* y;
    Vector alpha;
    Vector beta;
    long num_rows;  ///< elements of y
};

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

/// Whether deltas are taken in a register, for gathers; single loads of x would have to take each
/// out of it again.
template <int codes>
inline constexpr bool deltas_in_register = codes != only_code<affine_deltas> && gathers;

/// sum[l] += value number place + l times factors[l] for every lane l.
template <int lanes, int value_code, typename Value, typename Storage>
[[gnu::always_inline]] inline void add_entries_times(Value* sum, const Storage* values,
                                                     const unsigned char* coded_values, long place,
                                                     const Value* factors) {
    Value entries[lanes] = {};
    decode_lanes<value_code, lanes>(entries, values, coded_values, place);
    add_lanes<lanes>(sum, entries, factors);
}

/// Column j of the blocks of strip `strip`: sum[i·lanes + l] += element (i, j) of lane l's block
/// times x. `near` is x from that column on, of the block whose delta is 0, which has `room`
/// elements; with `is_filled` blocks may reach beyond. `value` is the number of the first value.
template <int codes, typename Shape, bool is_filled, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_column(Value* sum, const slice_view<Storage, Index>& slice,
                                              const Index* delta, long strip, long value,
                                              const Vector* near, long room) {
    Value factors[Shape::lanes] = {};
    for (int l = 0; l < Shape::lanes; ++l) {
        long offset = 0;
        if constexpr (deltas_in_register<codes>) {
            offset = delta[l] * Shape::block_cols;
        } else {
            offset = delta_of<widest_code<codes>, Shape::lanes>(slice.deltas, strip, l) *
                     Shape::block_cols;
        }
        if constexpr (is_filled) {
            offset = offset < room ? offset : room - 1;
        }
        factors[l] = converted<Value>(near[offset]);
    }
    if constexpr (Shape::block_rows * Shape::lanes * sizeof(Value) <= 512) {
        for (int i = 0; i < Shape::block_rows; ++i) {
            add_entries_times<Shape::lanes, Shape::value_code>(
                sum + i * Shape::lanes, slice.values, slice.coded_values,
                value + i * (Shape::block_cols * Shape::lanes), factors);
        }
    } else {  // the sums are in memory, for registers do not hold them
#pragma GCC unroll 1
        for (int i = 0; i < Shape::block_rows; ++i) {
            add_entries_times<Shape::lanes, Shape::value_code>(
                sum + i * Shape::lanes, slice.values, slice.coded_values,
                value + i * (Shape::block_cols * Shape::lanes), factors);
        }
    }
}

/// The first `count` strips of a slice, which every lane has: sum[i·lanes + l] += row i of lane l's
/// blocks times x. With `is_filled` blocks may reach beyond the last column.
template <int codes, typename Shape, bool is_filled, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_strips(Value* sum, const slice_view<Storage, Index>& slice,
                                              const x_view<Vector>& from, long count) {
    constexpr int strip_values = Shape::size * Shape::lanes;
    constexpr int bytes = Shape::lanes * bytes_of_delta<widest_code<codes>>;
#pragma GCC unroll 1
    for (long k = 0; k < count; ++k) {
        const long value = slice.first_value + k * strip_values;
        if constexpr (Shape::value_code == plain_values) {
            prefetch_ahead<Shape::prefetch, strip_values* static_cast<int>(sizeof(Storage))>(
                slice.values + value);
        } else if constexpr (Shape::value_code != one_value) {
            prefetch_ahead<Shape::prefetch, strip_values>(slice.coded_values + value);
        }
        Index delta[Shape::lanes] = {};
        if constexpr (deltas_in_register<codes>) {
            load_deltas<codes, Shape::lanes, Shape::prefetch>(delta, slice.deltas, k, slice.code);
        } else if constexpr (bytes != 0) {
            prefetch_ahead<Shape::prefetch, bytes>(slice.deltas + k * bytes);
        }
        const long column = first_column<codes, Shape::block_cols>(slice.bases, k, slice.code);
        if constexpr (strip_values < (Shape::block_cols < 4 ? 256 : 128)) {
            for (int j = 0; j < Shape::block_cols; ++j) {
                add_column<codes, Shape, is_filled>(sum, slice, delta, k, value + j * Shape::lanes,
                                                    from.x + column + j,
                                                    from.num_cols - column - j);
            }
        } else {  // a column at a time: code that long gains nothing
#pragma GCC unroll 1
            for (int j = 0; j < Shape::block_cols; ++j) {
                add_column<codes, Shape, is_filled>(sum, slice, delta, k, value + j * Shape::lanes,
                                                    from.x + column + j,
                                                    from.num_cols - column - j);
            }
        }
    }
}

/// sum += the products of the strips of a slice that has one of several codes. Lanes side by side
/// have a loop of their own, which gathers nothing; so has each code where x is loaded singly, by
/// deltas from memory.
template <int codes, typename Shape, bool is_filled, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_strips_of_any(Value* sum,
                                                     const slice_view<Storage, Index>& slice,
                                                     const x_view<Vector>& from, long count) {
    if constexpr (asks_for<codes, affine_deltas>) {
        if (slice.code == affine_deltas) {
            add_strips<only_code<affine_deltas>, Shape, is_filled>(sum, slice, from, count);
            return;
        }
    }
    if constexpr (asks_for<codes, deltas_of_8_bits> && !gathers) {
        if (slice.code == deltas_of_8_bits) {
            add_strips<only_code<deltas_of_8_bits>, Shape, is_filled>(sum, slice, from, count);
            return;
        }
    }
    if constexpr (asks_for<codes, deltas_of_16_bits> && !gathers) {
        if (slice.code == deltas_of_16_bits) {
            add_strips<only_code<deltas_of_16_bits>, Shape, is_filled>(sum, slice, from, count);
            return;
        }
    }
    constexpr int others = codes == only_code<affine_deltas> ? codes
                           : gathers                         ? codes & ~only_code<affine_deltas>
                                                             : only_code<widest_code<codes>>;
    add_strips<others, Shape, is_filled>(sum, slice, from, count);
}

/// The mask of one block of r·c elements; which bits are set tells which of them the matrix has.
template <int block, int lanes>
[[gnu::always_inline]] inline unsigned long mask_of(const unsigned char* masks, long strip,
                                                    int lane) {
    constexpr int bytes = mask_bytes(block);
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

/// Which lanes have element `bit` of their blocks of strip `strip`: -1 and 0.
template <int block, int lanes, typename Index>
[[gnu::always_inline]] inline void lanes_with_element(Index* is_there, const unsigned char* masks,
                                                      long strip, int bit) {
    if constexpr (block <= 8) {
        lanes_of_masks<unsigned char, lanes>(is_there, masks, strip, bit);
    } else if constexpr (block <= 16) {
        lanes_of_masks<unsigned short, lanes>(is_there, masks, strip, bit);
    } else if constexpr (block <= 32) {
        lanes_of_masks<unsigned, lanes>(is_there, masks, strip, bit);
    } else {
        lanes_of_masks<unsigned long, lanes>(is_there, masks, strip, bit);
    }
}

/// Strips from `begin` on, which some lanes have: those k with k < lengths[l], and a long row has
/// none here; or, where there are `masks`, what these tell, which are 0 where a lane has no strip.
/// What is not there meets no x.
template <int codes, typename Shape, bool has_masks, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_some_of_strips(Value* sum,
                                                      const slice_view<Storage, Index>& slice,
                                                      const unsigned char* masks,
                                                      const x_view<Vector>& from, long begin) {
    typedef Index Lanes __attribute__((vector_size(Shape::lanes * sizeof(Index))));
    Lanes strips = {};
    if constexpr (Shape::ragged == 1) {
        widen_deltas<unsigned short, Shape::lanes, 0>(
            reinterpret_cast<Index*>(&strips),
            reinterpret_cast<const unsigned char*>(slice.lengths), 0);
        if constexpr (Shape::long_rows == 1) {
            strips = strips == length_of_long ? Lanes{} : strips;
        }
    }
#pragma GCC unroll 1
    for (long k = begin; k < slice.width; ++k) {
        Lanes delta = {};
        load_deltas<codes, Shape::lanes, 0>(reinterpret_cast<Index*>(&delta), slice.deltas, k,
                                            slice.code);
        const long column = first_column<codes, Shape::block_cols>(slice.bases, k, slice.code);
        Lanes is_there = {};
        if constexpr (Shape::ragged == 1) {
            is_there = static_cast<Index>(k) < strips;
        }
#pragma GCC unroll 1
        for (int j = 0; j < Shape::block_cols; ++j) {
            for (int i = 0; i < Shape::block_rows; ++i) {
                if constexpr (has_masks) {
                    if (Shape::ragged == 0 || masks != nullptr) {
                        lanes_with_element<Shape::size, Shape::lanes>(
                            reinterpret_cast<Index*>(&is_there), masks, k,
                            i * Shape::block_cols + j);
                    }
                }
                const Lanes columns =
                    is_there ? delta * Shape::block_cols + static_cast<Index>(column + j)
                             : Lanes{} - 1;
                Value entries[Shape::lanes] = {};
                decode_lanes<Shape::value_code, Shape::lanes>(
                    entries, slice.values, slice.coded_values,
                    slice.first_value + k * (Shape::size * Shape::lanes) +
                        (i * Shape::block_cols + j) * Shape::lanes);
                add_unpadded_products<Shape::lanes>(sum + i * Shape::lanes, entries,
                                                    reinterpret_cast<const Index*>(&columns),
                                                    from.x);
            }
        }
    }
}

/// The masks of a slice, which lie behind its deltas; null when it has no fill.
template <int codes, int lanes, int fill, typename Storage, typename Index>
[[gnu::always_inline]] inline const unsigned char* masks_of(
    const slice_view<Storage, Index>& slice) {
    if constexpr (fill == 1) {
        if ((slice.info & filled_slice) != 0) {
            if constexpr (codes == only_code<widest_code<codes>>) {
                return slice.deltas + slice.width * (lanes * bytes_of_delta<widest_code<codes>>);
            } else {
                return slice.deltas + slice.width * (lanes * delta_bytes(slice.code));
            }
        }
    }
    return nullptr;
}

/// All strips of one lane, of any number of right-hand sides: sum[i·num_rhs + rhs] += … `masks` is
/// null where blocks are whole.
template <int codes, typename Shape, int fill, int num_rhs, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_lane(Value* sum, const slice_view<Storage, Index>& slice,
                                            const unsigned char* masks, const x_view<Vector>& from,
                                            int lane, long length) {
#pragma GCC unroll 1
    for (long k = 0; k < length; ++k) {
        const long column = first_column<codes, Shape::block_cols>(slice.bases, k, slice.code) +
                            delta_of_any<codes, Shape::lanes>(slice.deltas, k, lane, slice.code) *
                                Shape::block_cols;
        const long value = slice.first_value + k * (Shape::size * Shape::lanes) + lane;
        unsigned long mask = ~0UL;
        if constexpr (fill == 1) {
            if (masks != nullptr) {
                mask = mask_of<Shape::size, Shape::lanes>(masks, k, lane);
            }
        }
        for (int i = 0; i < Shape::block_rows; ++i) {
            for (int j = 0; j < Shape::block_cols; ++j) {
                if (fill == 0 || (mask >> (i * Shape::block_cols + j) & 1) != 0) {
                    add_scaled<num_rhs>(sum + i * num_rhs,
                                        coded_value<Shape::value_code, Value>(
                                            slice.values, slice.coded_values,
                                            value + (i * Shape::block_cols + j) * Shape::lanes),
                                        from.x + (column + j) * num_rhs);
                }
            }
        }
    }
}
