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
[[gnu::always_inline]] inline void multiply_lanes(Value* sum,
                                                  const slice_view<Storage, Index>& slice,
                                                  const x_view<Vector>& from) {
    constexpr bool has_fill =
        Shape::fill == 1 && (Shape::size > 1 || has_delta_code<codes, affine_deltas>);
    constexpr bool has_masks = has_fill && !fill_is_zero<Shape::value_code>;
    if constexpr (has_fill && !has_masks && Shape::size > 1) {
        if ((slice.info & filled_slice) != 0) {
            add_strips_of_any<codes, Shape, true>(sum, slice, from, slice.width);
            return;
        }
    }
    long full = slice.is_ragged ? slice.info >> full_strips_shift : slice.width;
    const unsigned char* masks = nullptr;
    if constexpr (has_masks) {
        masks = masks_of<codes, Shape::lanes, Shape::fill>(slice);
        full = masks != nullptr ? 0 : full;
    }
    add_strips_of_any<codes, Shape, false>(sum, slice, from, full);
    if constexpr (Shape::ragged == 1 || has_masks) {
        add_some_of_strips<codes, Shape, has_masks>(sum, slice, masks, from, full);
    }
}

/// Stores the sums of one lane's block row: of row i that of right-hand side rhs is
/// sum[i·stride + rhs].
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int block_rows,
          int stride, typename Value, typename Vector>
[[gnu::always_inline]] inline void store_block_row(const result_view<Vector>& result,
                                                   long block_row, const Value* sum) {
    for (int i = 0; i < block_rows; ++i) {
        const long row = block_row * block_rows + i;
        if (block_rows == 1 || row < result.num_rows) {
            store_row<alpha_mode, beta_mode, has_epilogue, num_rhs>(result.y, row, sum + i * stride,
                                                                    result.alpha, result.beta);
        }
    }
}

/// The block row of lane l of a slice.
template <int sigma, typename Storage, typename Index>
[[gnu::always_inline]] inline long block_row_of(const slice_view<Storage, Index>& slice, int l) {
    if constexpr (sigma == 1) {
        return slice.first + l;
    } else {
        return slice.first / sigma * sigma + slice.places[l];
    }
}

/// Whether lane l of a slice works for a row that is long, and kept elsewhere.
template <typename Shape, typename Storage, typename Index>
[[gnu::always_inline]] inline bool is_long(const slice_view<Storage, Index>& slice, int l) {
    if constexpr (Shape::long_rows == 0 || Shape::ragged == 0) {
        return false;
    } else {
        return slice.is_ragged && slice.lengths[l] == length_of_long;
    }
}

/// Stores the sums of the lanes of a slice that have a row.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, typename Shape, typename Value,
          typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void store_lanes(const result_view<Vector>& result,
                                               const slice_view<Storage, Index>& slice,
                                               const Value* sum) {
    if constexpr (Shape::sigma == 1 && Shape::block_rows == 1 && Shape::long_rows == 0) {
        if (slice.lanes >= Shape::lanes) {
            store_rows<alpha_mode, beta_mode, has_epilogue, Shape::lanes, 1>(
                result.y + slice.first, Shape::lanes, sum, result.alpha, result.beta, slice.first);
            return;
        }
    }
    // A copy, which the loop takes lanes out of: `sum` can then stay in registers until here.
    Value stored[Shape::lanes * Shape::block_rows] = {};
    __builtin_memcpy(stored, sum, sizeof(stored));
#pragma GCC unroll 1
    for (int l = 0; l < (slice.lanes < Shape::lanes ? slice.lanes : Shape::lanes); ++l) {
        if (!is_long<Shape>(slice, l)) {
            store_block_row<alpha_mode, beta_mode, has_epilogue, 1, Shape::block_rows,
                            Shape::lanes>(result, block_row_of<Shape::sigma>(slice, l), stored + l);
        }
    }
}

/// What multiply_lanes does, entry after entry and for the lanes that have a row only; no element
/// of fill meets x.
template <int codes, typename Shape, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::noinline]] inline void multiply_lanes_singly(Value* sum,
                                                    const slice_view<Storage, Index>& slice,
                                                    const x_view<Vector>& from) {
    const unsigned char* masks = masks_of<codes, Shape::lanes, Shape::fill>(slice);
#pragma GCC unroll 1
    for (int l = 0; l < (slice.lanes < Shape::lanes ? slice.lanes : Shape::lanes); ++l) {
        if (!is_long<Shape>(slice, l)) {
            Value row[Shape::block_rows] = {};
            add_lane<codes, Shape, Shape::fill, 1>(
                row, slice, masks, from, l, slice.is_ragged ? slice.lengths[l] : slice.width);
            for (int i = 0; i < Shape::block_rows; ++i) {
                sum[i * Shape::lanes + l] = row[i];
            }
        }
    }
}

/// Several right-hand sides: the lanes of a slice that have a row, one after the other.
template <int codes, typename Shape, scale alpha_mode, scale beta_mode, bool has_epilogue,
          int num_rhs, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_lane_by_lane(const result_view<Vector>& result,
                                                         const slice_view<Storage, Index>& slice,
                                                         const x_view<Vector>& from) {
    constexpr bool has_fill = Shape::size > 1 || has_delta_code<codes, affine_deltas>;
    constexpr int blocks_fill = has_fill ? Shape::fill : 0;
    const unsigned char* masks = masks_of<codes, Shape::lanes, blocks_fill>(slice);
    for (int l = 0; l < Shape::lanes && l < slice.lanes; ++l) {
        if (!is_long<Shape>(slice, l)) {
            Value sum[Shape::block_rows * num_rhs] = {};
            add_lane<codes, Shape, blocks_fill, num_rhs>(
                sum, slice, masks, from, l, slice.is_ragged ? slice.lengths[l] : slice.width);
            store_block_row<alpha_mode, beta_mode, has_epilogue, num_rhs, Shape::block_rows,
                            num_rhs>(result, block_row_of<Shape::sigma>(slice, l), sum);
        }
    }
}

