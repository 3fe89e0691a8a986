// Products of one slice of strips, and of a chunk of a long row: what a lane does.
//
// Format:     docs/explanation/strips.md. A lane has a block of r rows and c columns of each strip
//             of its slice. Element e of lane l's block of strip k is value number
//             (k·r·c + e)·slice + l. Its block column is the strip's base and a delta: the lane's
//             number times `period` (code 0), 8 bits (1), 16 bits (2), or, code 3, 32 bits: of a
//             32-bit index these are the column itself.
// Masks:      blocks of a slice with fill have a mask behind the slice's deltas. What the matrix
//             does not have meets no x, for 0 · Inf is NaN. Of single entries only slices of
//             diagonals have fill: their holes are stored zeros, and masks are read only where a
//             sum is NaN.
#pragma once
#include "dialect/formats/strips_format.hpp"
#include "dialect/gpu_coded_values.hpp"
#include "dialect/gpu_padded.hpp"

/// What all slices of a matrix have in common: the kernel's parameters, and the right-hand sides.
template <int slice_lanes, int diagonal_period, int rows, int cols, int delta_codes, int has_fill,
          int value_coding, int unrolled, int all_rhs, int rhs_of_thread>
struct strip_shape {
    static constexpr int slice = slice_lanes;       ///< lanes of a slice
    static constexpr int period = diagonal_period;  ///< between the columns of a diagonal
    static constexpr int block_rows = rows;
    static constexpr int block_cols = cols;
    static constexpr int size = rows * cols;   ///< elements of a block
    static constexpr int codes = delta_codes;  ///< that occur, a bit for each
    static constexpr bool fill = has_fill == 1;
    static constexpr int value_code = value_coding;  ///< coded_values.hpp
    static constexpr int unroll = unrolled;          ///< blocks that a lane loads at a time
    static constexpr int num_rhs = all_rhs;
    static constexpr int rhs_group = rhs_of_thread;
};

/// A slice as one of its lanes sees it.
template <typename Storage, typename Index>
struct slice_view {
    const Index* bases;           ///< of the slice's strips
    const unsigned char* deltas;  ///< of the slice; masks of `width` strips may follow
    const Storage* values;        ///< of the matrix
    const unsigned char* coded_values;
    long place;  ///< number of the lane's first value
    int lane;
    int info;    ///< bits, and the strips that all lanes have
    int width;   ///< strips of the slice
    int full;    ///< strips that all lanes have
    int length;  ///< strips that this lane has
};

/// The block column of the lane in strip `k` of a slice with this code.
template <int code, typename Shape, typename Storage, typename Index>
[[gnu::always_inline]] inline Index column_of_code(const slice_view<Storage, Index>& slice,
                                                   long k) {
    if constexpr (code == affine_deltas) {
        return slice.bases[k] + slice.lane * Shape::period;
    } else if constexpr (code == deltas_of_8_bits) {
        return slice.bases[k] + load_stream(slice.deltas + k * Shape::slice + slice.lane);
    } else if constexpr (code == deltas_of_16_bits) {
        return slice.bases[k] + load_stream(reinterpret_cast<const unsigned short*>(slice.deltas) +
                                            k * Shape::slice + slice.lane);
    } else if constexpr (sizeof(Index) == 4) {
        return load_stream(reinterpret_cast<const Index*>(slice.deltas) + k * Shape::slice +
                           slice.lane);
    } else {
        return slice.bases[k] + load_stream(reinterpret_cast<const unsigned*>(slice.deltas) +
                                            k * Shape::slice + slice.lane);
    }
}

/// Whether all slices have the same code.
template <typename Shape>
inline constexpr bool has_one_code = Shape::codes == only_code<widest_code<Shape::codes>>;

