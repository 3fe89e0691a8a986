// A batch of ELL matrices, whole systems a thread.
//
// What:       y = αAx + βy for many small systems, each with sizes, a width and a pattern of its
//             own: a vector holds the k-th entry of `lanes` neighbouring rows. Good when the rows
//             of a system have nearly one length.
// Source:     the batches of Anzt, Collins, Dongarra, Flegar & Quintana-Ortí, Flexible Batched
//             Sparse Matrix-Vector Product on GPUs, ScalA 2017, for a CPU.
// Parameters: lanes  2, 4, 8, 16: rows in one vector; the vector register's width fits best.
// Format:     `systems` has 8 numbers for each system (see batch_system). Entry k of row i is at
//             k·stride + i of the system's entries, stride being its rows rounded up to `lanes`.
//             Columns count within the system. Padding has the column -1 and the value 0 and never
//             meets x. work_ptr[i] is the number of rows and stored entries before system i.
// Work:       a thread takes a contiguous run of systems with its share of rows plus stored
//             entries, found by binary search in work_ptr; no system is cut.
// Reads:      stored entries·(value + index) bytes of A, 9·offset bytes for each system, x once for
//             each entry; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/batches/batch.hpp"
#include "dialect/cpu.hpp"

/// y = αAx + βy for each system of the batch, one after another.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int lanes>
void batch_ell_rows(long num_systems, long num_rows, const Offset* __restrict__ work_ptr,
                    const Offset* __restrict__ systems, const Index* __restrict__ col_idx,
                    const Storage* __restrict__ values, const Vector* __restrict__ x,
                    Vector* __restrict__ y, Vector alpha, Vector beta, int thread, int threads) {
    if constexpr (alpha_mode == scale::zero) {
        scale_share<beta_mode, has_epilogue, 1>(y, num_rows, beta, thread, threads);
    } else {
        const long last = first_row(num_systems, work_ptr, thread + 1, threads);
        for (long i = first_row(num_systems, work_ptr, thread, threads); i < last; ++i) {
            const batch_system system = system_at(systems, i);
            const long stride = ell_stride<lanes>(system.rows);
            const Index* columns = col_idx + system.first_entry;
            const Storage* entries = values + system.first_value;
            for (long row = 0; row < system.rows; row += lanes) {
                // The last vector may have padded rows.
                const long full = row + lanes <= system.rows ? system.detail : 0;
                Value sum[lanes] = {};
                add_strips<lanes, 1, 0>(sum, entries + row, columns + row, x + system.first_col,
                                        stride, full, system.count);
                store_rows<alpha_mode, beta_mode, has_epilogue, lanes, 1>(
                    y + system.first_row + row, system.rows - row, sum, alpha, beta,
                    system.first_row + row);
            }
        }
    }
}
