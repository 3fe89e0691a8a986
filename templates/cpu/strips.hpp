// Compressed strips: SELL-C-σ whose columns are a base a strip and a narrow delta an entry.
//
// What:       rows, or blocks of neighbouring rows, go to lanes. A strip is one entry, or one r×c
//             block, of each lane of a slice; columns are decoded as they are used. Slices of one
//             length run without a mask; rows far longer than the rest are cut evenly between the
//             threads. The values, which no cache holds, are asked for well before they are used.
// Source:     SELL-C-σ (Kreutzer, Hager, Wellein, Fehske & Bishop, SISC 36(5), 2014); bases, deltas
//             and coded values are spmvgen's own. Format: docs/explanation/strips.md.
// Parameters: lanes       4, 8, 16, 32: lanes of a slice; one or two vector registers fit best.
//             block_rows  1 … 8: r.   block_cols 1 … 8: c.
//             sigma       1, 64, 256, 1024, 4096, 16384: block rows of a sorting window; 1 = as
//                         they come.
//             codes       1 … 15: bits of the delta codes that occur: 0, 8, 16 and 32 bits a delta.
//             ragged      1 = a slice may hold lanes of different lengths.
//             fill        1 = a block may have elements that the matrix does not have; of 1x1:
//                         slices may be diagonals with holes.
//             long_rows   1 = rows longer than long_from (16 … 65534) blocks are kept apart.
//             value_code  0 … 3: how values are coded (dialect/coded_values.hpp).
//             prefetch    0, 1024, 2048, 4096, 8192: how many bytes ahead of their use values and
//                         deltas are asked for; 0 = never, for matrices that a core's caches hold.
// Work:       a thread takes a contiguous run of slices with its share of slices plus strips, and
//             an equal share of the long rows' entries; parts of cut rows are joined in the order
//             of threads.
// Fill:       a zero of fill must not meet an infinite x. A slice is computed with its fill; only
//             when a sum is NaN, again by the masks, lane after lane.
// Reads:      strips·lanes·(r·c·value + delta) + strips·index bytes and three numbers a slice, two
//             bytes a lane (ragged slices), two a row (σ > 1), x once for each column of a block;
//             writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/cpu_cut_rows.hpp"
#include "dialect/cpu_strips.hpp"
#include "dialect/cpu_strips_long_rows.hpp"

/// sum[i·lanes + l] += row i of lane l's block row times x. Elements of fill that are 0 meet x; a
/// lane without a row may get anything.
template <int codes, typename Shape, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::always_inline]] inline void multiply_lanes(
    Value* sum, const Index* bases, const unsigned char* deltas, const unsigned short* length,
    const Storage* values, const unsigned char* coded_values, long place, const Vector* x,
    long num_cols, int info, bool is_ragged, long width) {
    constexpr int block = Shape::block_rows * Shape::block_cols;
    constexpr bool has_fill = Shape::fill == 1 && (block > 1 || (codes & 1 << affine_deltas) != 0);
    constexpr bool has_masks = has_fill && !fill_is_zero<Shape::value_code>;
    const int code = info & code_bits;
    if constexpr (has_fill && !has_masks && block > 1) {
        if ((info & filled_slice) != 0) {
            add_strips_of_any<codes, Shape, true>(sum, bases, deltas, code, values, coded_values,
                                                  place, x, num_cols, width);
            return;
        }
    }
    long full = is_ragged ? info >> full_strips_shift : width;
    const unsigned char* masks = nullptr;
    if constexpr (has_masks) {
        masks = masks_of<codes, Shape::lanes, Shape::fill>(deltas, info, width);
        full = masks != nullptr ? 0 : full;
    }
    add_strips_of_any<codes, Shape, false>(sum, bases, deltas, code, values, coded_values, place, x,
                                           num_cols, full);
    if constexpr (Shape::ragged == 1 || has_masks) {
        add_some_of_strips<codes, Shape, has_masks>(sum, bases, deltas, code, masks, length, values,
                                                    coded_values, place, x, full, width);
    }
}

/// Stores the sums of one lane's block row: of row i that of right-hand side rhs is
/// sum[i·stride + rhs].
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int block_rows,
          int stride, typename Value, typename Vector>
