// HYB: ELL for the first entries of each row, COO for the others; two launches.
//
// What:       the first step takes the ELL part with a thread a row and writes y. In the second
//             step each warp takes a run of COO entries, lane after lane: lanes keep adding as
//             long as every lane's row stays the same, else a segmented sum by shuffles closes
//             the rows, and the first lane of each row adds to y.
// Source:     section 3.4 and Algorithms 1 and 4 of Tsai, Cojean & Anzt, Sparse Linear Algebra
//             on AMD and NVIDIA GPUs, ISC 2020.
// Parameters: block         128, 256, 512: threads of a block.
//             unroll        1, 2, 4, 8: ELL entries that a thread loads before it uses the first.
//             per_thread    4, 8, 16, 32, 64: COO entries a thread.
//             deterministic 0 = rows are added to y atomically; 1 = a warp adds its inner rows,
//             leaves its first and its last row, and another step adds these in order. partition
//             how the ELL width is decided when A is converted: 0 = limit (the quantile, at most
//             0.0001 entries for each row of A), 1 = quantile, 2 = minstorage, 3 = column_limit.
//             percent, columns: the quantile of 0 and 1, the limit of 3.
// Format:     col_idx and values as in ell_groups; coo_row, coo_col and coo_values hold the other
//             entries, sorted by row.
// Work:       `block` rows, then block · per_thread COO entries a block.
// Reads:      the ELL entries of each 32 rows up to their longest row, value + 2·index bytes a COO
//             entry, x once for each entry; writes y once and once more for each row with COO
//             entries; reads it when β ≠ 0 and for each row with COO entries.
#pragma once
#include "dialect/gpu_padded.hpp"
#include "dialect/gpu_segments.hpp"

/// y = αAx + βy for the ELL part.
template <typename Value, typename Vector, typename Storage, typename Index, scale alpha_mode,
          scale beta_mode, int num_rhs, int rhs_group, int block, int unroll>
void hyb_ell(long num_rows, long width, long stride, const Index* __restrict__ col_idx,
             const Storage* __restrict__ values, const Vector* __restrict__ x,
             Vector* __restrict__ y, Vector alpha, Vector beta) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        Value sum[rhs_group] = {};
        if constexpr (alpha_mode != scale::zero) {
            add_padded_row<unroll, num_rhs, rhs_group>(sum, values, col_idx, x, row, stride, width);
        }
        store_row<alpha_mode, beta_mode, num_rhs, rhs_group, false>(y, row, sum, alpha, beta);
    }
}

/// y += αAx for the rows that end in a warp's lanes. Deterministically, the sums of the first and
/// the last row of the warp's run are left in carry_sum instead.
template <scale alpha_mode, int num_rhs, int rhs_group, int deterministic, typename Value,
          typename Vector, typename Index>
[[gnu::always_inline]] inline void close_hyb_rows(Value* part, Index row, Index head, Index foot,
                                                  Value* carry_sum, Vector* y, Vector alpha) {
    if (add_segments<rhs_group>(part, row)) {
        if constexpr (deterministic == 0) {
            atomic_add_row<alpha_mode, num_rhs, rhs_group>(y, row, part, alpha);
        } else if (row == head) {
            add_values<rhs_group>(carry_sum, part);
        } else if (row == foot) {
            add_values<rhs_group>(carry_sum + num_rhs, part);
        } else {
            store_row<alpha_mode, scale::one, num_rhs, rhs_group, false>(y, row, part, alpha,
                                                                         alpha);
        }
    }
    clear<rhs_group>(part);
}

/// y += αAx for the COO part.
template <typename Value, typename Vector, typename Storage, typename Index, scale alpha_mode,
          int num_rhs, int rhs_group, int block, int per_thread, int deterministic>
void hyb_coo(long coo_nnz, const Index* __restrict__ coo_row, const Index* __restrict__ coo_col,
             const Storage* __restrict__ coo_values, const Vector* __restrict__ x, Vector* y,
             long* __restrict__ carry_row, Value* carry_sum, Vector alpha) {
    constexpr int run = per_thread * warp_size;
    const long warp = (static_cast<long>(blockIdx.x) * block + threadIdx.x) / warp_size;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const long from = warp * run;
    const int count = from + run < coo_nnz ? run : static_cast<int>(coo_nnz - from);
    if (from < coo_nnz) {
        const Index head = coo_row[from];
        const Index foot = coo_row[from + count - 1];
        Value* carry = nullptr;
        if constexpr (deterministic == 1) {
            carry = carry_sum + element_of<num_rhs, rhs_group>(2 * warp);
            if (lane == 0) {
                carry_row[2 * warp] = head;
                carry_row[2 * warp + 1] = foot;
                clear<rhs_group>(carry);
                clear<rhs_group>(carry + num_rhs);
            }
            warp_barrier();
        }
        Index current = head;
        Value part[rhs_group] = {};
        for (int first = 0; first < count; first += warp_size) {
            Index next = foot;
            Value product[rhs_group] = {};
            if (first + lane < count) {
                const long entry = from + first + lane;
                next = load_stream(coo_row + entry);
                add_entry<num_rhs, rhs_group>(product, coo_values + entry, coo_col + entry, x);
            }
            if (first > 0 && any_lane(next != current)) {
                close_hyb_rows<alpha_mode, num_rhs, rhs_group, deterministic>(
                    part, current, head, foot, carry, y, alpha);
                if constexpr (deterministic == 1) {
                    warp_barrier();
                }
            }
            current = next;
            add_values<rhs_group>(part, product);
        }
        close_hyb_rows<alpha_mode, num_rhs, rhs_group, deterministic>(part, current, head, foot,
                                                                      carry, y, alpha);
    }
}

/// y += α(what the warps left of their first and last rows).
template <typename Value, typename Vector, scale alpha_mode, int num_rhs, int rhs_group, int block,
          int per_thread>
void hyb_carry(long coo_nnz, const long* __restrict__ carry_row,
               const Value* __restrict__ carry_sum, Vector* __restrict__ y, Vector alpha) {
    constexpr int run = per_thread * warp_size;
    add_carries<alpha_mode, num_rhs, rhs_group, false, block>(2 * ((coo_nnz + run - 1) / run),
                                                              carry_row, carry_sum, y, alpha);
}

/// y = epilogue(y).
template <typename Vector, int num_rhs, int rhs_group, int block>
void hyb_finish(long num_rows, Vector* __restrict__ y) {
    finish_rows<num_rhs, rhs_group, block>(num_rows, y);
}
