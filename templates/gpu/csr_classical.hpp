// CSR, a group of lanes a row.
//
// What:       the product from compressed rows. `subwarp` neighbouring lanes take the entries of
//             one row in turn and add up their sums with shuffles; with subwarp 1 (basic CSR) each
//             thread has a row of its own.
// Source:     CSR vector (Bell & Garland, SC 2009); Algorithm 2 of Tsai, Cojean & Anzt, ISC 2020.
// Parameters: block    threads of a block.
//             subwarp  1 … 64, within the wavefront: lanes for a row. About the usual length of a
//                      row divided by `unroll`; a row that is much longer holds up its warp.
//             unroll   1, 2, 4, 8: entries of a lane that are loaded before the first is used.
// Work:       one row for each subwarp; a block has block / subwarp rows.
// Reads:      nnz·(storage + index) + rows·offset bytes of A, x once for each entry; writes y once,
//             reads it when β ≠ 0.
#pragma once
#include "dialect/gpu.hpp"

/// sum[r] += the products of the entries first, first + step, … below `count`. `unroll` of them are
/// under way at a time: their values and columns are loaded before any x is, and every x before the
/// first is used.
template <int step, int unroll, int num_rhs, int rhs_group, typename Value, typename Storage,
          typename Index, typename Offset>
[[gnu::always_inline]] inline void add_row_entries(Value* sum, const Storage* values,
                                                   const Index* col_idx, const Value* x,
                                                   Offset first, Offset count) {
    for (Offset left = count - first; left > 0; left -= step * unroll) {
        const Offset k = count - left;
        Storage value[unroll] = {};
        Index col[unroll] = {};
        for (int u = 0; u < unroll; ++u) {
            if (left > u * step) {
                value[u] = load_stored(values + k + u * step);
                col[u] = load_stream(col_idx + k + u * step);
            }
        }
        Value factor[unroll * rhs_group] = {};
        for (int u = 0; u < unroll; ++u) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                if (left > u * step) {
                    factor[u * rhs_group + rhs] = x[element_of<num_rhs, rhs_group>(col[u]) + rhs];
                }
            }
        }
        // Where there is no entry, both factors are zero.
        for (int u = 0; u < unroll; ++u) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                sum[rhs] =
                    multiply_add(widened<Value>(value[u]), factor[u * rhs_group + rhs], sum[rhs]);
            }
        }
    }
}

/// y = αAx + βy for A in CSR.
template <typename Value, typename Storage, typename Index, typename Offset, scale alpha_mode,
          scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue, int block, int subwarp,
          int unroll>
void csr_classical(long num_rows, const Offset* __restrict__ row_ptr,
                   const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                   const Value* __restrict__ x, Value* __restrict__ y, Value alpha, Value beta) {
    const int lane = static_cast<int>(threadIdx.x) % subwarp;
    const long row = static_cast<long>(blockIdx.x) * (block / subwarp) + threadIdx.x / subwarp;
    Value sum[rhs_group] = {};
    if constexpr (alpha_mode != scale::zero) {
        // All lanes of a warp take part in the shuffles, those beyond the last row with no entries.
        if (row < num_rows) {
            const Offset begin = row_ptr[row];
            add_row_entries<subwarp, unroll, num_rhs, rhs_group>(
                sum, values + begin, col_idx + begin, x, static_cast<Offset>(lane),
                row_ptr[row + 1] - begin);
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
