// CSR, one row after another, of several vectors that no cache of a core holds.
//
// What:       the plain product; what an entry needs of x is prefetched `ahead` entries before, past
//             the ends of rows. So many rows of x are under way where a mistaken branch at a row's
//             end would leave few. Good where x has more bytes than a core's caches and entries
//             have columns anywhere; slower where x is in the second cache.
// Source:     software prefetching of gathered operands (Callahan, Kennedy & Porterfield, ASPLOS
//             1991).
// Parameters: ahead        32, 64, 128, 192: entries.
//             past_caches  0, 1: whether y is stored past the caches where its rows are whole lines
//                          and β = 0. Good where the caches do not hold x and y.
// Work:       a thread takes a contiguous run of rows with its share of rows plus nonzeros, found
//             by binary search in row_ptr; no row is cut.
// Reads:      nnz·(value + index) + (m+1)·offset bytes of A, x once for each entry;
//             writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/cpu.hpp"

/// y = αAx + βy for A in CSR, row after row, x prefetched.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, vector_form x_form,
          vector_form y_form, int ahead, int past_caches>
void csr_ahead(long num_rows, const Offset* __restrict__ row_ptr, const Index* __restrict__ col_idx,
               const Storage* __restrict__ values, const Vector* __restrict__ x, long ld_x,
               Vector* __restrict__ y, long ld_y, Vector alpha, Vector beta, int thread,
               int threads) {
    if constexpr (alpha_mode == scale::zero) {
        scale_rows<beta_mode, has_epilogue, num_rhs, y_form>(y, ld_y, num_rows, beta, thread,
                                                             threads);
    } else {
        constexpr bool lines =
            past_caches != 0 && beta_mode == scale::zero && may_be_lines<y_form, num_rhs, Vector>;
        const long nnz = row_ptr[num_rows];
        const long begin = first_row(num_rows, row_ptr, thread, threads);
        const long end = first_row(num_rows, row_ptr, thread + 1, threads);
        for (long row = begin; row < end; ++row) {
            Value sum[num_rhs] = {};
            if (row_ptr[row + 1] + ahead <= nnz) {
                add_entries_ahead<num_rhs, ahead, x_form>(sum, values, col_idx, x, ld_x,
                                                          row_ptr[row], row_ptr[row + 1]);
            } else {
                add_entries<num_rhs, x_form>(sum, values, col_idx, x, ld_x, row_ptr[row],
                                             row_ptr[row + 1]);
            }
            if constexpr (lines) {
                if (are_lines<y_form>(y, ld_y)) {
                    store_row_past_caches<alpha_mode, has_epilogue, num_rhs, y_form>(
                        y, row, sum, alpha, beta, ld_y);
                } else {
                    store_row<alpha_mode, beta_mode, has_epilogue, num_rhs, y_form>(
                        y, row, sum, alpha, beta, ld_y);
                }
            } else {
                store_row<alpha_mode, beta_mode, has_epilogue, num_rhs, y_form>(y, row, sum, alpha,
                                                                                beta, ld_y);
            }
        }
        if constexpr (lines) {
            __atomic_thread_fence(5);  // sequentially consistent: waits for the stores past caches
        }
    }
}