[[gnu::always_inline]] inline void store_block_row(Vector* y, long block_row, long num_rows,
                                                   const Value* sum, Vector alpha, Vector beta) {
    for (int i = 0; i < block_rows; ++i) {
        const long row = block_row * block_rows + i;
        if (block_rows == 1 || row < num_rows) {
            store_row<alpha_mode, beta_mode, has_epilogue, num_rhs>(y, row, sum + i * stride, alpha,
                                                                    beta);
        }
    }
}

/// The block row of lane l of a slice whose first position is `first`.
template <int sigma>
[[gnu::always_inline]] inline long block_row_of(const unsigned short* places, long first, int l) {
    if constexpr (sigma == 1) {
        return first + l;
    } else {
        return first / sigma * sigma + places[l];
    }
}

/// Whether the lanes of a slice have different lengths, which must be read then.
template <int ragged>
[[gnu::always_inline]] inline bool is_ragged_slice(int info) {
    if constexpr (ragged == 1) {
        return (info & ragged_slice) != 0;
    } else {
        return false;
    }
}

/// Whether lane l of a ragged slice works for a row that is long, and kept elsewhere.
template <int long_rows>
[[gnu::always_inline]] inline bool is_long(const unsigned short* length, bool is_ragged, int l) {
    if constexpr (long_rows == 0) {
        return false;
    } else {
        return is_ragged && length[l] == length_of_long;
    }
}

/// Stores the sums of the first `count` lanes of a slice.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, typename Shape, typename Value,
          typename Vector>
[[gnu::always_inline]] inline void store_lanes(Vector* y, long first, long num_rows, long count,
                                               const unsigned short* length,
                                               const unsigned short* places, bool is_ragged,
                                               const Value* sum, Vector alpha, Vector beta) {
    if constexpr (Shape::sigma == 1 && Shape::block_rows == 1 && Shape::long_rows == 0) {
        if (count >= Shape::lanes) {
            store_rows<alpha_mode, beta_mode, has_epilogue, Shape::lanes, 1>(
                y + first, Shape::lanes, sum, alpha, beta, first);
            return;
        }
    }
    // A copy, which the loop takes lanes out of: `sum` can then stay in registers until here.
    Value stored[Shape::lanes * Shape::block_rows] = {};
    __builtin_memcpy(stored, sum, sizeof(stored));
#pragma GCC unroll 1
    for (int l = 0; l < (count < Shape::lanes ? count : Shape::lanes); ++l) {
        if (!is_long<Shape::long_rows>(length, is_ragged, l)) {
            store_block_row<alpha_mode, beta_mode, has_epilogue, 1, Shape::block_rows,
                            Shape::lanes>(y, block_row_of<Shape::sigma>(places, first, l), num_rows,
                                          stored + l, alpha, beta);
        }
    }
}

/// What multiply_lanes does, entry after entry and for the first `count` lanes only; no element of
/// fill meets x.
template <int codes, typename Shape, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::noinline]] inline void multiply_lanes_singly(
    Value* sum, const Index* bases, const unsigned char* deltas, const unsigned short* length,
    const Storage* values, const unsigned char* coded_values, long place, const Vector* x,
    long count, int info, bool is_ragged, long width) {
    const unsigned char* masks = masks_of<codes, Shape::lanes, Shape::fill>(deltas, info, width);
#pragma GCC unroll 1
    for (int l = 0; l < (count < Shape::lanes ? count : Shape::lanes); ++l) {
        if (!is_long<Shape::long_rows>(length, is_ragged, l)) {
            Value row[Shape::block_rows] = {};
            add_lane<codes, Shape, Shape::fill, 1>(row, bases, deltas, info & code_bits, masks,
                                                   values, coded_values, place, x, l,
                                                   is_ragged ? length[l] : width);
            for (int i = 0; i < Shape::block_rows; ++i) {
                sum[i * Shape::lanes + l] = row[i];
            }
        }
    }
}

