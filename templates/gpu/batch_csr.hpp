// A batch of CSR matrices, one block a system.
//
// What:       y = αAx + βy for many small systems, each with sizes and a pattern of its own, in one
//             launch. A block copies its system's x to shared memory, then groups of `subwarp`
//             lanes take row after row. Deterministic.
// Source:     Anzt, Collins, Dongarra, Flegar & Quintana-Ortí, Flexible Batched Sparse
//             Matrix-Vector Product on GPUs, ScalA 2017.
// Parameters: block     threads of a block. About the rows of a system times subwarp, or fewer.
//             subwarp   1 … 64, within the wavefront: lanes for a row.
//             unroll    1, 2, 4, 8: entries of a lane that are loaded before the first is used.
//             shared_x  elements of x that shared memory holds; a system with more columns reads x
//                       from global memory. 0 = all do.
// Format:     `systems` has 8 numbers for each system (see batch_system). row_ptr and col_idx count
//             within the system.
// Work:       a block has one system, block / subwarp rows at a time.
// Reads:      nnz·(storage + index) + (m + systems)·offset bytes of A, 8·offset bytes for each
//             system, x once; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/batches/gpu_batch.hpp"
#include "dialect/gpu_rows.hpp"

/// y = αAx + βy for the system's rows; row_ptr, col_idx and values point to its first elements, x
/// to its part of x, y to the whole of y.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int block, int subwarp, int unroll,
          typename Value, typename Vector, typename Storage, typename Index, typename Offset>
[[gnu::always_inline]] inline void multiply_rows(const Offset* row_ptr, const Index* col_idx,
                                                 const Storage* values, const Vector* x, Vector* y,
                                                 long first_row, long rows, Vector alpha,
                                                 Vector beta) {
    const int lane = static_cast<int>(threadIdx.x) % subwarp;
    for (long base = 0; base < rows; base += block / subwarp) {
        const long row = base + threadIdx.x / subwarp;
        Value sum[1] = {};
        // All lanes of a warp take part in the shuffles, those beyond the last row without entries.
        if (row < rows) {
            const Offset begin = row_ptr[row];
            const Offset count = row_ptr[row + 1] - begin;
            add_row_entries<subwarp, unroll, 1, 1>(sum, values + begin, col_idx + begin, x, 0,
                                                   static_cast<Offset>(lane), count);
        }
        sum[0] = subwarp_sum<subwarp>(sum[0]);
        if (lane == 0 && row < rows) {
            store<alpha_mode, beta_mode, has_epilogue>(y, first_row + row, sum[0], alpha, beta,
                                                       first_row + row);
        }
    }
}

/// y = αAx + βy for each system of the batch.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int block, int subwarp, int unroll,
          int shared_x>
void batch_csr(long num_systems, const Offset* __restrict__ systems,
               const Offset* __restrict__ row_ptr, const Index* __restrict__ col_idx,
               const Storage* __restrict__ values, const Vector* __restrict__ x,
               Vector* __restrict__ y, Vector alpha, Vector beta) {
    if (blockIdx.x >= num_systems) {
        return;
    }
    const batch_system system = system_at(systems, blockIdx.x);
    if constexpr (alpha_mode == scale::zero) {
        store_empty_rows<beta_mode, has_epilogue, block>(y, system.first_row, threadIdx.x,
                                                         system.rows, beta);
    } else {
        const Offset* begin = row_ptr + system.detail;
        const Index* columns = col_idx + system.first_entry;
        const Storage* entries = values + system.first_value;
        const Vector* own_x = x + system.first_col;
        if constexpr (shared_x > 0) {
            __shared__ Vector near_x[shared_x];
            if (system.cols <= shared_x) {
                share_x<block>(near_x, own_x, system.cols);
                multiply_rows<alpha_mode, beta_mode, has_epilogue, block, subwarp, unroll, Value>(
                    begin, columns, entries, near_x, y, system.first_row, system.rows, alpha, beta);
                return;
            }
        }
        multiply_rows<alpha_mode, beta_mode, has_epilogue, block, subwarp, unroll, Value>(
            begin, columns, entries, own_x, y, system.first_row, system.rows, alpha, beta);
    }
}
