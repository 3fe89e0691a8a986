// BCSR in one launch: a group of lanes a block row, a block a lane.
//
// What:       `subwarp` neighbouring lanes take the blocks of one block row in turn. Each has r
//             sums of its own; at the end the lanes add them by shuffles, and those of several warps
//             in shared memory.
// Source:     BCSR of GOSpMV (Zhang et al., Automatic Performance Tuning of SpMV on GPGPU, 2009),
//             with its two kernels made one.
// Parameters: block      threads of a block of the grid.
//             subwarp    1 … 128, at most `block`: lanes for a block row. About half as many as it
//                        has blocks; a block row that is much longer holds up its warp. Several
//                        warps pay where block rows are few and long.
//             unroll     1, 2, 4, 8: blocks of a lane that are loaded before the first is used, at
//                        most as many as 256 bytes hold.
//             block_rows 1 … 8: r.
//             block_cols 1 … 8: c.
// Work:       one block row for each subwarp.
// Reads:      blocks·(r·c·storage + index) bytes and an offset a block row of A, c neighbours of x
//             for each block; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_blocks.hpp"

/// Replaces the sums of the lanes that have them in the first of the `subwarp` lanes' warps by those
/// over all of these. All threads of the block take part.
template <int block, int subwarp, int rhs_lanes, int height, typename Value>
[[gnu::always_inline]] inline void add_sums_of_warps(Value* sum, int lane) {
    constexpr int warps = subwarp / warp_size;
    __shared__ Value warp_sum[block / warp_size * height * rhs_lanes];
    Value* own = warp_sum + threadIdx.x / subwarp * (warps * height * rhs_lanes);
    const int warp = lane / warp_size;
    if (has_sums<rhs_lanes>(lane % warp_size)) {
        for (int e = 0; e < height; ++e) {
            own[(warp * height + e) * rhs_lanes + lane % warp_size] = sum[e];
        }
    }
    __syncthreads();
    if (has_sums<rhs_lanes>(lane)) {
        for (int other = 1; other < warps; ++other) {
            for (int e = 0; e < height; ++e) {
                sum[e] = add(sum[e], own[(other * height + e) * rhs_lanes + lane]);
            }
        }
    }
}

/// y = αAx + βy for A in BCSR.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, vector_form x_form, vector_form y_form,
          int rhs_group, int rhs_lanes, bool has_epilogue, int block, int subwarp, int unroll,
          int block_rows, int block_cols>
void bcsr_fused(long num_rows, long num_cols, long num_block_rows,
                const Offset* __restrict__ block_ptr, const Index* __restrict__ col_idx,
                const long* __restrict__ block_masks, const Storage* __restrict__ values,
                const Vector* __restrict__ x, long ld_x, Vector* __restrict__ y, long ld_y,
                Vector alpha, Vector beta) {
    const int lane = static_cast<int>(threadIdx.x) % subwarp;
    const long block_row =
        static_cast<long>(blockIdx.x) * (block / subwarp) + threadIdx.x / subwarp;
    Value sum[block_rows * rhs_group] = {};
    if constexpr (alpha_mode == scale::zero) {
        await_launches_ahead();
    } else {
        // All lanes of a warp take part in the shuffles, those beyond the last block row with
        // nothing.
        if constexpr (rhs_lanes > 1) {
            const bool is_row = block_row < num_block_rows;
            const long begin = is_row ? block_ptr[block_row] : 0;
            const long end = is_row ? block_ptr[block_row + 1] : 0;
            Index first_col = {};
            if (begin + lane < end) {
                first_col = col_idx[begin + lane];
            }
            await_launches_ahead();
            multiply_shared_blocks<block_rows, block_cols, subwarp, unroll, num_rhs, rhs_group,
                                   rhs_lanes, x_form>(sum, values, col_idx, first_col, block_masks,
                                                      x, ld_x, num_cols, lane, begin, end);
            let_next_launch_begin();
        } else if (block_row < num_block_rows) {
            const long begin = block_ptr[block_row];
            const long end = block_ptr[block_row + 1];
            await_launches_ahead();
            multiply_blocks<block_rows, block_cols, subwarp, unroll, num_rhs, rhs_group, x_form>(
                sum, values, col_idx, block_masks, x, ld_x, num_cols, begin + lane, end);
        }
        constexpr int width = subwarp < warp_size ? subwarp : warp_size;
        for (int e = 0; e < block_rows * rhs_group; ++e) {
            sum[e] = subwarp_sum<width, rhs_lanes>(sum[e]);
        }
        if constexpr (subwarp > warp_size) {
            add_sums_of_warps<block, subwarp, rhs_lanes, block_rows * rhs_group>(sum, lane);
        }
    }
    if (has_sums<rhs_lanes>(lane)) {
        for (int i = 0; i < block_rows; ++i) {
            const long row = block_row * block_rows + i;
            if (row < num_rows) {
                store_row_of_lane<alpha_mode, beta_mode, num_rhs, rhs_group, rhs_lanes,
                                  has_epilogue, y_form>(y, ld_y, row, lane, sum + i * rhs_group,
                                                        alpha, beta);
            }
        }
    }
}
