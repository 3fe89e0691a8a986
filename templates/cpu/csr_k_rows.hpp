// CSR-k, super-rows shared out to threads.
//
// What:       the CSR product over rows that are grouped into super-rows (CSR-2), and these into
//             super-super-rows (CSR-3). The groups are what threads share out; each is done row
//             after row.
// Source:     Lane & Booth, Heterogeneous Sparse Matrix-Vector Multiplication via Compressed Sparse
//             Row Format, listing 1. There the shares have equally many groups.
// Parameters: k     2, 3: levels; what is shared out is super-rows with 2, super-super-rows with 3.
//             lanes 1, 2, 4, 8, 16: entries in one vector; 1 = one entry after another, as in the
//             paper, for short rows.
//             srs   1 … 4096: rows of a super-row. Decides what is stored, not the code.
//             ssrs  1 … 1024: super-rows of a super-super-row. Likewise, and with k = 2 nothing.
// Work:       a thread takes a contiguous run of groups with its share of rows plus nonzeros, found
//             by binary search; no group is cut.
// Reads:      nnz·(value + index) + (m+1)·offset bytes of A and an index for each group, x once for
//             each entry; the vector that ends a row also loads entries of the rows below and x for
//             them, never beyond the arrays. Writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/cpu.hpp"

/// First row of a group: of a super-row with k = 2, of a super-super-row with k = 3.
template <int k, typename Index>
[[gnu::always_inline]] inline long row_of_group(const Index* ssr_ptr, const Index* sr_ptr,
                                                long group) {
    if constexpr (k == 2) {
        return sr_ptr[group];
    } else {
        return sr_ptr[ssr_ptr[group]];
    }
}

/// First group of a thread's share when groups are not cut: every thread gets about the same number
/// of rows plus entries.
template <int k, typename Index, typename Offset>
[[gnu::always_inline]] inline long first_group(long num_groups, const Index* ssr_ptr,
                                               const Index* sr_ptr, long num_rows,
                                               const Offset* row_ptr, long thread, long threads) {
    const long work = share(num_rows + row_ptr[num_rows], thread, threads);
    long low = 0;
    long high = num_groups;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        const long row = row_of_group<k>(ssr_ptr, sr_ptr, middle);
        if (row + row_ptr[row] < work) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// The rows of one super-row, begin … end-1; the arrays of entries have `nnz` elements.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int lanes,
          typename Value, typename Vector, typename Storage, typename Index, typename Offset>
[[gnu::always_inline]] inline void multiply_super_row(const Offset* row_ptr, const Index* col_idx,
                                                      const Storage* values, const Vector* x,
                                                      Vector* y, Vector alpha, Vector beta,
                                                      long begin, long end, long nnz) {
    for (long row = begin; row < end; ++row) {
        if constexpr (num_rhs == 1) {
            const Value sum = row_product<lanes, 1, 0, Value>(values, col_idx, x, row_ptr[row],
                                                              row_ptr[row + 1], nnz);
            store<alpha_mode, beta_mode, has_epilogue>(y, row, sum, alpha, beta, row);
        } else {
            Value sum[num_rhs] = {};
            add_entries<num_rhs>(sum, values, col_idx, x, 0, row_ptr[row], row_ptr[row + 1]);
            store_row<alpha_mode, beta_mode, has_epilogue, num_rhs>(y, row, sum, alpha, beta);
        }
    }
}

/// y = αAx + βy for A in CSR-k.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int k, int lanes>
void csr_k_rows(long num_rows, long num_sr, long num_ssr, const Index* __restrict__ ssr_ptr,
                const Index* __restrict__ sr_ptr, const Offset* __restrict__ row_ptr,
                const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha, Vector beta,
                int thread, int threads) {
    if constexpr (alpha_mode == scale::zero) {
        scale_share<beta_mode, has_epilogue, num_rhs>(y, num_rows * num_rhs, beta, thread, threads);
    } else {
        const long groups = k == 2 ? num_sr : num_ssr;
        const long begin =
            first_group<k>(groups, ssr_ptr, sr_ptr, num_rows, row_ptr, thread, threads);
        const long end =
            first_group<k>(groups, ssr_ptr, sr_ptr, num_rows, row_ptr, thread + 1, threads);
        const long nnz = row_ptr[num_rows];
        if constexpr (k == 2) {
            for (long sr = begin; sr < end; ++sr) {
                multiply_super_row<alpha_mode, beta_mode, has_epilogue, num_rhs, lanes, Value>(
                    row_ptr, col_idx, values, x, y, alpha, beta, sr_ptr[sr], sr_ptr[sr + 1], nnz);
            }
        } else {
            for (long ssr = begin; ssr < end; ++ssr) {
                for (long sr = ssr_ptr[ssr]; sr < ssr_ptr[ssr + 1]; ++sr) {
                    multiply_super_row<alpha_mode, beta_mode, has_epilogue, num_rhs, lanes, Value>(
                        row_ptr, col_idx, values, x, y, alpha, beta, sr_ptr[sr], sr_ptr[sr + 1],
                        nnz);
                }
            }
        }
    }
}
