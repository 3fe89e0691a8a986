// BCSR in two launches: a thread a block, then the sums of the rows.
//
// What:       the first kernel multiplies every block with its part of x and leaves r products of
//             each, the second adds them up row by row. Every thread of the first has the same
//             work, however long the rows are; the price is that the products are written and read.
// Source:     GOSpMV (Zhang et al., Automatic Performance Tuning of SpMV on GPGPU, 2009), Figure 3:
//             multiplication kernel and sum kernel.
// Parameters: block      threads of a block of the grid.
//             subwarp    1 … 64, within the wavefront: lanes for a row of the second kernel; 1 as
//                        in the paper.
//             block_rows 1 … 8: r.
//             block_cols 1 … 8: c.
// Work:       one block for each thread; then one row for each subwarp.
// Reads:      blocks·(r·c·storage + index) bytes and an offset for each row of A, c neighbours of
//             x for each block; writes and reads blocks·r products. Writes y once, reads it when
//             β ≠ 0.
#pragma once
#include "dialect/gpu_blocks.hpp"

/// Where product (i, rhs) of block k is kept: those of `block` blocks together, so that the threads
/// of both kernels that are neighbours touch neighbouring elements.
template <int block, int block_rows, int num_rhs>
[[gnu::always_inline]] inline long place_of_product(long k, int i, int rhs) {
    return ((k / block * block_rows + i) * num_rhs + rhs) * block + k % block;
}

/// The first of the thread's right-hand sides.
template <int num_rhs, int rhs_group>
[[gnu::always_inline]] inline int first_rhs() {
    if constexpr (num_rhs == rhs_group) {
        return 0;
    } else {
        return static_cast<int>(blockIdx.y) * rhs_group;
    }
}

/// products = each block times its part of x.
template <typename Value, typename Vector, typename Storage, typename Index, int num_rhs,
          int rhs_group, int block, int block_rows, int block_cols>
void bcsr_split_multiply(long num_cols, long num_blocks, const Index* __restrict__ col_idx,
                         const long* __restrict__ block_masks, const Storage* __restrict__ values,
                         const Vector* __restrict__ x, Value* __restrict__ products) {
    const long k = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (k < num_blocks) {
        Value sum[block_rows * rhs_group] = {};
        multiply_blocks<block_rows, block_cols, 1, 1, num_rhs, rhs_group>(
            sum, values, col_idx, block_masks, x, 0, num_cols, k, k + 1);
        for (int i = 0; i < block_rows; ++i) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                products[place_of_product<block, block_rows, num_rhs>(
                    k, i, first_rhs<num_rhs, rhs_group>() + rhs)] = sum[i * rhs_group + rhs];
            }
        }
    }
}

/// y = α·(sum of a row's products) + βy. Takes all of the kernel's parameters, since it is the only
/// step when α = 0.
template <typename Value, typename Vector, typename Offset, scale alpha_mode, scale beta_mode,
          int num_rhs, int rhs_group, bool has_epilogue, int block, int subwarp, int block_rows,
          int block_cols>
void bcsr_split_sum(long num_rows, const Offset* __restrict__ block_ptr,
                    const Value* __restrict__ products, Vector* __restrict__ y, Vector alpha,
                    Vector beta) {
    const int lane = static_cast<int>(threadIdx.x) % subwarp;
    const long row = static_cast<long>(blockIdx.x) * (block / subwarp) + threadIdx.x / subwarp;
    Value sum[rhs_group] = {};
    if constexpr (alpha_mode != scale::zero) {
        // All lanes of a warp take part in the shuffles, those beyond the last row with nothing.
        if (row < num_rows) {
            const int i = static_cast<int>(row % block_rows);
            const long end = block_ptr[row / block_rows + 1];
            for (long k = static_cast<long>(block_ptr[row / block_rows]) + lane; k < end;
                 k += subwarp) {
                for (int rhs = 0; rhs < rhs_group; ++rhs) {
                    sum[rhs] = add(sum[rhs], products[place_of_product<block, block_rows, num_rhs>(
                                                 k, i, first_rhs<num_rhs, rhs_group>() + rhs)]);
                }
            }
        }
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            sum[rhs] = subwarp_sum<subwarp>(sum[rhs]);
        }
    }
    if (lane == 0 && row < num_rows) {
        store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                           beta);
    }
}
