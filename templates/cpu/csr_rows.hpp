// CSR, one row after another.
//
// What:       the plain CSR product, one accumulator a row (a row of accumulators when
//             num_rhs > 1, over which the compiler vectorises). Good for short rows of any kind.
// Source:     the textbook algorithm (Saad, Iterative Methods for Sparse Linear Systems, §3.4).
// Parameters: none of its own.
// Work:       a thread takes a contiguous run of rows with its share of rows plus nonzeros, found
//             by binary search in row_ptr; no row is cut.
// Reads:      nnz·(value + index) + (m+1)·offset bytes of A, x once for each entry;
//             writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/cpu.hpp"

/// y = αAx + βy for A in CSR, row after row.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, vector_form x_form,
          vector_form y_form>
void csr_rows(long num_rows, const Offset* __restrict__ row_ptr, const Index* __restrict__ col_idx,
              const Storage* __restrict__ values, const Vector* __restrict__ x, long ld_x,
              Vector* __restrict__ y, long ld_y, Vector alpha, Vector beta, int thread,
              int threads) {
    if constexpr (alpha_mode == scale::zero) {
        scale_rows<beta_mode, has_epilogue, num_rhs, y_form>(y, ld_y, num_rows, beta, thread,
                                                             threads);
    } else {
        const long begin = first_row(num_rows, row_ptr, thread, threads);
        const long end = first_row(num_rows, row_ptr, thread + 1, threads);
        for (long row = begin; row < end; ++row) {
            if constexpr (num_rhs == 1) {
                Value sum = {};
                for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
                    sum = multiply_add(widened<Value>(values[k]), converted<Value>(x[col_idx[k]]),
                                       sum);
                }
                store<alpha_mode, beta_mode, has_epilogue>(y, row, sum, alpha, beta, row);
            } else {
                Value sum[num_rhs] = {};
                add_entries<num_rhs, x_form>(sum, values, col_idx, x, ld_x, row_ptr[row],
                                             row_ptr[row + 1]);
                store_row<alpha_mode, beta_mode, has_epilogue, num_rhs, y_form>(y, row, sum, alpha,
                                                                                beta, ld_y);
            }
        }
    }
}
