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
#include "dialect/gpu_coded_values.hpp"
#include "dialect/gpu_padded.hpp"
#include "dialect/strips_format.hpp"

/// The block column of lane `lane` in strip `k` of the slice that has these bases and deltas.
template <int code, int slice, int period, typename Index>
[[gnu::always_inline]] inline Index strip_column(const Index* bases, const unsigned char* deltas,
                                                 long k, int lane) {
    if constexpr (code == 0 && period > 1) {
        return bases[k] + lane * period;
    } else if constexpr (code == 0) {
        return bases[k] + lane;
    } else if constexpr (code == 1) {
        return bases[k] + load_stream(deltas + k * slice + lane);
    } else if constexpr (code == 2) {
        return bases[k] +
               load_stream(reinterpret_cast<const unsigned short*>(deltas) + k * slice + lane);
    } else if constexpr (sizeof(Index) == 4) {
        return load_stream(reinterpret_cast<const Index*>(deltas) + k * slice + lane);
    } else {
        return bases[k] + load_stream(reinterpret_cast<const unsigned*>(deltas) + k * slice + lane);
    }
}

/// The mask of r·c bits of lane `lane` in strip `k`.
template <int size, int slice>
[[gnu::always_inline]] inline unsigned long long strip_mask(const unsigned char* masks, long k,
                                                            int lane) {
    if constexpr (size <= 8) {
        return load_stream(masks + k * slice + lane);
    } else if constexpr (size <= 16) {
        return load_stream(reinterpret_cast<const unsigned short*>(masks) + k * slice + lane);
    } else if constexpr (size <= 32) {
        return load_stream(reinterpret_cast<const unsigned*>(masks) + k * slice + lane);
    } else {
        return load_stream(reinterpret_cast<const unsigned long long*>(masks) + k * slice + lane);
    }
}

/// Whether a block with this mask has an element in column `j`.
template <int block_rows, int block_cols>
[[gnu::always_inline]] inline bool has_column(unsigned long long mask, int j) {
    unsigned long long column = 0;
    for (int i = 0; i < block_rows; ++i) {
        column |= mask >> (i * block_cols);
    }
    return (column >> j & 1) != 0;
}

/// sum[i][r] += the products of a lane's blocks in `batch` strips, from strip `k` on. All of A is
/// loaded before the first use, then all of x. The lane has the strips below `own`.
template <int code, bool filled, bool whole, int batch, int slice, int period, int block_rows,
          int block_cols, int value_code, int num_rhs, int rhs_group, typename Value,
          typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void add_strips(Value* sum, const Index* bases,
                                              const unsigned char* deltas,
                                              const unsigned char* masks, const Storage* values,
                                              const unsigned char* coded_values, const Vector* x,
                                              long place, int lane, long k, int own) {
    constexpr int size = block_rows * block_cols;
    constexpr int width = block_cols * rhs_group;
    Index col[batch] = {};
    unsigned long long mask[batch] = {};
    Value value[batch * size] = {};
    for (int u = 0; u < batch; ++u) {
        if (whole || k + u < own) {
            col[u] = strip_column<code, slice, period>(bases, deltas, k + u, lane);
            if constexpr (filled) {
                mask[u] = strip_mask<size, slice>(masks, k + u, lane);
            }
            for (int e = 0; e < size; ++e) {
                value[u * size + e] = coded_value<value_code, Value>(
                    values, coded_values, place + ((k + u) * size + e) * slice);
            }
        }
    }
    Vector factor[batch * width] = {};
    for (int u = 0; u < batch; ++u) {
        if (whole || k + u < own) {
            for (int j = 0; j < block_cols; ++j) {
                if (!filled || has_column<block_rows, block_cols>(mask[u], j)) {
                    for (int rhs = 0; rhs < rhs_group; ++rhs) {
                        factor[u * width + j * rhs_group + rhs] =
                            x[element_of<num_rhs, rhs_group>(
                                  static_cast<long>(col[u]) * block_cols + j) +
                              rhs];
                    }
                }
            }
        }
    }
    for (int u = 0; u < batch; ++u) {
        for (int i = 0; i < block_rows; ++i) {
            for (int j = 0; j < block_cols; ++j) {
                if (!filled || (mask[u] >> (i * block_cols + j) & 1) != 0) {
                    for (int rhs = 0; rhs < rhs_group; ++rhs) {
                        sum[i * rhs_group + rhs] =
                            multiply_add(value[u * size + i * block_cols + j],
                                         converted<Value>(factor[u * width + j * rhs_group + rhs]),
                                         sum[i * rhs_group + rhs]);
                    }
                }
            }
        }
    }
}

