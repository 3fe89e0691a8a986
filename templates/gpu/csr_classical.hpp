// CSR, a group of lanes a row.
//
// What:       the product from compressed rows. `subwarp` neighbouring lanes take the entries of
//             one row in turn and add up their sums with shuffles; with subwarp 1 (basic CSR) each
//             thread has a row of its own. With several right-hand sides neighbouring lanes share
//             an entry, each with a group of them, as far as `subwarp` allows: x is then loaded 16
//             bytes at a time where it begins at a multiple of that. Each lane loads an entry of its
//             own, and hands it to those that share it by shuffles.
// Source:     CSR vector (Bell & Garland, SC 2009); Algorithm 2 of Tsai, Cojean & Anzt, ISC 2020.
// Parameters: block    threads of a block.
//             subwarp  1 … 64, within the wavefront: lanes for a row. About the usual length of a
//                      row divided by `unroll`; a row that is much longer holds up its warp.
//             unroll   1, 2, 4, 8: entries of a lane that are loaded before the first is used; where
//                      lanes share entries, pieces of rows of x.
// Work:       one row for each subwarp; a block has block / subwarp rows.
// Reads:      nnz·(storage + index) + rows·offset bytes of A, x once for each entry; writes y once,
//             reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_rows.hpp"

/// y = αAx + βy for A in CSR.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, vector_form x_form, vector_form y_form,
          int rhs_group, bool has_epilogue, int block, int subwarp, int rhs_lanes, int unroll>
void csr_classical(long num_rows, const Offset* __restrict__ row_ptr,
                   const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                   const Vector* __restrict__ x, long ld_x, Vector* __restrict__ y, long ld_y,
                   Vector alpha, Vector beta) {
    const int lane = static_cast<int>(threadIdx.x) % subwarp;
    const long row = static_cast<long>(blockIdx.x) * (block / subwarp) + threadIdx.x / subwarp;
    Value sum[rhs_group] = {};
    if constexpr (alpha_mode == scale::zero) {
        await_launches_ahead();
    } else {
        if constexpr (rhs_lanes == 1) {
            if (row < num_rows) {
                const long begin = row_ptr[row];
                const long end = row_ptr[row + 1];
                await_and_add_row<Offset, subwarp, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
                    sum, values, col_idx, x, ld_x, lane, begin, end);
            }
        } else {
            // All lanes of a warp take part in the shuffles, those beyond the last row with no
            // entries.
            const long begin = row < num_rows ? row_ptr[row] : 0;
            const long end = row < num_rows ? row_ptr[row + 1] : 0;
            await_and_add_row<Offset, subwarp, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
                sum, values, col_idx, x, ld_x, lane, begin, end);
        }
        if constexpr (subwarp > rhs_lanes) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                sum[rhs] = subwarp_sum<subwarp, rhs_lanes>(sum[rhs]);
            }
        }
    }
    if (has_sums<rhs_lanes>(lane) && row < num_rows) {
        store_row_of_lane<alpha_mode, beta_mode, num_rhs, rhs_group, rhs_lanes, has_epilogue,
                          y_form>(y, ld_y, row, lane, sum, alpha, beta);
    }
}

/// The same of some rows: y[row_order[i]] = α(Ax)[i] + βy[row_order[i]], no other row is touched.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, vector_form x_form, vector_form y_form,
          int rhs_group, bool has_epilogue, int block, int subwarp, int rhs_lanes, int unroll>
void csr_listed(long num_rows, const Offset* __restrict__ row_ptr,
                const Index* __restrict__ row_order, const Index* __restrict__ col_idx,
                const Storage* __restrict__ values, const Vector* __restrict__ x, long ld_x,
                Vector* __restrict__ y, long ld_y, Vector alpha, Vector beta) {
    const int lane = static_cast<int>(threadIdx.x) % subwarp;
    const long position = static_cast<long>(blockIdx.x) * (block / subwarp) + threadIdx.x / subwarp;
    const bool is_row = position < num_rows;
    const long row = is_row ? row_order[position] : 0;
    Value sum[rhs_group] = {};
    if constexpr (alpha_mode == scale::zero) {
        await_launches_ahead();
    } else {
        // All lanes of a warp take part in the shuffles, those beyond the last row with no entries.
        const long begin = is_row ? row_ptr[position] : 0;
        const long end = is_row ? row_ptr[position + 1] : 0;
        await_and_add_row<Offset, subwarp, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
            sum, values, col_idx, x, ld_x, lane, begin, end);
        if constexpr (subwarp > rhs_lanes) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                sum[rhs] = subwarp_sum<subwarp, rhs_lanes>(sum[rhs]);
            }
        }
    }
    if (has_sums<rhs_lanes>(lane) && is_row) {
        store_row_of_lane<alpha_mode, beta_mode, num_rhs, rhs_group, rhs_lanes, has_epilogue,
                          y_form>(y, ld_y, row, lane, sum, alpha, beta);
    }
}