/// Several right-hand sides: the first `count` lanes of a slice, one after the other.
template <int codes, typename Shape, scale alpha_mode, scale beta_mode, bool has_epilogue,
          int num_rhs, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_lane_by_lane(
    long num_rows, long first, long count, const Index* bases, const unsigned char* deltas,
    const unsigned short* length, const unsigned short* places, const Storage* values,
    const unsigned char* coded_values, long place, const Vector* x, Vector* y, Vector alpha,
    Vector beta, int info, bool is_ragged, long width) {
    constexpr bool has_fill =
        Shape::block_rows * Shape::block_cols > 1 || (codes & 1 << affine_deltas) != 0;
    constexpr int blocks_fill = has_fill ? Shape::fill : 0;
    const unsigned char* masks = masks_of<codes, Shape::lanes, blocks_fill>(deltas, info, width);
    for (int l = 0; l < Shape::lanes && l < count; ++l) {
        if (!is_long<Shape::long_rows>(length, is_ragged, l)) {
            Value sum[Shape::block_rows * num_rhs] = {};
            add_lane<codes, Shape, blocks_fill, num_rhs>(sum, bases, deltas, info & code_bits,
                                                         masks, values, coded_values, place, x, l,
                                                         is_ragged ? length[l] : width);
            store_block_row<alpha_mode, beta_mode, has_epilogue, num_rhs, Shape::block_rows,
                            num_rhs>(y, block_row_of<Shape::sigma>(places, first, l), num_rows, sum,
                                     alpha, beta);
        }
    }
}

/// Several right-hand sides: the first `count` lanes of a slice, with a loop for each code.
template <int codes, typename Shape, scale alpha_mode, scale beta_mode, bool has_epilogue,
          int num_rhs, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_any_lane_by_lane(
    long num_rows, long first, long count, const Index* bases, const unsigned char* deltas,
    const unsigned short* length, const unsigned short* places, const Storage* values,
    const unsigned char* coded_values, long place, const Vector* x, Vector* y, Vector alpha,
    Vector beta, int info, bool is_ragged, long width) {
    if constexpr (asks_for<codes, affine_deltas>) {
        if ((info & code_bits) == affine_deltas) {
            multiply_lane_by_lane<1 << affine_deltas, Shape, alpha_mode, beta_mode, has_epilogue,
                                  num_rhs, Value>(num_rows, first, count, bases, deltas, length,
                                                  places, values, coded_values, place, x, y, alpha,
                                                  beta, info, is_ragged, width);
            return;
        }
    }
    if constexpr (asks_for<codes, deltas_of_8_bits>) {
        if ((info & code_bits) == deltas_of_8_bits) {
            multiply_lane_by_lane<1 << deltas_of_8_bits, Shape, alpha_mode, beta_mode, has_epilogue,
                                  num_rhs, Value>(num_rows, first, count, bases, deltas, length,
                                                  places, values, coded_values, place, x, y, alpha,
                                                  beta, info, is_ragged, width);
            return;
        }
    }
    if constexpr (asks_for<codes, deltas_of_16_bits>) {
        if ((info & code_bits) == deltas_of_16_bits) {
            multiply_lane_by_lane<1 << deltas_of_16_bits, Shape, alpha_mode, beta_mode,
                                  has_epilogue, num_rhs, Value>(
                num_rows, first, count, bases, deltas, length, places, values, coded_values, place,
                x, y, alpha, beta, info, is_ragged, width);
            return;
        }
    }
    multiply_lane_by_lane<1 << widest_code<codes>, Shape, alpha_mode, beta_mode, has_epilogue,
                          num_rhs, Value>(num_rows, first, count, bases, deltas, length, places,
                                          values, coded_values, place, x, y, alpha, beta, info,
                                          is_ragged, width);
}

/// One slice: `bases`, `deltas`, `length` and `places` are its own, `first` is the number of its
/// first position, `place` of its first value.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int codes,
          typename Shape, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_slice(
    long num_rows, long num_cols, long first, const Index* bases, const unsigned char* deltas,
    const unsigned short* length, const unsigned short* places, const Storage* values,
    const unsigned char* coded_values, long place, const Vector* x, Vector* y, Vector alpha,
    Vector beta, int info, long width) {
    constexpr int block = Shape::block_rows * Shape::block_cols;
    constexpr bool has_affine = (codes & 1 << affine_deltas) != 0;
    constexpr bool has_zeros =
        Shape::fill == 1 && fill_is_zero<Shape::value_code> && (block > 1 || has_affine);
    const long count = (num_rows + (Shape::block_rows - 1)) / Shape::block_rows - first;
    const bool is_ragged = is_ragged_slice<Shape::ragged>(info);
    if constexpr (num_rhs > 1) {
        multiply_any_lane_by_lane<codes, Shape, alpha_mode, beta_mode, has_epilogue, num_rhs,
                                  Value>(num_rows, first, count, bases, deltas, length, places,
                                         values, coded_values, place, x, y, alpha, beta, info,
                                         is_ragged, width);
    } else {
        Value sum[Shape::lanes * Shape::block_rows] = {};
        bool is_summed = true;
        if constexpr (has_affine) {
            // A lane without a row would reach beyond the last column.
            is_summed = count >= Shape::lanes || (info & code_bits) != affine_deltas;
        }
        if (is_summed) {
            multiply_lanes<codes, Shape>(sum, bases, deltas, length, values, coded_values, place, x,
                                         num_cols, info, is_ragged, width);
        }
        if constexpr (has_zeros) {
            if ((info & filled_slice) != 0 && has_nan<Shape::lanes * Shape::block_rows>(sum)) {
                is_summed = false;
            }
        }
        if constexpr (has_affine || has_zeros) {
            if (!is_summed) {
                constexpr int single_codes = block > 1 && has_zeros ? codes : 1 << affine_deltas;
                Value single[Shape::lanes * Shape::block_rows] = {};
                multiply_lanes_singly<single_codes, Shape>(single, bases, deltas, length, values,
                                                           coded_values, place, x, count, info,
                                                           is_ragged, width);
                __builtin_memcpy(sum, single, sizeof(sum));
            }
        }
        store_lanes<alpha_mode, beta_mode, has_epilogue, Shape>(
            y, first, num_rows, count, length, places, is_ragged, sum, alpha, beta);
    }
}

