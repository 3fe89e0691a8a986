// ELL: every row padded to one width, stored column after column.
//
// What:       rows go to lanes: a vector holds the k-th entry of `lanes` neighbouring rows, and a
//             block of lanes · unroll rows stops after its own longest row. Good when rows have
//             nearly one length. With num_rhs > 1 a row is done after the other and the vectors run
//             over the right-hand sides.
// Source:     ELLPACK-ITPACK; early stop at the padding mark as in Ginkgo's ELL kernel (Algorithm
//             4 of Tsai, Cojean & Anzt, Evaluating Ginkgo's SpMV on AMD and NVIDIA GPUs, 2020).
// Parameters: lanes  2, 4, 8, 16: rows in one vector; the vector register's width fits best.
//             unroll 1, 2, 4: vectors in a row block.
// Format:     col_idx and values hold the k-th entry of row i at k·stride + i; stride is m rounded
//             up to whole blocks. Padding has the column -1 and the value 0 and never meets x.
//             block_full and block_width hold the shortest and the longest row of each block.
// Work:       a thread takes an equal run of blocks.
// Reads:      Σ block_width · lanes · unroll · (value + index) bytes plus two offsets a
//             block, x once for each entry; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/cpu.hpp"

/// y = αAx + βy for A in ELL, block after block.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int lanes, int unroll>
void ell(long num_rows, long stride, const Offset* __restrict__ block_full,
         const Offset* __restrict__ block_width, const Index* __restrict__ col_idx,
         const Storage* __restrict__ values, const Vector* __restrict__ x, Vector* __restrict__ y,
         Vector alpha, Vector beta, int thread, int threads) {
    if constexpr (alpha_mode == scale::zero) {
        scale_share<beta_mode, has_epilogue, num_rhs>(y, num_rows * num_rhs, beta, thread, threads);
    } else {
        constexpr int height = lanes * unroll;
        const long end = share(stride / height, thread + 1, threads);
        for (long block = share(stride / height, thread, threads); block < end; ++block) {
            const long first = block * height;
            const long rows = num_rows - first < height ? num_rows - first : height;
            if constexpr (num_rhs == 1) {
                Value sum[height] = {};
                add_strips<lanes, unroll, 0>(sum, values + first, col_idx + first, x, stride,
                                             block_full[block], block_width[block]);
                store_rows<alpha_mode, beta_mode, has_epilogue, height, 1>(y + first, rows, sum,
                                                                           alpha, beta, first);
            } else {
                for (long row = first; row < first + rows; ++row) {
                    Value sum[num_rhs] = {};
                    add_strided_row<num_rhs>(sum, values + row, col_idx + row, x, stride,
                                             block_width[block]);
                    store_row<alpha_mode, beta_mode, has_epilogue, num_rhs>(y, row, sum, alpha,
                                                                            beta);
                }
            }
        }
    }
}