/// sum[i][r] += the products of all blocks of a lane, which has `own` strips. All lanes of the slice
/// have the first `full`. `place` is where the lane's first value is.
template <int code, bool filled, int unroll, int slice, int period, int block_rows, int block_cols,
          int value_code, int num_rhs, int rhs_group, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_lane(Value* sum, const Index* bases,
                                            const unsigned char* deltas, const unsigned char* masks,
                                            const Storage* values,
                                            const unsigned char* coded_values, const Vector* x,
                                            long place, int lane, int full, int own) {
    // More would not fit the registers.
    constexpr int bytes = block_rows * block_cols * static_cast<int>(sizeof(Value)) +
                          block_cols * rhs_group * static_cast<int>(sizeof(Vector));
    constexpr int most = 192 / bytes;
    constexpr int batch = unroll < most ? unroll : most < 1 ? 1 : most;
    long k = 0;
    // Compilers would mix two rounds and wait for the first in the middle of the loads.
#pragma GCC unroll 1
    for (; k + batch <= full; k += batch) {
        add_strips<code, filled, true, batch, slice, period, block_rows, block_cols, value_code,
                   num_rhs, rhs_group>(sum, bases, deltas, masks, values, coded_values, x, place,
                                       lane, k, own);
    }
#pragma GCC unroll 1
    for (; k < own; k += batch) {
        add_strips<code, filled, batch == 1, batch, slice, period, block_rows, block_cols,
                   value_code, num_rhs, rhs_group>(sum, bases, deltas, masks, values, coded_values,
                                                   x, place, lane, k, own);
    }
}

/// sum[i][r] = the products of all blocks of a lane; sum[i][r] begins as 0. The masks of a slice with
/// holes follow `width` strips of deltas.
template <int code, int fill, int unroll, int slice, int period, int block_rows, int block_cols,
          int value_code, int num_rhs, int rhs_group, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_slice(Value* sum, const Index* bases,
                                             const unsigned char* deltas, const Storage* values,
                                             const unsigned char* coded_values, const Vector* x,
                                             long place, int lane, int info, int width, int full,
                                             int own) {
    constexpr bool has_fill = fill == 1 && may_have_fill<code, block_rows * block_cols>;
    if constexpr (has_fill && block_rows * block_cols > 1) {
        if ((info & filled_slice) != 0) {
            constexpr int delta_bytes = code == 3 ? 4 : code;
            add_lane<code, true, unroll, slice, period, block_rows, block_cols, value_code, num_rhs,
                     rhs_group>(sum, bases, deltas, deltas + width * slice * delta_bytes, values,
                                coded_values, x, place, lane, full, own);
            return;
        }
    }
    add_lane<code, false, unroll, slice, period, block_rows, block_cols, value_code, num_rhs,
             rhs_group>(sum, bases, deltas, deltas, values, coded_values, x, place, lane, full,
                        own);
    if constexpr (has_fill && block_rows * block_cols == 1) {
        if ((info & filled_slice) != 0 && (!fill_is_zero<value_code> || has_nan<rhs_group>(sum))) {
            clear<rhs_group>(sum);
            add_lane<code, true, 1, slice, period, block_rows, block_cols, value_code, num_rhs,
                     rhs_group>(sum, bases, deltas, deltas, values, coded_values, x, place, lane,
                                full, own);
        }
    }
}

/// sum[i][r] = the products of all blocks of a lane, by the code of its slice.
template <int codes, int fill, int unroll, int slice, int period, int block_rows, int block_cols,
          int value_code, int num_rhs, int rhs_group, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_coded_slice(Value* sum, const Index* bases,
                                                   const unsigned char* deltas,
                                                   const Storage* values,
                                                   const unsigned char* coded_values,
                                                   const Vector* x, long place, int lane, int info,
                                                   int width, int full, int own) {
    if constexpr ((codes & (codes - 1)) == 0) {
        constexpr int code = codes == 1 ? 0 : codes == 2 ? 1 : codes == 4 ? 2 : 3;
        add_slice<code, fill, unroll, slice, period, block_rows, block_cols, value_code, num_rhs,
                  rhs_group>(sum, bases, deltas, values, coded_values, x, place, lane, info, width,
                             full, own);
    } else {
        const int code = info & 3;
        if constexpr ((codes & 1) != 0) {
            if (code == 0) {
                add_slice<0, fill, unroll, slice, period, block_rows, block_cols, value_code,
                          num_rhs, rhs_group>(sum, bases, deltas, values, coded_values, x, place,
                                              lane, info, width, full, own);
            }
        }
        if constexpr ((codes & 2) != 0) {
            if (code == 1) {
                add_slice<1, fill, unroll, slice, period, block_rows, block_cols, value_code,
                          num_rhs, rhs_group>(sum, bases, deltas, values, coded_values, x, place,
                                              lane, info, width, full, own);
            }
        }
        if constexpr ((codes & 4) != 0) {
            if (code == 2) {
                add_slice<2, fill, unroll, slice, period, block_rows, block_cols, value_code,
                          num_rhs, rhs_group>(sum, bases, deltas, values, coded_values, x, place,
                                              lane, info, width, full, own);
            }
        }
        if constexpr ((codes & 8) != 0) {
            if (code == 3) {
                add_slice<3, fill, unroll, slice, period, block_rows, block_cols, value_code,
                          num_rhs, rhs_group>(sum, bases, deltas, values, coded_values, x, place,
                                              lane, info, width, full, own);
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