/// The block column of the lane in strip `k` of its slice. All callers know the code.
template <typename Shape, typename Storage, typename Index>
[[gnu::always_inline]] inline Index strip_column(const slice_view<Storage, Index>& slice, int code,
                                                 long k) {
    constexpr int codes = Shape::codes;
    constexpr int widest = widest_code<codes>;
    if constexpr (widest != affine_deltas && has_delta_code<codes, affine_deltas>) {
        if (code == affine_deltas) {
            return column_of_code<affine_deltas, Shape>(slice, k);
        }
    }
    if constexpr (widest != deltas_of_8_bits && has_delta_code<codes, deltas_of_8_bits>) {
        if (code == deltas_of_8_bits) {
            return column_of_code<deltas_of_8_bits, Shape>(slice, k);
        }
    }
    if constexpr (widest != deltas_of_16_bits && has_delta_code<codes, deltas_of_16_bits>) {
        if (code == deltas_of_16_bits) {
            return column_of_code<deltas_of_16_bits, Shape>(slice, k);
        }
    }
    return column_of_code<widest, Shape>(slice, k);
}

/// The masks of a slice with this code, which stand behind its deltas.
template <typename Shape, typename Storage, typename Index>
[[gnu::always_inline]] inline const unsigned char* masks_of_slice(
    const slice_view<Storage, Index>& slice, int code) {
    const int strip_lanes = slice.width * Shape::slice;
    if constexpr (has_one_code<Shape>) {
        return slice.deltas + strip_lanes * bytes_of_delta<widest_code<Shape::codes>>;
    } else {
        return slice.deltas + strip_lanes * delta_bytes(code);
    }
}

/// The mask of r·c bits of the lane in strip `k`. `masks` are the slice's.
template <typename Shape>
[[gnu::always_inline]] inline unsigned long long strip_mask(const unsigned char* masks, int lane,
                                                            long k) {
    if constexpr (Shape::size <= 8) {
        return load_stream(masks + k * Shape::slice + lane);
    } else if constexpr (Shape::size <= 16) {
        return load_stream(reinterpret_cast<const unsigned short*>(masks) + k * Shape::slice +
                           lane);
    } else if constexpr (Shape::size <= 32) {
        return load_stream(reinterpret_cast<const unsigned*>(masks) + k * Shape::slice + lane);
    } else {
        return load_stream(reinterpret_cast<const unsigned long long*>(masks) + k * Shape::slice +
                           lane);
    }
}

/// Whether a block with this mask has an element in column `j`.
template <typename Shape>
[[gnu::always_inline]] inline bool has_column(unsigned long long mask, int j) {
    if constexpr (Shape::size == 1) {
        return mask != 0;
    } else {
        unsigned long long column = 0;
        for (int i = 0; i < Shape::block_rows; ++i) {
            column |= mask >> (i * Shape::block_cols);
        }
        return (column >> j & 1) != 0;
    }
}

