// A batch of ELL matrices, one block a system.
//
// What:       y = αAx + βy for many small systems, each with sizes, a width and a pattern of its
//             own, in one launch. A block copies its system's x to shared memory; neighbouring
//             threads take neighbouring rows, `groups` threads share a row's entries and join
//             their sums in shared memory in a fixed order. Deterministic.
// Source:     Anzt, Collins, Dongarra, Flegar & Quintana-Ortí, Flexible Batched Sparse
//             Matrix-Vector Product on GPUs, ScalA 2017.
// Parameters: block     threads of a block.
//             groups    1, 2, 4, 8, 16: threads for a row; more where systems have few rows.
//             unroll    1, 2, 4, 8: entries of a thread that are loaded before the first is used.
//             shared_x  elements of x that shared memory holds; a system with more columns reads x
//                       from global memory. 0 = all do.
// Format:     `systems` has 8 numbers for each system (see batch_system). Entry k of row i is at
//             k·stride + i of the system's entries, stride being its rows rounded up to 8. Columns
//             count within the system. Padding has the column -1 and the value 0 and never meets x.
// Work:       a block has one system, block / groups rows at a time.
// Reads:      each row's entries up to the first padding, (storage + index) bytes each, 8·offset
//             bytes for each system, x once; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/batches/gpu_batch.hpp"
#include "dialect/gpu_padded.hpp"

/// y = αAx + βy for the system's rows; col_idx and values point to its first elements, x to its
/// part of x, y to the whole of y. `parts` has `block` elements of shared memory, for groups > 1.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int block, int groups, int unroll,
          typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_columns(const Index* col_idx, const Storage* values,
                                                    long width, const Vector* x, Vector* y,
                                                    long first_row, long rows, Value* parts,
                                                    Vector alpha, Vector beta) {
    constexpr int height = block / groups;
    const long stride = ell_stride<ell_rows>(rows);
    const int group = static_cast<int>(threadIdx.x) / height;
    for (long base = 0; base < rows; base += height) {
        const long row = base + static_cast<int>(threadIdx.x) % height;
        Value sum[1] = {};
        if (row < rows) {
            add_padded_row<unroll, 1, 1>(sum, values, col_idx, x, group * stride + row,
                                         groups * stride, (width - group + groups - 1) / groups);
        }
        if constexpr (groups > 1) {
            parts[threadIdx.x] = sum[0];
            __syncthreads();
            if (group == 0) {
                for (int g = 1; g < groups; ++g) {
                    sum[0] = add(sum[0], parts[static_cast<int>(threadIdx.x) + g * height]);
                }
            }
            __syncthreads();
        }
        if (group == 0 && row < rows) {
            store<alpha_mode, beta_mode, has_epilogue>(y, first_row + row, sum[0], alpha, beta,
                                                       first_row + row);
        }
    }
}

/// y = αAx + βy for each system of the batch.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int block, int groups, int unroll,
          int shared_x>
void batch_ell(long num_systems, const Offset* __restrict__ systems,
               const Index* __restrict__ col_idx, const Storage* __restrict__ values,
               const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha, Vector beta) {
    if (blockIdx.x >= num_systems) {
        return;
    }
    const batch_system system = system_at(systems, blockIdx.x);
    if constexpr (alpha_mode == scale::zero) {
        store_empty_rows<beta_mode, has_epilogue, block>(y, system.first_row, threadIdx.x,
                                                         system.rows, beta);
    } else {
        __shared__ Value parts[groups > 1 ? block : 1];
        const Index* columns = col_idx + system.first_entry;
        const Storage* entries = values + system.first_value;
        const Vector* own_x = x + system.first_col;
        if constexpr (shared_x > 0) {
            __shared__ Vector near_x[shared_x];
            if (system.cols <= shared_x) {
                share_x<block>(near_x, own_x, system.cols);
                multiply_columns<alpha_mode, beta_mode, has_epilogue, block, groups, unroll>(
                    columns, entries, system.count, near_x, y, system.first_row, system.rows, parts,
                    alpha, beta);
                return;
            }
        }
        multiply_columns<alpha_mode, beta_mode, has_epilogue, block, groups, unroll>(
            columns, entries, system.count, own_x, y, system.first_row, system.rows, parts, alpha,
            beta);
    }
}
