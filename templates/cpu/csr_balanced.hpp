// CSR with exactly balanced shares; a row may be cut between threads.
//
// What:       the CSR product for matrices with a few very long rows: a thread that does not see
//             the end of its last row leaves that partial sum in the workspace, and a second step
//             adds those sums to y. The result depends on the number of threads, and on nothing
//             else.
// Source:     merge-based CSR (Merrill & Garland, Merge-Based Parallel Sparse Matrix-Vector
//             Multiplication, SC 2016), one merge-path share for each thread.
// Parameters: lanes  1, 2, 4, 8, 16: entries in one vector; 1 = one entry after another, for short
//             rows.
//             unroll 1, 2, 4: vectors with an accumulator of their own; must be 1 for rows of less
//             than several hundred entries to be fast.
//             prefetch 0, 4096: how many bytes ahead of their use values and columns are asked
//             for, for what comes from memory; with one right-hand side and two
//             lanes or more.
// Work:       the path that merges the rows' ends with the entries has m + nnz steps; a thread
//             takes an equal run of them. The thread whose run holds a row's end stores the row.
// Reads:      nnz·(value + index) + (m+1)·offset bytes of A, x once for each entry; the
//             vector that ends a row also loads entries of the rows below and x for them, never
//             beyond the arrays. Writes y once, reads it when β ≠ 0 and where a row is cut.
#pragma once
#include "dialect/cpu_cut_rows.hpp"

/// y = αAx + βy for A in CSR but for the parts of cut rows; carry_row (row number or -1) and
/// carry_sum (num_rhs sums) hold what this thread leaves for csr_balanced_carry.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, vector_form x_form,
          vector_form y_form, int lanes, int unroll, int prefetch>
void csr_balanced(long num_rows, const Offset* __restrict__ row_ptr,
                  const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                  const Vector* __restrict__ x, long ld_x, Vector* __restrict__ y, long ld_y,
                  Vector alpha, Vector beta, long* __restrict__ carry_row,
                  Value* __restrict__ carry_sum, long* __restrict__ head_row,
                  Value* __restrict__ head_sum, int thread, int threads) {
    carry_row[thread] = -1;
    if constexpr (joins_rows<Value, Vector, has_epilogue>) {
        head_row[thread] = -1;
    }
    if constexpr (alpha_mode == scale::zero) {
        scale_rows<beta_mode, has_epilogue, num_rhs, y_form>(y, ld_y, num_rows, beta, thread,
                                                             threads);
    } else {
        const long nnz = row_ptr[num_rows];
        const long first_step = share(num_rows + nnz, thread, threads);
        const long last_step = share(num_rows + nnz, thread + 1, threads);
        long row = rows_ended(num_rows, row_ptr, first_step);
        long entry = first_step - row;
        const long end_row = rows_ended(num_rows, row_ptr, last_step);
        const long end_entry = last_step - end_row;
        // The last round may be the part of a row that the next thread goes on with: its sum is
        // carried.
        for (; row < end_row || entry < end_entry; ++row) {
            const bool whole = row < end_row;
            const long stop = whole ? static_cast<long>(row_ptr[row + 1]) : end_entry;
            if (!whole) {
                carry_row[thread] = row;
            }
            // Another thread may have begun the row.
            const bool begun = entry > row_ptr[row];
            if constexpr (num_rhs == 1 && !joins_rows<Value, Vector, has_epilogue>) {
                const Value sum = row_product<lanes, unroll, prefetch, Value>(values, col_idx, x,
                                                                              entry, stop, nnz);
                if (whole) {
                    store<alpha_mode, beta_mode, has_epilogue>(y, row, sum, alpha, beta, row);
                } else {
                    carry_sum[thread] = sum;
                }
            } else {
                Value sum[num_rhs] = {};
                if constexpr (num_rhs == 1) {
                    sum[0] = row_product<lanes, unroll, prefetch, Value>(values, col_idx, x, entry,
                                                                         stop, nnz);
                } else {
                    add_entries<num_rhs, x_form>(sum, values, col_idx, x, ld_x, entry, stop);
                }
                if (joins_rows<Value, Vector, has_epilogue> && whole && begun) {
                    head_row[thread] = row;
                    copy_sums<num_rhs>(head_sum, thread, sum);
                } else if (whole) {
                    store_row<alpha_mode, beta_mode, has_epilogue, num_rhs, y_form>(
                        y, row, sum, alpha, beta, ld_y);
                } else {
                    store_row<scale::one, scale::zero, false, num_rhs>(carry_sum, thread, sum,
                                                                       Value{}, Value{});
                }
            }
            entry = stop;
        }
    }
}

/// Adds the partial sums of cut rows to y, thread after thread.
template <typename Value, typename Vector, scale alpha_mode, scale beta_mode, bool has_epilogue,
          int num_rhs, vector_form y_form>
void csr_balanced_carry(long* __restrict__ carry_row, Value* __restrict__ carry_sum,
                        long* __restrict__ head_row, Value* __restrict__ head_sum,
                        Vector* __restrict__ y, long ld_y, Vector alpha, Vector beta, int threads) {
    if constexpr (joins_rows<Value, Vector, has_epilogue>) {
        join_parts<alpha_mode, beta_mode, has_epilogue, num_rhs, y_form>(
            head_row, head_sum, carry_row, carry_sum, y, alpha, beta, threads, ld_y);
    } else {
        add_carries<alpha_mode, num_rhs, y_form>(carry_row, carry_sum, y, alpha, threads, ld_y);
    }
}