/// sum[i][r] += the products of the lane's blocks in `batch` strips, from strip `k` on; it has all
/// of them, if `whole`. All of A is loaded before the first use, then all of x.
template <bool filled, int batch, typename Shape, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::always_inline]] inline void add_strips(Value* sum, const slice_view<Storage, Index>& slice,
                                              int code, const unsigned char* masks, const Vector* x,
                                              long k, bool whole) {
    constexpr int size = Shape::size;
    constexpr int width = Shape::block_cols * Shape::rhs_group;
    Index col[batch] = {};
    unsigned long long mask[batch] = {};
    Value value[batch * size] = {};
    for (int u = 0; u < batch; ++u) {
        if (whole || k + u < slice.length) {
            col[u] = strip_column<Shape>(slice, code, k + u);
            if constexpr (filled) {
                mask[u] = strip_mask<Shape>(masks, slice.lane, k + u);
            }
            for (int e = 0; e < size; ++e) {
                value[u * size + e] = coded_value<Shape::value_code, Value>(
                    slice.values, slice.coded_values,
                    slice.place + ((k + u) * size + e) * Shape::slice);
            }
        }
    }
    Vector factor[batch * width] = {};
    for (int u = 0; u < batch; ++u) {
        if (whole || k + u < slice.length) {
            for (int j = 0; j < Shape::block_cols; ++j) {
                if (!filled || has_column<Shape>(mask[u], j)) {
                    for (int rhs = 0; rhs < Shape::rhs_group; ++rhs) {
                        factor[u * width + j * Shape::rhs_group + rhs] =
                            x[element_of<Shape::num_rhs, Shape::rhs_group>(
                                  static_cast<long>(col[u]) * Shape::block_cols + j) +
                              rhs];
                    }
                }
            }
        }
    }
    for (int u = 0; u < batch; ++u) {
        for (int i = 0; i < Shape::block_rows; ++i) {
            for (int j = 0; j < Shape::block_cols; ++j) {
                if (!filled || (mask[u] >> (i * Shape::block_cols + j) & 1) != 0) {
                    for (int rhs = 0; rhs < Shape::rhs_group; ++rhs) {
                        sum[i * Shape::rhs_group + rhs] = multiply_add(
                            value[u * size + i * Shape::block_cols + j],
                            converted<Value>(factor[u * width + j * Shape::rhs_group + rhs]),
                            sum[i * Shape::rhs_group + rhs]);
                    }
                }
            }
        }
    }
}

/// sum[i][r] += the products of all blocks of the lane.
template <bool filled, typename Shape, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::always_inline]] inline void add_lane(Value* sum, const slice_view<Storage, Index>& slice,
                                            int code, const Vector* x) {
    // More would not fit the registers.
    constexpr int bytes = Shape::size * static_cast<int>(sizeof(Value)) +
                          Shape::block_cols * Shape::rhs_group * static_cast<int>(sizeof(Vector));
    constexpr int most = 192 / bytes;
    constexpr int batch = Shape::unroll < most ? Shape::unroll : most < 1 ? 1 : most;
    const unsigned char* masks = masks_of_slice<Shape>(slice, code);
    long k = 0;
    // Compilers would mix two rounds and wait for the first in the middle of the loads.
#pragma GCC unroll 1
    for (; k + batch <= slice.full; k += batch) {
        add_strips<filled, batch, Shape>(sum, slice, code, masks, x, k, true);
    }
#pragma GCC unroll 1
    for (; k < slice.length; k += batch) {
        add_strips<filled, batch, Shape>(sum, slice, code, masks, x, k, batch == 1);
    }
}

/// sum[r] += the products of the lane's entries, of a slice of diagonals without its holes. As there
/// are no deltas, the masks stand where they would.
template <typename Shape, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void add_between_holes(Value* sum,
                                                     const slice_view<Storage, Index>& slice,
                                                     const Vector* x) {
#pragma GCC unroll 1
    for (long k = 0; k < slice.length; ++k) {
        const Index col = column_of_code<affine_deltas, Shape>(slice, k);
        const Value value = coded_value<Shape::value_code, Value>(slice.values, slice.coded_values,
                                                                  slice.place + k * Shape::slice);
        const bool is_there = load_stream(slice.deltas + k * Shape::slice + slice.lane) != 0;
        for (int rhs = 0; rhs < Shape::rhs_group; ++rhs) {
            const Vector factor =
                is_there ? x[element_of<Shape::num_rhs, Shape::rhs_group>(col) + rhs] : Vector{};
            if (is_there) {
                sum[rhs] = multiply_add(value, converted<Value>(factor), sum[rhs]);
            }
        }
    }
}

