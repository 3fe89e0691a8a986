// SELL-P / SELL-C-σ: slices of C rows, each padded to its own longest row.
//
// What:       a thread takes a row, or `threads_per_row` neighbouring lanes share one and add their
//             sums by shuffles. Rows may be sorted by length in windows of σ, so that the rows of a
//             slice are about equally long.
// Source:     SELL-C-σ (Kreutzer, Hager, Wellein, Fehske & Bishop, SISC 36(5), 2014) and SELL-P (Anzt,
//             Tomov & Dongarra, SELL-C/SELL-C-σ formats on NVIDIA GPUs, 2014).
// Parameters: block           128, 256, 512, 1024: threads of a block.
//             slice           32, 64: C, the rows of a slice.
//             sigma           1, 64, 256, 1024, 4096, 16384: rows in a sorting window; 1 = rows
//             keep their order, and no permutation is read. threads_per_row 1, 2, 4, 8, 16, 32:
//             lanes that share a row. unroll          1, 2, 4, 8: entries that a thread loads
//             before it uses the first.
// Format:     slice_ptr counts columns of slices, whose number is a multiple of t =
//             threads_per_row: entry k of row l of a slice is at (slice_ptr[slice] + (k / t)·t)·C +
//             l·t + k % t. Padding has the column -1 and the value 0 and never meets x. row_order
//             holds the row of A at each position (σ > 1).
// Work:       block / threads_per_row rows a block.
// Reads:      stored·(value + index) bytes plus an offset a slice, an index a row (σ > 1), x
//             once for each entry; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_padded.hpp"

/// y = αAx + βy.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int slice, int sigma, int threads_per_row, int unroll>
void sell_slices(long num_rows, const Offset* __restrict__ slice_ptr,
                 const Index* __restrict__ row_order, const Index* __restrict__ col_idx,
                 const Storage* __restrict__ values, const Vector* __restrict__ x,
                 Vector* __restrict__ y, Vector alpha, Vector beta) {
    const long thread = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    const long position = thread / threads_per_row;
    const long row = sigma == 1 || position >= num_rows ? position : row_order[position];
    Value sum[rhs_group] = {};
    if constexpr (alpha_mode == scale::zero) {
        await_launches_ahead();
    } else {
        if (position < num_rows) {
            const long begin = slice_ptr[position / slice];
            const long place = begin * slice + thread % (slice * threads_per_row);
            const int count =
                static_cast<int>(slice_ptr[position / slice + 1] - begin) / threads_per_row;
            await_and_add_padded_row<unroll, num_rhs, rhs_group>(sum, values, col_idx, x, place,
                                                                 slice * threads_per_row, count);
        }
        add_lanes<threads_per_row, rhs_group>(sum);
    }
    if (threadIdx.x % threads_per_row == 0 && position < num_rows) {
        store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                           beta);
    }
}
