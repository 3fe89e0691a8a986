// COO, sorted by row: segmented sums over exactly balanced shares.
//
// What:       the product from (row, column, value) triplets that are sorted by row. Every run of
//             entries with one row number is one segment; a segment may be cut between threads,
//             whose partial sums a second step adds to y. The result depends on the number of
//             threads, and on nothing else.
// Source:     segmented sums (Blelloch, Heroux & Zagha, CMU-CS-93-173); shares along the merge
//             path (Merrill & Garland, SC 2016), searched in the row numbers.
// Parameters: lanes  1, 2, 4, 8, 16: entries in one vector, used inside long segments; 1 = one
//             entry after another, for short rows.
// Work:       the path that merges the rows' ends with the entries has m + nnz steps; a thread
//             takes an equal run of them. The thread whose run holds a row's end stores the row;
//             rows without entries, which get βy, are stored in runs. With one lane and one
//             right-hand side a window of y becomes βy first, and its entries are added to it while
//             a core's first cache has it: no branch depends on where rows end.
// Reads:      nnz·(value + 2·index) bytes of A, x once for each entry; writes y once, reads it when
//             β ≠ 0 and where a row is cut.
#pragma once
#include "dialect/cpu_cut_rows.hpp"

/// y = αAx + βy for A in COO but for the parts of cut rows; carry_row (row number or -1) and
/// carry_sum (num_rhs sums) hold what this thread leaves for coo_segmented_carry.
template <typename Value, typename Vector, typename Storage, typename Index, scale alpha_mode,
          scale beta_mode, bool has_epilogue, int num_rhs, int lanes>
void coo_segmented(long num_rows, long nnz, const Index* __restrict__ row_idx,
                   const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                   const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha, Vector beta,
                   long* __restrict__ carry_row, Value* __restrict__ carry_sum,
                   long* __restrict__ head_row, Value* __restrict__ head_sum, int thread,
                   int threads) {
    carry_row[thread] = -1;
    if constexpr (joins_rows<Value, Vector, has_epilogue>) {
        head_row[thread] = -1;
    }
    if constexpr (alpha_mode == scale::zero) {
        scale_share<beta_mode, has_epilogue, num_rhs>(y, num_rows * num_rhs, beta, thread, threads);
    } else {
        const long first_step = share(num_rows + nnz, thread, threads);
        const long last_step = share(num_rows + nnz, thread + 1, threads);
        long entry = entries_taken(nnz, row_idx, first_step);
        const long end_entry = entries_taken(nnz, row_idx, last_step);
        const long end_row = last_step - end_entry;
        if constexpr (lanes == 1 && num_rhs == 1 && !joins_rows<Value, Vector, has_epilogue>) {
            entry = add_windows<alpha_mode, beta_mode, Value>(y, row_idx, values, col_idx, x,
                                                              first_step - entry, end_row, entry,
                                                              end_entry, alpha, beta);
            if (entry < end_entry) {  // of a row that the next thread goes on with
                carry_row[thread] = end_row;
                carry_sum[thread] = Value{};
                add_segment<1, 1>(carry_sum + thread, row_idx, values, col_idx, x, end_row, entry,
                                  end_entry);
            }
        } else {
            // The last round may be the part of a row that the next thread goes on with: its sum is
            // carried.
            for (long row = first_step - entry; row < end_row || entry < end_entry; ++row) {
                const bool begun = entry > 0 && row_idx[entry - 1] == row;  // by another thread
                if (!begun) {
                    const long filled_row = entry < nnz ? long(row_idx[entry]) : num_rows;
                    const long next_row = filled_row < end_row ? filled_row : end_row;
                    store_empty_rows<Value, alpha_mode, beta_mode, has_epilogue, num_rhs>(
                        y, row, next_row, alpha, beta);
                    row = row < next_row ? next_row : row;
                    if (row >= end_row && entry >= end_entry) {
                        break;
                    }
                }
                Value sum[num_rhs] = {};
                entry = add_segment<lanes, num_rhs>(sum, row_idx, values, col_idx, x, row, entry,
                                                    end_entry);
                if (row < end_row) {
                    if constexpr (joins_rows<Value, Vector, has_epilogue>) {
                        if (begun) {
                            head_row[thread] = row;
                            copy_sums<num_rhs>(head_sum, thread, sum);
                            continue;
                        }
                    }
                    store_row<alpha_mode, beta_mode, has_epilogue, num_rhs>(y, row, sum, alpha,
                                                                            beta);
                } else {
                    carry_row[thread] = row;
                    store_row<scale::one, scale::zero, false, num_rhs>(carry_sum, thread, sum,
                                                                       Value{}, Value{});
                }
            }
        }
    }
}

/// Adds the partial sums of cut rows to y, thread after thread.
template <typename Value, typename Vector, scale alpha_mode, scale beta_mode, bool has_epilogue,
          int num_rhs>
void coo_segmented_carry(long* __restrict__ carry_row, Value* __restrict__ carry_sum,
                         long* __restrict__ head_row, Value* __restrict__ head_sum,
                         Vector* __restrict__ y, Vector alpha, Vector beta, int threads) {
    if constexpr (joins_rows<Value, Vector, has_epilogue>) {
        join_parts<alpha_mode, beta_mode, has_epilogue, num_rhs>(
            head_row, head_sum, carry_row, carry_sum, y, alpha, beta, threads);
    } else {
        add_carries<alpha_mode, num_rhs>(carry_row, carry_sum, y, alpha, threads);
    }
}