/// sum[i][r] = the products of all blocks of the lane; sum[i][r] begins as 0.
template <bool has_holes, typename Shape, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::always_inline]] inline void add_slice(Value* sum, const slice_view<Storage, Index>& slice,
                                             int code, const Vector* x) {
    if constexpr (Shape::fill && Shape::size > 1) {
        if ((slice.info & filled_slice) != 0) {
            add_lane<true, Shape>(sum, slice, code, x);
            return;
        }
    }
    add_lane<false, Shape>(sum, slice, code, x);
    if constexpr (has_holes) {
        if ((slice.info & filled_slice) != 0 &&
            (!fill_is_zero<Shape::value_code> || has_nan<Shape::rhs_group>(sum))) {
            clear<Shape::rhs_group>(sum);
            add_between_holes<Shape>(sum, slice, x);
        }
    }
}

/// sum[i][r] = the products of all blocks of the lane. Each call names its code, so that compilers
/// make loops that do not ask for it.
template <typename Shape, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void add_coded_slice(Value* sum,
                                                   const slice_view<Storage, Index>& slice,
                                                   const Vector* x) {
    constexpr int codes = Shape::codes;
    constexpr bool has_holes = Shape::fill && Shape::size == 1;
    if constexpr (has_one_code<Shape>) {
        constexpr int only = widest_code<codes>;
        add_slice<has_holes && only == affine_deltas, Shape>(sum, slice, only, x);
    } else {
        const int code = slice.info & code_bits;
        if constexpr (has_delta_code<codes, affine_deltas>) {
            if (code == affine_deltas) {
                add_slice<has_holes, Shape>(sum, slice, affine_deltas, x);
            }
        }
        if constexpr (has_delta_code<codes, deltas_of_8_bits>) {
            if (code == deltas_of_8_bits) {
                add_slice<false, Shape>(sum, slice, deltas_of_8_bits, x);
            }
        }
        if constexpr (has_delta_code<codes, deltas_of_16_bits>) {
            if (code == deltas_of_16_bits) {
                add_slice<false, Shape>(sum, slice, deltas_of_16_bits, x);
            }
        }
        if constexpr (has_delta_code<codes, deltas_of_32_bits>) {
            if (code == deltas_of_32_bits) {
                add_slice<false, Shape>(sum, slice, deltas_of_32_bits, x);
            }
        }
    }
}

/// A chunk of a long row: the entries begin … end-1 of the long rows.
template <typename Storage, typename Index>
struct chunk_view {
    const Index* columns;   ///< of all entries of long rows
    const Storage* values;  ///< of the matrix
    const unsigned char* coded_values;
    long first_value;  ///< number of the long rows' first value
    long begin;
    long end;
};

/// sum[r] += the products of every warp_size-th entry of the chunk, from the lane's first one on.
/// As many are loaded as `unroll` says before the first is used.
template <typename Shape, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void add_long_entries(Value* sum,
                                                    const chunk_view<Storage, Index>& chunk,
                                                    const Vector* x, int lane) {
    constexpr int unroll = Shape::unroll;
    constexpr int rhs_group = Shape::rhs_group;
#pragma GCC unroll 1
    for (long k = chunk.begin + lane; k < chunk.end; k += unroll * warp_size) {
        Index col[unroll] = {};
        Value value[unroll] = {};
        for (int u = 0; u < unroll; ++u) {
            if (k + u * warp_size < chunk.end) {
                col[u] = load_stream(chunk.columns + k + u * warp_size);
                value[u] = coded_value<Shape::value_code, Value>(
                    chunk.values, chunk.coded_values, chunk.first_value + k + u * warp_size);
            }
        }
        Vector factor[unroll * rhs_group] = {};
        for (int u = 0; u < unroll; ++u) {
            if (k + u * warp_size < chunk.end) {
                for (int rhs = 0; rhs < rhs_group; ++rhs) {
                    factor[u * rhs_group + rhs] =
                        x[element_of<Shape::num_rhs, rhs_group>(col[u]) + rhs];
                }
            }
        }
        for (int u = 0; u < unroll; ++u) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                sum[rhs] =
                    multiply_add(value[u], converted<Value>(factor[u * rhs_group + rhs]), sum[rhs]);
            }
        }
    }
}
