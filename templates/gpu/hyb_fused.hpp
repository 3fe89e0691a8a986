// HYB in one launch: a block takes its rows' ELL part and the COO entries of just these rows.
//
// What:       a thread takes a row of the ELL part. The COO entries of the block's rows are shared
//             out equally among its warps, which add them row by row: lanes keep adding as long as
//             every lane's row stays the same, else a segmented sum by shuffles closes the rows.
//             Sums meet in shared memory; a row that is cut between warps is put together in their
//             order. No atomics, y is written once. Good as long as no block has far more COO
//             entries than the others.
// Source:     the split is that of section 3.4, the segmented sum that of Algorithm 1 of Tsai,
//             Cojean & Anzt, Sparse Linear Algebra on AMD and NVIDIA GPUs, ISC 2020; they take two
//             launches and atomics.
// Parameters: block  128, 256, 512: threads of a block, and its rows.
//             unroll 1, 2, 4, 8: entries that a thread loads before it uses the first.
//             partition, percent, columns: how the ELL width is decided when A is converted, see
//             hyb.
// Format:     as for hyb; coo_ptr tells where the COO entries of each block's rows begin.
// Work:       `block` rows a block, with all their entries.
// Reads:      the ELL entries of each 32 rows up to their longest row, value + 2·index bytes a COO
//             entry, x once for each entry; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_padded.hpp"

/// Adds the lanes' parts of each row, and these to what is held for it: `ends` has the sums of the
/// first and the last row of the warp's share, `tail` those of the rows between.
template <int rhs_group, typename Value>
[[gnu::always_inline]] inline void close_rows(Value* part, int row, int head, int foot, Value* ends,
                                              Value* tail) {
    if (add_segments<rhs_group>(part, row)) {
        Value* target = row == head   ? ends
                        : row == foot ? ends + rhs_group
                                      : tail + row * rhs_group;
        add_values<rhs_group>(target, part);
    }
    clear<rhs_group>(part);
}

/// y = αAx + βy.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int unroll>
void hyb_fused(long num_rows, long width, long stride, const Index* __restrict__ col_idx,
               const Storage* __restrict__ values, const Offset* __restrict__ coo_ptr,
               const Index* __restrict__ coo_row, const Index* __restrict__ coo_col,
               const Storage* __restrict__ coo_values, const Vector* __restrict__ x,
               Vector* __restrict__ y, Vector alpha, Vector beta) {
    const long first_row = static_cast<long>(blockIdx.x) * block;
    const long row = first_row + threadIdx.x;
    Value sum[rhs_group] = {};
    if constexpr (alpha_mode != scale::zero) {
        constexpr int warps = block / warp_size;
        __shared__ Value tail[block * rhs_group];
        __shared__ int end_row[2 * warps];
        __shared__ Value end_sum[2 * warps * rhs_group];
        const int warp = static_cast<int>(threadIdx.x) / warp_size;
        const int lane = static_cast<int>(threadIdx.x) % warp_size;

        const long begin = first_row < num_rows ? coo_ptr[blockIdx.x] : 0;
        const long end = first_row < num_rows ? coo_ptr[blockIdx.x + 1] : 0;
        const long share = (end - begin + block - 1) / block * warp_size;
        const long from = begin + warp * share < end ? begin + warp * share : end;
        const long to = from + share < end ? from + share : end;
        if (row < num_rows) {
            add_padded_row<unroll, num_rhs, rhs_group>(sum, values, col_idx, x, row, stride, width);
        }

        clear<rhs_group>(tail + threadIdx.x * rhs_group);
        if (lane < 2) {
            // Of a share without entries, or within one row, not all ends are used.
            clear<rhs_group>(end_sum + (2 * warp + lane) * rhs_group);
            end_row[2 * warp + lane] = -1;
        }
        __syncthreads();
        if (from < to) {
            const int head = static_cast<int>(coo_row[from] - first_row);
            const int foot = static_cast<int>(coo_row[to - 1] - first_row);
            Value* ends = end_sum + 2 * warp * rhs_group;
            if (lane == 0) {
                end_row[2 * warp] = head;
                end_row[2 * warp + 1] = foot == head ? -1 : foot;
            }
            int current = head;
            Value part[rhs_group] = {};
            for (long first = from; first < to; first += warp_size) {
                const long entry = first + lane;
                int next = foot;
                Value product[rhs_group] = {};
                if (entry < to) {
                    next = static_cast<int>(coo_row[entry] - first_row);
                    add_entry<num_rhs, rhs_group>(product, coo_values + entry, coo_col + entry, x);
                }
                if (first > from && any_lane(next != current)) {
                    close_rows<rhs_group>(part, current, head, foot, ends, tail);
                    warp_barrier();
                }
                current = next;
                add_values<rhs_group>(part, product);
            }
            close_rows<rhs_group>(part, current, head, foot, ends, tail);
        }
        __syncthreads();
        add_values<rhs_group>(sum, tail + threadIdx.x * rhs_group);
        if (begin < end) {
            for (int i = 0; i < 2 * warps; ++i) {
                if (end_row[i] == static_cast<int>(threadIdx.x)) {
                    add_values<rhs_group>(sum, end_sum + i * rhs_group);
                }
            }
        }
    }
    if (row < num_rows) {
        store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                           beta);
    }
}
