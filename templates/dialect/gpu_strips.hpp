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

/// What all slices of a matrix have in common, and the right-hand sides.
template <int slice_lanes, int diagonal_period, int rows, int cols, int value_coding, int all_rhs,
          int rhs_of_thread>
struct strip_shape {
    static constexpr int slice = slice_lanes;       ///< lanes of a slice
    static constexpr int period = diagonal_period;  ///< between the columns of a diagonal
    static constexpr int block_rows = rows;
    static constexpr int block_cols = cols;
    static constexpr int size = rows * cols;         ///< elements of a block
    static constexpr int value_code = value_coding;  ///< coded_values.hpp
    static constexpr int num_rhs = all_rhs;
    static constexpr int rhs_group = rhs_of_thread;
};

/// The block column of lane `lane` in strip `k` of the slice that has these bases and deltas.
template <int code, typename Shape, typename Index>
[[gnu::always_inline]] inline Index strip_column(const Index* bases, const unsigned char* deltas,
                                                 long k, int lane) {
    if constexpr (code == affine_deltas && Shape::period > 1) {
        return bases[k] + lane * Shape::period;
    } else if constexpr (code == affine_deltas) {
        return bases[k] + lane;
    } else if constexpr (code == deltas_of_8_bits) {
        return bases[k] + load_stream(deltas + k * Shape::slice + lane);
    } else if constexpr (code == deltas_of_16_bits) {
        return bases[k] + load_stream(reinterpret_cast<const unsigned short*>(deltas) +
                                      k * Shape::slice + lane);
    } else if constexpr (sizeof(Index) == 4) {
        return load_stream(reinterpret_cast<const Index*>(deltas) + k * Shape::slice + lane);
    } else {
        return bases[k] +
               load_stream(reinterpret_cast<const unsigned*>(deltas) + k * Shape::slice + lane);
    }
}

/// The mask of r·c bits of lane `lane` in strip `k`.
template <typename Shape>
[[gnu::always_inline]] inline unsigned long long strip_mask(const unsigned char* masks, long k,
                                                            int lane) {
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
    unsigned long long column = 0;
    for (int i = 0; i < Shape::block_rows; ++i) {
        column |= mask >> (i * Shape::block_cols);
    }
    return (column >> j & 1) != 0;
}

