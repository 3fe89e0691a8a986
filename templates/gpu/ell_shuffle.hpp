// ELL in chunks: neighbouring threads of a warp share a row and add their sums by shuffles.
//
// What:       `group` lanes take a row; each takes every group-th entry of it and ends at its first
//             padding. Entries are stored so that the lanes of a warp load neighbouring ones.
// Source:     Algorithm 4 of Tsai, Cojean & Anzt, Sparse Linear Algebra on AMD and NVIDIA GPUs, ISC
//             2020, with the layout turned so that a row's lanes are neighbours.
// Parameters: block  128, 256, 512, 1024: threads of a block.
//             group  2, 4, 8, 16, 32, 64: threads that share a row; within a warp or wavefront.
//             unroll 1, 2, 4, 8: entries that a thread loads before it uses the first.
// Format:     rows are padded to a width that is a multiple of `group`; entry k of row i is at
//             (k / group)·group·stride + i·group + k % group; stride is m rounded up to 32. Padding
//             has the column -1 and the value 0 and never meets x.
// Work:       block / group rows a block.
// Reads:      the entries of each row rounded up to `group`·`unroll`; x once for each entry;
//             writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_padded.hpp"

/// y = αAx + βy.
template <typename Value, typename Vector, typename Storage, typename Index, scale alpha_mode,
          scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue, int block, int group,
          int unroll>
void ell_shuffle(long num_rows, long width, long stride, const Index* __restrict__ col_idx,
                 const Storage* __restrict__ values, const Vector* __restrict__ x,
                 Vector* __restrict__ y, Vector alpha, Vector beta) {
    const long thread = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    const long row = thread / group;
    Value sum[rhs_group] = {};
    if constexpr (alpha_mode != scale::zero) {
        if (row < num_rows) {
            add_padded_row<unroll, num_rhs, rhs_group>(sum, values, col_idx, x, thread,
                                                       stride * group, width / group);
        }
        add_lanes<group, rhs_group>(sum);
    }
    if (threadIdx.x % group == 0 && row < num_rows) {
        store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                           beta);
    }
}
