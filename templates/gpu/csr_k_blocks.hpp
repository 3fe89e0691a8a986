// CSR-k, a super-super-row a block.
//
// What:       the product from compressed rows that are grouped twice. A block has three
//             dimensions, which are parts of threadIdx.x: a super-row for each z, a row for each y,
//             and in x the lanes that share the entries of a row and add up their sums with
//             shuffles. With subwarp 1 (GPUSpMV-3) a thread has a row of its own; else it is
//             GPUSpMV-3.5.
// Source:     Lane & Booth, Heterogeneous Sparse Matrix-Vector Multiplication via Compressed Sparse
//             Row Format, listings 3 and 4. There the sums of a row are added in shared memory.
// Parameters: subwarp      1 … 64, within the wavefront: lanes for a row, the block's x.
//             row_threads  4, 8, 16, 32: rows of a super-row that are under way at a time, y.
//             sr_threads   1, 2, 3, 4, 6, 8, 12, 16, 32: super-rows under way at a time, z.
//             unroll       1, 2, 4, 8: entries of a lane that are loaded before the first is used.
//             srs          1 … 4096: rows of a super-row. Decides what is stored, not the code.
//             ssrs         1 … 1024: super-rows of a super-super-row. Likewise.
//             The block, subwarp · row_threads · sr_threads, is a multiple of 32 up to 1024.
// Work:       one super-super-row for each block. A row that is much longer than the others holds
//             up its block: then more lanes for each row help, or another kernel.
// Reads:      nnz·(storage + index) + rows·offset bytes of A and an index for each super-row and
//             super-super-row, x once for each entry; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_rows.hpp"

/// Whether a thread goes on to `row`: lanes that shuffle stay together until their warp has no row
/// left.
template <int subwarp>
[[gnu::always_inline]] inline bool goes_on(long row, long end) {
    if constexpr (subwarp == 1) {
        return row < end;
    } else {
        return any_lane(row < end);
    }
}

/// One row for each group of lanes; groups whose row is not below `end` have none.
template <scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int subwarp, int unroll, typename Value, typename Vector, typename Storage,
          typename Index, typename Offset>
[[gnu::always_inline]] inline void multiply_row(const Offset* row_ptr, const Index* col_idx,
                                                const Storage* values, const Vector* x, Vector* y,
                                                Vector alpha, Vector beta, long row, long end) {
    Value sum[rhs_group] = {};
    if constexpr (subwarp == 1) {
        const Offset begin = row_ptr[row];
        const Offset count = row_ptr[row + 1] - begin;
        add_row_entries<1, unroll, num_rhs, rhs_group>(sum, values + begin, col_idx + begin, x, 0,
                                                       static_cast<Offset>(0), count);
        store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                           beta);
    } else {
        const int lane = static_cast<int>(threadIdx.x) % subwarp;
        if (row < end) {
            const Offset begin = row_ptr[row];
            const Offset count = row_ptr[row + 1] - begin;
            add_row_entries<subwarp, unroll, num_rhs, rhs_group>(
                sum, values + begin, col_idx + begin, x, 0, static_cast<Offset>(lane), count);
        }
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            sum[rhs] = subwarp_sum<subwarp>(sum[rhs]);
        }
        if (lane == 0 && row < end) {
            store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                               beta);
        }
    }
}

/// y = αAx + βy for A in CSR-3.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int subwarp, int row_threads, int sr_threads, int unroll>
void csr_k_blocks(long num_rows, const Index* __restrict__ ssr_ptr,
                  const Index* __restrict__ sr_ptr, const Offset* __restrict__ row_ptr,
                  const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                  const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha, Vector beta) {
    if constexpr (alpha_mode == scale::zero) {
        constexpr int block = subwarp * row_threads * sr_threads;
        const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
        if (row < num_rows) {
            const Value sum[rhs_group] = {};
            store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                               beta);
        }
    } else {
        const int row_of_thread = static_cast<int>(threadIdx.x) / subwarp % row_threads;
        const int sr_of_thread = static_cast<int>(threadIdx.x) / (subwarp * row_threads);
        const long ssr_end = ssr_ptr[blockIdx.x + 1];
        // All threads go through the same rounds of super-rows, those without one with no rows.
        for (long first = ssr_ptr[blockIdx.x]; first < ssr_end; first += sr_threads) {
            const long sr = first + sr_of_thread;
            const long end = sr < ssr_end ? static_cast<long>(sr_ptr[sr + 1]) : 0;
            long row = sr < ssr_end ? sr_ptr[sr] + row_of_thread : end;
            for (; goes_on<subwarp>(row, end); row += row_threads) {
                multiply_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue, subwarp,
                             unroll, Value>(row_ptr, col_idx, values, x, y, alpha, beta, row, end);
            }
        }
    }
}
