// CSR, balanced by entries.
//
// What:       the product from compressed rows, cut into chunks of equally many entries wherever
//             rows begin. A warp puts its chunk's products into shared memory; each lane walks a
//             run of them and a segmented scan joins the lanes, so that no row, however long, holds
//             anybody up. Rows that lie in one chunk are stored; what a chunk has of a row that is
//             cut is added to y, atomically or by a last step in fixed order.
// Source:     CSRI: Flegar & Anzt, IA3 2017; Tsai, Cojean & Anzt, ISC 2020. Segmented sums:
//             Blelloch, Heroux & Zagha, CMU-CS-93-173.
// Parameters: block          threads of a block.
//             entries        4, 8: entries of a lane; a chunk is a warp's.
//             deterministic  1: no atomics; the result depends on the chunks' size and nothing
//             else.
// Work:       a chunk for each warp. warp_row says where its rows begin: warp_row[0] = 0, then the
//             row that holds the chunk's first entry, at last num_rows.
// Reads:      nnz·(storage + index) + rows·offset bytes of A, x once for each entry; writes y once,
//             reads it when β ≠ 0 and where a row is cut.
#pragma once
#include "dialect/gpu_segments.hpp"

/// α = 0: y = βy. Takes all of the kernel's parameters, since it is then the only step.
template <typename Vector, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int entries, int deterministic>
void csr_load_balance_scaled(long num_rows, Vector* __restrict__ y, Vector beta) {
    store_scaled<beta_mode, num_rhs, rhs_group, has_epilogue, block>(num_rows, y, beta);
}

/// y = βy for the rows that are cut, before sums are added to them atomically: a thread for each
/// place where chunks meet.
template <typename Vector, typename Offset, typename Index, scale beta_mode, int num_rhs,
          int rhs_group, int block, int entries>
void csr_load_balance_cut(long nnz, const Offset* __restrict__ row_ptr,
                          const Index* __restrict__ warp_row, Vector* __restrict__ y, Vector beta) {
    constexpr int size = warp_size * entries;
    const long chunk = static_cast<long>(blockIdx.x) * block + threadIdx.x + 1;
    const long begin = chunk * size;
    long row = 0;
    long row_begin = begin;
    if (begin < nnz) {
        row = warp_row[chunk];
        row_begin = row_ptr[row];
    }
    await_launches_ahead();
    if (row_begin < begin && row_begin >= begin - size) {
        scale_row<beta_mode, num_rhs, rhs_group>(y, row, beta);
    }
}

/// y = αAx + βy, but for what is left of cut rows: deterministic, in carry_row (-1 = nothing) and
/// carry_sum for csr_load_balance_carry; else added to their y = βy.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int entries, int deterministic>
void csr_load_balance(long num_rows, long nnz, const Offset* __restrict__ row_ptr,
                      const Index* __restrict__ warp_row, const Index* __restrict__ col_idx,
                      const Storage* __restrict__ values, const Vector* __restrict__ x,
                      Vector* __restrict__ y, Vector alpha, Vector beta,
                      long* __restrict__ carry_row, Value* __restrict__ carry_sum) {
    constexpr int size = warp_size * entries;
    __shared__ Value all_products[block * (entries + 1)];
    __shared__ int all_heads[block];
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    Value* products = all_products + warp * (warp_size * (entries + 1));
    int* heads = all_heads + warp * warp_size;
    const long chunk = static_cast<long>(blockIdx.x) * (block / warp_size) + warp;
    const long begin = chunk * size;
    await_launches_ahead();
    if constexpr (deterministic == 1) {
        if (lane == 0) {
            carry_row[chunk] = -1;
        }
    }
    // Where there are no entries at all, the first chunk has all rows.
    if (begin >= nnz && chunk > 0) {
        return;
    }
    const int count = nnz - begin < size ? static_cast<int>(nnz - begin) : size;
    const long first = warp_row[chunk];
    const long last = warp_row[chunk + 1];
    Index col[entries];
    Storage value[entries];
    load_chunk<entries>(col, value, col_idx + begin, values + begin, count);
    heads[lane] = 0;
    warp_barrier();
    for (int rhs = 0; rhs < rhs_group; ++rhs) {
        Vector factor[entries] = {};
        // What comes behind the last entry makes a segment of its own, which nobody looks at.
        if (count > 0) {
            for (int u = 0; u < entries; ++u) {
                factor[u] = x[element_of<num_rhs, rhs_group>(col[u]) + rhs];
            }
        }
        if (rhs == 0) {
            // While x is on its way.
            for (long row = first + lane; row < last; row += warp_size) {
                const Offset end = row_ptr[row + 1];
                if (end > row_ptr[row] && end - begin < size) {
                    mark_segment<entries>(heads, static_cast<int>(end - begin));
                }
            }
        }
        for (int u = 0; u < entries; ++u) {
            products[place_of<entries>(u * warp_size + lane)] =
                multiply(widened<Value>(value[u]), converted<Value>(factor[u]));
        }
        warp_barrier();
        sum_segments<entries>(products, heads[lane], Value{});
        for (long row = first + lane; row < last; row += warp_size) {
            const Offset row_begin = row_ptr[row];
            const Offset end = row_ptr[row + 1];
            const Value sum = end > row_begin
                                  ? products[place_of<entries>(static_cast<int>(end - 1 - begin))]
                                  : Value{};
            const long i = element_of<num_rhs, rhs_group>(row) + rhs;
            if (row_begin < begin) {
                if constexpr (deterministic == 1) {
                    store<alpha_mode, beta_mode, false>(y, i, sum, alpha, beta, row);
                } else {
                    atomic_add_scaled<alpha_mode>(y + i, sum, alpha);
                }
            } else {
                // What is added atomically has its epilogue when all is there.
                store<alpha_mode, beta_mode, has_epilogue && deterministic == 1>(y, i, sum, alpha,
                                                                                 beta, row);
            }
        }
        if (lane == 0 && last < num_rows && row_ptr[last] < begin + size) {
            const Value sum = products[place_of<entries>(size - 1)];
            if constexpr (deterministic == 1) {
                carry_row[chunk] = last;
                carry_sum[element_of<num_rhs, rhs_group>(chunk) + rhs] = sum;
            } else {
                atomic_add_scaled<alpha_mode>(y + element_of<num_rhs, rhs_group>(last) + rhs, sum,
                                              alpha);
            }
        }
        if constexpr (rhs_group > 1) {
            warp_barrier();
        }
    }
}

/// Adds to y what chunks have left of rows that others end.
template <typename Value, typename Vector, scale alpha_mode, int num_rhs, int rhs_group,
          bool has_epilogue, int block, int entries>
void csr_load_balance_carry(long nnz, const long* __restrict__ carry_row,
                            const Value* __restrict__ carry_sum, Vector* __restrict__ y,
                            Vector alpha) {
    constexpr int size = warp_size * entries;
    add_carries<alpha_mode, num_rhs, rhs_group, has_epilogue, block>(
        (nnz + size - 1) / size, carry_row, carry_sum, y, alpha);
}

/// y = epilogue(y), after sums were added atomically.
template <typename Vector, int num_rhs, int rhs_group, int block>
void csr_load_balance_finish(long num_rows, Vector* __restrict__ y) {
    finish_rows<num_rhs, rhs_group, block>(num_rows, y);
}