/// Several right-hand sides: the lanes of a slice that have a row, with a loop for each code.
template <int codes, typename Shape, scale alpha_mode, scale beta_mode, bool has_epilogue,
          int num_rhs, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_any_lane_by_lane(
    const result_view<Vector>& result, const slice_view<Storage, Index>& slice,
    const x_view<Vector>& from) {
    if constexpr (asks_for<codes, affine_deltas>) {
        if (slice.code == affine_deltas) {
            multiply_lane_by_lane<only_code<affine_deltas>, Shape, alpha_mode, beta_mode,
                                  has_epilogue, num_rhs, Value>(result, slice, from);
            return;
        }
    }
    if constexpr (asks_for<codes, deltas_of_8_bits>) {
        if (slice.code == deltas_of_8_bits) {
            multiply_lane_by_lane<only_code<deltas_of_8_bits>, Shape, alpha_mode, beta_mode,
                                  has_epilogue, num_rhs, Value>(result, slice, from);
            return;
        }
    }
    if constexpr (asks_for<codes, deltas_of_16_bits>) {
        if (slice.code == deltas_of_16_bits) {
            multiply_lane_by_lane<only_code<deltas_of_16_bits>, Shape, alpha_mode, beta_mode,
                                  has_epilogue, num_rhs, Value>(result, slice, from);
            return;
        }
    }
    multiply_lane_by_lane<only_code<widest_code<codes>>, Shape, alpha_mode, beta_mode, has_epilogue,
                          num_rhs, Value>(result, slice, from);
}

/// y for the rows of one slice.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int codes,
          typename Shape, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_slice(const result_view<Vector>& result,
                                                  const slice_view<Storage, Index>& slice,
                                                  const x_view<Vector>& from) {
    constexpr bool has_affine = has_delta_code<codes, affine_deltas>;
    constexpr bool has_zeros =
        Shape::fill == 1 && fill_is_zero<Shape::value_code> && (Shape::size > 1 || has_affine);
    if constexpr (num_rhs > 1) {
        multiply_any_lane_by_lane<codes, Shape, alpha_mode, beta_mode, has_epilogue, num_rhs,
                                  Value>(result, slice, from);
    } else {
        Value sum[Shape::lanes * Shape::block_rows] = {};
        bool is_summed = true;
        if constexpr (has_affine) {
            // A lane without a row would reach beyond the last column.
            is_summed = slice.lanes >= Shape::lanes || slice.code != affine_deltas;
        }
        if (is_summed) {
            multiply_lanes<codes, Shape>(sum, slice, from);
        }
        if constexpr (has_zeros) {
            if ((slice.info & filled_slice) != 0 &&
                has_nan<Shape::lanes * Shape::block_rows>(sum)) {
                is_summed = false;
            }
        }
        if constexpr (has_affine || has_zeros) {
            if (!is_summed) {
                constexpr int single_codes =
                    Shape::size > 1 && has_zeros ? codes : only_code<affine_deltas>;
                Value single[Shape::lanes * Shape::block_rows] = {};
                multiply_lanes_singly<single_codes, Shape>(single, slice, from);
                __builtin_memcpy(sum, single, sizeof(sum));
            }
        }
        store_lanes<alpha_mode, beta_mode, has_epilogue, Shape>(result, slice, sum);
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
        using Shape = strip_shape<lanes, block_rows, block_cols, sigma, ragged, fill, long_rows,
                                  value_code, prefetch>;
        const result_view<Vector> result = {
            .y = y, .alpha = alpha, .beta = beta, .num_rows = num_rows};
        const x_view<Vector> from = {.x = x, .num_cols = num_cols};
        const long end = first_row(num_slices, slice_ptr, thread + 1, threads);
        for (long number = first_row(num_slices, slice_ptr, thread, threads); number < end;
             ++number) {
            const long first = slice_ptr[number];
            const int info = slice_info[number];
            const slice_view<Storage, Index> slice = {
                .bases = bases + first,
                .deltas = deltas + static_cast<long>(delta_ptr[number]) * lanes,
                .lengths = lengths + number * lanes,
                .places = places + number * lanes,
                .values = values,
                .coded_values = coded_values,
                .first_value = first * (lanes * block_rows * block_cols),
                .first = number * lanes,
                .lanes = (num_rows + (block_rows - 1)) / block_rows - number * lanes,
                .width = slice_ptr[number + 1] - first,
                .info = info,
                .code = info & code_bits,
                .is_ragged = ragged == 1 && (info & ragged_slice) != 0,
            };
            multiply_slice<alpha_mode, beta_mode, has_epilogue, num_rhs, codes, Shape, Value>(
                result, slice, from);
        }
        if constexpr (long_rows == 1) {
            const long_rows_view<Storage, Index, Offset> rows = {
                .row = long_row,
                .ptr = long_ptr,
                .columns = long_col,
                .values = values,
                .coded_values = coded_values,
                .first_value = long_begin,
                .count = num_long,
            };
            const cut_rows_view<Value> cuts = {
                .carry_row = carry_row,
                .carry_sum = carry_sum,
                .head_row = head_row,
                .head_sum = head_sum,
            };
            multiply_long_rows<alpha_mode, beta_mode, has_epilogue, num_rhs, Shape>(
                rows, cuts, result, x, thread, threads);
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