/// y = αAx + βy for A in compressed strips, but for long rows that threads share.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int lanes,
          int block_rows, int block_cols, int sigma, int codes, int ragged, int fill, int long_rows,
          int value_code, int prefetch>
void strips_cpu(long num_rows, long num_cols, long num_slices, long num_long, long long_begin,
                const Offset* __restrict__ slice_ptr, const int* __restrict__ slice_info,
                const Offset* __restrict__ delta_ptr, const Index* __restrict__ bases,
                const unsigned char* __restrict__ deltas,
                const unsigned short* __restrict__ lengths,
                const unsigned short* __restrict__ places, const Storage* __restrict__ values,
                const unsigned char* __restrict__ coded_values, const Index* __restrict__ long_row,
                const Offset* __restrict__ long_ptr, const Index* __restrict__ long_col,
                const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha, Vector beta,
                long* __restrict__ carry_row, Value* __restrict__ carry_sum,
                long* __restrict__ head_row, Value* __restrict__ head_sum, int thread,
                int threads) {
    if constexpr (long_rows == 1) {
        carry_row[thread] = -1;
        head_row[thread] = -1;
    }
    if constexpr (alpha_mode == scale::zero) {
        scale_share<beta_mode, has_epilogue, num_rhs>(y, num_rows * num_rhs, beta, thread, threads);
    } else {
        const long end = first_row(num_slices, slice_ptr, thread + 1, threads);
        for (long slice = first_row(num_slices, slice_ptr, thread, threads); slice < end; ++slice) {
            const long first = slice_ptr[slice];
            multiply_slice<alpha_mode, beta_mode, has_epilogue, num_rhs, codes,
                           strip_shape<lanes, block_rows, block_cols, sigma, ragged, fill,
                                       long_rows, value_code, prefetch>,
                           Value>(num_rows, num_cols, slice * lanes, bases + first,
                                  deltas + static_cast<long>(delta_ptr[slice]) * lanes,
                                  lengths + slice * lanes, places + slice * lanes, values,
                                  coded_values, first * (lanes * block_rows * block_cols), x, y,
                                  alpha, beta, slice_info[slice], slice_ptr[slice + 1] - first);
        }
        if constexpr (long_rows == 1) {
            multiply_long_rows<alpha_mode, beta_mode, has_epilogue, num_rhs, lanes, value_code,
                               prefetch>(num_long, long_begin, long_row, long_ptr, long_col, values,
                                         coded_values, x, y, alpha, beta, carry_row, carry_sum,
                                         head_row, head_sum, thread, threads);
        }
    }
}

/// Stores the long rows that threads share, in the order of threads.
template <typename Value, typename Vector, scale alpha_mode, scale beta_mode, bool has_epilogue,
          int num_rhs>
void strips_cpu_join(long* __restrict__ carry_row, Value* __restrict__ carry_sum,
                     long* __restrict__ head_row, Value* __restrict__ head_sum,
                     Vector* __restrict__ y, Vector alpha, Vector beta, int threads) {
    join_parts<alpha_mode, beta_mode, has_epilogue, num_rhs>(head_row, head_sum, carry_row,
                                                             carry_sum, y, alpha, beta, threads);
}
