// ELL, column after column: a thread a row, or several threads of a block for each row.
//
// What:       the threads of a block stand in `groups` groups. A group takes consecutive rows, so
//             that neighbouring threads load neighbouring entries of one column; group g adds the
//             columns g, g + groups, … and ends at its first padding. The sums of the groups are
//             added in shared memory, in a fixed order, without atomics; with one group there is no
//             shared memory. For few and very wide rows, several blocks share the rows.
// Source:     Algorithms 4 and 5 of Tsai, Cojean & Anzt, Sparse Linear Algebra on AMD and NVIDIA
//             GPUs, ISC 2020; Ginkgo adds the groups' sums by atomics in shared memory.
// Parameters: block          128, 256, 512, 1024: threads of a block.
//             groups         1, 2, 4, 8, 16: threads of a block that share a row.
//             blocks_per_row 1, 2, 4, 8, 16, 32: blocks that share a row.
//             unroll         1, 2, 4, 8: entries that a thread loads before it uses the first.
//             deterministic  with several blocks a row: 0 = y is scaled first, then each block adds
//             to it atomically; 1 = each block leaves its sums, which a second step adds in order.
// Format:     entry k of row i is at k·stride + i; stride is m rounded up to 32. Padding has the
//             column -1 and the value 0 and never meets x.
// Work:       block / groups rows for each blocks_per_row blocks.
// Reads:      the entries of each 32 rows up to their longest row, rounded up to `unroll`; x
//             once for each entry; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_padded.hpp"
#include "dialect/gpu_segments.hpp"

/// With several blocks a row and atomics: y = βy.
template <typename Vector, scale beta_mode, int num_rhs, int rhs_group, int block>
void ell_groups_scale(long num_rows, Vector* __restrict__ y, Vector beta) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        scale_row<beta_mode, num_rhs, rhs_group>(y, row, beta);
    }
}

/// Adds the sums of the groups of a block to those of group 0, by halves. `held` has block ·
/// rhs_group elements of shared memory.
template <int block, int groups, int rhs_group, typename Value>
[[gnu::always_inline]] inline void add_groups(Value* sum, Value* held, int group) {
    const int thread = static_cast<int>(threadIdx.x);
    for (int half = groups / 2; half > 0; half /= 2) {
        if (group >= half && group < 2 * half) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                held[rhs * block + thread] = sum[rhs];
            }
        }
        __syncthreads();
        // What is read here is not written again: the next half writes lower places.
        if (group < half) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                sum[rhs] = add(sum[rhs], held[rhs * block + thread + half * (block / groups)]);
            }
        }
    }
}

/// y = αAx + βy, or with several blocks a row: y += αAx, or parts = Ax for this block's columns.
template <typename Value, typename Vector, typename Storage, typename Index, scale alpha_mode,
          scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue, int block, int groups,
          int blocks_per_row, int unroll, int deterministic>
void ell_groups(long num_rows, long width, long stride, const Index* __restrict__ col_idx,
                const Storage* __restrict__ values, const Vector* __restrict__ x,
                Vector* __restrict__ y, Value* __restrict__ parts, Vector alpha, Vector beta) {
    if constexpr (groups * blocks_per_row == 1) {
        const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
        if (row < num_rows) {
            Value sum[rhs_group] = {};
            if constexpr (alpha_mode != scale::zero) {
                add_padded_row<unroll, num_rhs, rhs_group>(sum, values, col_idx, x, row, stride,
                                                           width);
            }
            store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                               beta);
        }
    } else {
        constexpr int rows = block / groups;
        const int local = static_cast<int>(threadIdx.x) % rows;
        const int group = static_cast<int>(threadIdx.x) / rows;
        const long row = static_cast<long>(blockIdx.x) / blocks_per_row * rows + local;

        Value sum[rhs_group] = {};
        if constexpr (alpha_mode != scale::zero) {
            constexpr int shared_by = groups * blocks_per_row;
            long first = group;
            if constexpr (blocks_per_row > 1) {
                first += static_cast<long>(blockIdx.x) % blocks_per_row * groups;
            }
            if (row < num_rows && first < width) {
                add_padded_row<unroll, num_rhs, rhs_group>(
                    sum, values, col_idx, x, first * stride + row, shared_by * stride,
                    (width - first + shared_by - 1) / shared_by);
            }
            if constexpr (groups > 1) {
                __shared__ Value held[block * rhs_group];
                add_groups<block, groups, rhs_group>(sum, held, group);
            }
        }
        if (group == 0 && row < num_rows) {
            if constexpr (blocks_per_row == 1) {
                store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum,
                                                                                   alpha, beta);
            } else if constexpr (deterministic == 1) {
                const long place = static_cast<long>(blockIdx.x) * rows + local;
                copy_values<rhs_group>(parts + element_of<num_rhs, rhs_group>(place), sum);
            } else {
                atomic_add_row<alpha_mode, num_rhs, rhs_group>(y, row, sum, alpha);
            }
        }
    }
}

/// With several blocks a row: y = α(the sum of the blocks' parts) + βy, in the order of columns.
template <typename Value, typename Vector, scale alpha_mode, scale beta_mode, int num_rhs,
          int rhs_group, bool has_epilogue, int block, int groups, int blocks_per_row>
void ell_groups_sum(long num_rows, const Value* __restrict__ parts, Vector* __restrict__ y,
                    Vector alpha, Vector beta) {
    constexpr int rows = block / groups;
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        Value sum[rhs_group] = {};
        for (int part = 0; part < blocks_per_row; ++part) {
            const long place = (row / rows * blocks_per_row + part) * rows + row % rows;
            add_values<rhs_group>(sum, parts + element_of<num_rhs, rhs_group>(place));
        }
        store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                           beta);
    }
}

/// With several blocks a row and atomics: y = epilogue(y).
template <typename Vector, int num_rhs, int rhs_group, int block>
void ell_groups_finish(long num_rows, Vector* __restrict__ y) {
    finish_rows<num_rhs, rhs_group, block>(num_rows, y);
}
