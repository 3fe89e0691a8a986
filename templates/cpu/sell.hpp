// SELL-C-σ: slices of C rows, each padded to its own longest row and stored column after column.
//
// What:       rows go to lanes: a vector holds the k-th entry of `lanes` rows of a slice. Rows may
//             be sorted by length in windows of σ, so that the rows of a slice are about equally
//             long. With num_rhs > 1 a row is done after the other and the vectors run over the
//             right-hand sides.
// Source:     Kreutzer, Hager, Wellein, Fehske & Bishop, A Unified Sparse Matrix Data Format for
//             Efficient General SpMV on Modern Processors with Wide SIMD Units, SISC 36(5), 2014.
// Parameters: lanes  2, 4, 8, 16: rows in one vector; the vector register's width fits best.
//             unroll 1, 2, 4: vectors in a slice: C = lanes · unroll.
//             sigma  1, 64, 256, 1024, 4096, 16384: rows in a sorting window; 1 = rows keep their
//             order, and no permutation is read.
//             prefetch 0, 4096: how many bytes ahead of their use values and columns are asked
//             for, for what comes from memory; with one right-hand side.
// Format:     slice_ptr counts columns of slices: the k-th entry of row l of a slice is at
//             (slice_ptr[slice] + k)·C + l. Padding has the column -1 and the value 0 and never
//             meets x. slice_full holds the shortest row of each slice; row_order the row of A at
//             each position (σ > 1).
// Work:       a thread takes a contiguous run of slices with its share of slices plus columns.
// Reads:      stored·(value + index) bytes plus two offsets a slice, an index a row (σ > 1), x once
//             for each entry; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/cpu.hpp"

/// y = αAx + βy for A in SELL-C-σ, slice after slice.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, vector_form x_form,
          vector_form y_form, int lanes, int unroll, int sigma, int prefetch>
void sell(long num_rows, long num_slices, const Offset* __restrict__ slice_ptr,
          const Offset* __restrict__ slice_full, const Index* __restrict__ row_order,
          const Index* __restrict__ col_idx, const Storage* __restrict__ values,
          const Vector* __restrict__ x, long ld_x, Vector* __restrict__ y, long ld_y, Vector alpha,
          Vector beta, int thread, int threads) {
    if constexpr (alpha_mode == scale::zero) {
        scale_rows<beta_mode, has_epilogue, num_rhs, y_form>(y, ld_y, num_rows, beta, thread,
                                                             threads);
    } else {
        constexpr int height = lanes * unroll;
        const long end = first_row(num_slices, slice_ptr, thread + 1, threads);
        for (long slice = first_row(num_slices, slice_ptr, thread, threads); slice < end; ++slice) {
            const long first = slice * height;
            const long rows = num_rows - first < height ? num_rows - first : height;
            const long start = static_cast<long>(slice_ptr[slice]) * height;
            const long width = slice_ptr[slice + 1] - slice_ptr[slice];
            if constexpr (num_rhs == 1) {
                Value sum[height] = {};
                add_strips<lanes, unroll, prefetch>(sum, values + start, col_idx + start, x, height,
                                                    slice_full[slice], width);
                if constexpr (sigma == 1) {
                    store_rows<alpha_mode, beta_mode, has_epilogue, height, 1>(y + first, rows, sum,
                                                                               alpha, beta, first);
                } else {
                    for (long l = 0; l < rows; ++l) {
                        store<alpha_mode, beta_mode, has_epilogue>(
                            y, row_order[first + l], sum[l], alpha, beta, row_order[first + l]);
                    }
                }
            } else {
                const bool even = slice_full[slice] == width;
                for (long l = 0; l < rows; ++l) {
                    Value sum[num_rhs] = {};
                    const Storage* row_values = values + start + l;
                    const Index* row_columns = col_idx + start + l;
                    if (even) {
                        add_full_strided_row<num_rhs, x_form>(sum, row_values, row_columns, x,
                                                              height, width, ld_x);
                    } else {
                        add_strided_row<num_rhs, x_form>(sum, row_values, row_columns, x, height,
                                                         width, ld_x);
                    }
                    const long row = sigma == 1 ? first + l : row_order[first + l];
                    store_row<alpha_mode, beta_mode, has_epilogue, num_rhs, y_form>(
                        y, row, sum, alpha, beta, ld_y);
                }
            }
        }
    }
}
