// CSR, every row in vectors.
//
// What:       consecutive entries of a row go to consecutive lanes, the lanes are added at the end
//             of the row; with num_rhs > 1 the vectors run over the right-hand sides instead.
//             Good for rows of at least about two vectors.
// Source:     the CSR vector kernel (Bell & Garland, SC 2009, §4.2) for the lanes of one core.
// Parameters: lanes  2, 4, 8, 16: entries in one vector; the vector register's width fits best.
//             unroll 1, 2, 4: vectors with an accumulator of their own, with 2 to 8 right-hand sides
//             entries; more than 1 for rows of several hundred entries, of a few dozen with these.
//             prefetch 0, 4096: how many bytes ahead of their use values and columns are asked
//             for, for what comes from memory; with one right-hand side.
// Work:       a thread takes a contiguous run of rows with its share of rows plus nonzeros, found
//             by binary search in row_ptr; no row is cut.
// Reads:      nnz·(value + index) + (m+1)·offset bytes of A, x once for each entry. The vector
//             that ends a row also loads entries of the rows below and x for them, never
//             beyond the arrays. Writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/cpu.hpp"

/// y = αAx + βy for A in CSR, each row in vectors of `lanes` entries.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, vector_form x_form,
          vector_form y_form, int lanes, int unroll, int prefetch>
void csr_vector(long num_rows, const Offset* __restrict__ row_ptr,
                const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                const Vector* __restrict__ x, long ld_x, Vector* __restrict__ y, long ld_y,
                Vector alpha, Vector beta, int thread, int threads) {
    if constexpr (alpha_mode == scale::zero) {
        scale_rows<beta_mode, has_epilogue, num_rhs, y_form>(y, ld_y, num_rows, beta, thread,
                                                             threads);
    } else {
        const long nnz = row_ptr[num_rows];
        const long begin = first_row(num_rows, row_ptr, thread, threads);
        const long end = first_row(num_rows, row_ptr, thread + 1, threads);
        // Of more sums compilers keep none in registers.
        constexpr int together = num_rhs <= 8 ? unroll : 1;
        for (long row = begin; row < end; ++row) {
            if constexpr (num_rhs == 1) {
                const Value sum = row_product<lanes, unroll, prefetch, Value>(
                    values, col_idx, x, row_ptr[row], row_ptr[row + 1], nnz);
                store<alpha_mode, beta_mode, has_epilogue>(y, row, sum, alpha, beta, row);
            } else {
                Value sum[num_rhs] = {};
                add_entries_unrolled<num_rhs, together, x_form>(sum, values, col_idx, x, ld_x,
                                                                row_ptr[row], row_ptr[row + 1]);
                store_row<alpha_mode, beta_mode, has_epilogue, num_rhs, y_form>(y, row, sum, alpha,
                                                                                beta, ld_y);
            }
        }
    }
}