/// sum[i][r] += the products of a lane's blocks in `batch` strips, from strip `k` on. All of A is
/// loaded before the first use, then all of x. The lane has the strips below `own`.
template <int code, bool filled, bool whole, int batch, typename Shape, typename Value,
          typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void add_strips(Value* sum, const Index* bases,
                                              const unsigned char* deltas,
                                              const unsigned char* masks, const Storage* values,
                                              const unsigned char* coded_values, const Vector* x,
                                              long place, int lane, long k, int own) {
    constexpr int size = Shape::size;
    constexpr int width = Shape::block_cols * Shape::rhs_group;
    Index col[batch] = {};
    unsigned long long mask[batch] = {};
    Value value[batch * size] = {};
    for (int u = 0; u < batch; ++u) {
        if (whole || k + u < own) {
            col[u] = strip_column<code, Shape>(bases, deltas, k + u, lane);
            if constexpr (filled) {
                mask[u] = strip_mask<Shape>(masks, k + u, lane);
            }
            for (int e = 0; e < size; ++e) {
                value[u * size + e] = coded_value<Shape::value_code, Value>(
                    values, coded_values, place + ((k + u) * size + e) * Shape::slice);
            }
        }
    }
    Vector factor[batch * width] = {};
    for (int u = 0; u < batch; ++u) {
        if (whole || k + u < own) {
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

/// sum[i][r] += the products of all blocks of a lane, which has `own` strips. All lanes of the slice
/// have the first `full`. `place` is where the lane's first value is.
template <int code, bool filled, int unroll, typename Shape, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_lane(Value* sum, const Index* bases,
                                            const unsigned char* deltas, const unsigned char* masks,
                                            const Storage* values,
                                            const unsigned char* coded_values, const Vector* x,
                                            long place, int lane, int full, int own) {
    // More would not fit the registers.
    constexpr int bytes = Shape::size * static_cast<int>(sizeof(Value)) +
                          Shape::block_cols * Shape::rhs_group * static_cast<int>(sizeof(Vector));
    constexpr int most = 192 / bytes;
    constexpr int batch = unroll < most ? unroll : most < 1 ? 1 : most;
    long k = 0;
    // Compilers would mix two rounds and wait for the first in the middle of the loads.
#pragma GCC unroll 1
    for (; k + batch <= full; k += batch) {
        add_strips<code, filled, true, batch, Shape>(sum, bases, deltas, masks, values,
                                                     coded_values, x, place, lane, k, own);
    }
#pragma GCC unroll 1
    for (; k < own; k += batch) {
        add_strips<code, filled, batch == 1, batch, Shape>(sum, bases, deltas, masks, values,
                                                           coded_values, x, place, lane, k, own);
    }
}

/// sum[i][r] = the products of all blocks of a lane; sum[i][r] begins as 0. The masks of a slice with
/// holes follow `width` strips of deltas.
template <int code, int fill, int unroll, typename Shape, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_slice(Value* sum, const Index* bases,
                                             const unsigned char* deltas, const Storage* values,
                                             const unsigned char* coded_values, const Vector* x,
                                             long place, int lane, int info, int width, int full,
                                             int own) {
    constexpr bool has_fill = fill == 1 && may_have_fill<code, Shape::size>;
    if constexpr (has_fill && Shape::size > 1) {
        if ((info & filled_slice) != 0) {
            constexpr int delta_bytes = bytes_of_delta<code>;
            add_lane<code, true, unroll, Shape>(sum, bases, deltas,
                                                deltas + width * Shape::slice * delta_bytes, values,
                                                coded_values, x, place, lane, full, own);
            return;
        }
    }
    add_lane<code, false, unroll, Shape>(sum, bases, deltas, deltas, values, coded_values, x, place,
                                         lane, full, own);
    if constexpr (has_fill && Shape::size == 1) {
        if ((info & filled_slice) != 0 &&
            (!fill_is_zero<Shape::value_code> || has_nan<Shape::rhs_group>(sum))) {
            clear<Shape::rhs_group>(sum);
            add_lane<code, true, 1, Shape>(sum, bases, deltas, deltas, values, coded_values, x,
                                           place, lane, full, own);
        }
    }
}

/// sum[i][r] = the products of all blocks of a lane, by the code of its slice.
template <int codes, int fill, int unroll, typename Shape, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_coded_slice(Value* sum, const Index* bases,
                                                   const unsigned char* deltas,
                                                   const Storage* values,
                                                   const unsigned char* coded_values,
                                                   const Vector* x, long place, int lane, int info,
                                                   int width, int full, int own) {
    if constexpr ((codes & (codes - 1)) == 0) {
        add_slice<widest_code<codes>, fill, unroll, Shape>(sum, bases, deltas, values, coded_values,
                                                           x, place, lane, info, width, full, own);
    } else {
        const int code = info & code_bits;
        if constexpr ((codes & 1 << affine_deltas) != 0) {
            if (code == affine_deltas) {
                add_slice<affine_deltas, fill, unroll, Shape>(sum, bases, deltas, values,
                                                              coded_values, x, place, lane, info,
                                                              width, full, own);
            }
        }
        if constexpr ((codes & 1 << deltas_of_8_bits) != 0) {
            if (code == deltas_of_8_bits) {
                add_slice<deltas_of_8_bits, fill, unroll, Shape>(sum, bases, deltas, values,
                                                                 coded_values, x, place, lane, info,
                                                                 width, full, own);
            }
        }
        if constexpr ((codes & 1 << deltas_of_16_bits) != 0) {
            if (code == deltas_of_16_bits) {
                add_slice<deltas_of_16_bits, fill, unroll, Shape>(sum, bases, deltas, values,
                                                                  coded_values, x, place, lane,
                                                                  info, width, full, own);
            }
        }
        if constexpr ((codes & 1 << deltas_of_32_bits) != 0) {
            if (code == deltas_of_32_bits) {
                add_slice<deltas_of_32_bits, fill, unroll, Shape>(sum, bases, deltas, values,
                                                                  coded_values, x, place, lane,
                                                                  info, width, full, own);
            }
        }
    }
}

/// sum[r] += the products of the entries first, first + warp_size, … below `end` of the long rows.
/// `unroll` of them are loaded before the first is used.
template <int unroll, int value_code, int num_rhs, int rhs_group, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_long_entries(Value* sum, const Storage* values,
                                                    const unsigned char* coded_values,
                                                    const Index* long_col, const Vector* x,
                                                    long long_begin, long first, long end) {
#pragma GCC unroll 1
    for (long k = first; k < end; k += unroll * warp_size) {
        Index col[unroll] = {};
        Value value[unroll] = {};
        for (int u = 0; u < unroll; ++u) {
            if (k + u * warp_size < end) {
                col[u] = load_stream(long_col + k + u * warp_size);
                value[u] = coded_value<value_code, Value>(values, coded_values,
                                                          long_begin + k + u * warp_size);
            }
        }
        Vector factor[unroll * rhs_group] = {};
        for (int u = 0; u < unroll; ++u) {
            if (k + u * warp_size < end) {
                for (int rhs = 0; rhs < rhs_group; ++rhs) {
                    factor[u * rhs_group + rhs] = x[element_of<num_rhs, rhs_group>(col[u]) + rhs];
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
