// A batch of CSR matrices, whole systems a thread.
//
// What:       y = αAx + βy for many small systems, each with sizes and a pattern of its own: one
//             row after another, its entries in vectors.
// Source:     the batches of Anzt, Collins, Dongarra, Flegar & Quintana-Ortí, Flexible Batched
//             Sparse Matrix-Vector Product on GPUs, ScalA 2017, for a CPU.
// Parameters: lanes  1, 2, 4, 8, 16: entries in one vector; 1 = one entry after another, for short
//             rows.
// Format:     `systems` has 8 numbers for each system (see batch_system). row_ptr and col_idx count
//             within the system. work_ptr[i] is the number of rows and entries before system i.
// Work:       a thread takes a contiguous run of systems with its share of rows plus entries, found
//             by binary search in work_ptr; no system is cut.
// Reads:      nnz·(value + index) + (m + systems)·offset bytes of A, 9·offset bytes for each
//             system, x once for each entry; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/batches/batch.hpp"
#include "dialect/cpu.hpp"

/// y = αAx + βy for each system of the batch, one after another.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int lanes>
void batch_csr_rows(long num_systems, long num_rows, const Offset* __restrict__ work_ptr,
                    const Offset* __restrict__ systems, const Offset* __restrict__ row_ptr,
                    const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                    const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha, Vector beta,
                    int thread, int threads) {
    if constexpr (alpha_mode == scale::zero) {
        scale_share<beta_mode, has_epilogue, 1>(y, num_rows, beta, thread, threads);
    } else {
        const long last = first_row(num_systems, work_ptr, thread + 1, threads);
        for (long i = first_row(num_systems, work_ptr, thread, threads); i < last; ++i) {
            const batch_system system = system_at(systems, i);
            const Offset* begin = row_ptr + system.detail;
            const Index* columns = col_idx + system.first_entry;
            const Storage* entries = values + system.first_value;
            const Vector* own_x = x + system.first_col;
            for (long row = 0; row < system.rows; ++row) {
                const Value sum = row_product<lanes, 1, 0, Value>(
                    entries, columns, own_x, begin[row], begin[row + 1], system.count);
                store<alpha_mode, beta_mode, has_epilogue>(y, system.first_row + row, sum, alpha,
                                                           beta, system.first_row + row);
            }
        }
    }
}
