// COO, sorted by row, balanced by entries.
//
// What:       the product from (row, column, value) triplets that are sorted by row. Every warp
//             takes a run of equally many entries, chunk by chunk: the products pass through
//             shared memory, each lane walks some of them and a segmented scan joins the lanes.
//             One store for each row of the run; only rows that another warp has a part of are
//             added to y atomically, or by a last step in fixed order.
// Source:     Algorithm 1 of Tsai, Cojean & Anzt, ISC 2020; Flegar & Anzt, IA3 2017.
// Parameters: block          threads of a block.
//             entries        4, 8: entries of a lane in a chunk, all under way at a time.
//             omega          oversubscription: threads that are started at most, as a multiple of
//                            those that fit on the device. Fewer threads take longer runs each.
//             deterministic  1: no atomics; the result depends on the runs' length, thus on the
//                            device's size, and nothing else.
// Work:       the launch decides the number of warps; each has the same number of chunks.
// Reads:      nnz·(storage + 2·index) bytes of A, x once for each entry; writes y twice, reads it
//             once, and once more when β ≠ 0.
#pragma once
#include "dialect/gpu_segments.hpp"

/// y = βy, for all rows: not every row has entries. With α = 0 there is no other step, so that this
/// one takes all of the kernel's parameters.
template <typename Vector, scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group,
          bool has_epilogue, int block, int entries, int deterministic>
void coo_scale(long num_rows, Vector* __restrict__ y, Vector beta) {
    store_scaled<beta_mode, num_rhs, rhs_group, has_epilogue && alpha_mode == scale::zero, block>(
        num_rows, y, beta);
}

/// y += αAx, but for what is left of cut rows: deterministic, in carry_row (-1 = nothing) and
/// carry_sum for coo_carry. Where β = 0, y holds zeros and is not read.
template <typename Value, typename Vector, typename Storage, typename Index, scale alpha_mode,
          scale beta_mode, int num_rhs, int rhs_group, int block, int entries, int deterministic>
void coo(long nnz, const Index* __restrict__ row_idx, const Index* __restrict__ col_idx,
         const Storage* __restrict__ values, const Vector* __restrict__ x, Vector* __restrict__ y,
         Vector alpha, long* __restrict__ carry_row, Value* __restrict__ carry_sum) {
    constexpr int size = warp_size * entries;
    constexpr int warps = block / warp_size;
    constexpr scale rest_mode = beta_mode == scale::zero ? scale::zero : scale::one;
    __shared__ Value all_products[block * (entries + 1)];
    __shared__ int all_heads[block];
    __shared__ Value all_carries[warps * rhs_group];
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    Value* products =
        all_products + threadIdx.x / warp_size * static_cast<unsigned>(warp_size * (entries + 1));
    int* heads = all_heads + (threadIdx.x - lane);
    Value* carries = all_carries + threadIdx.x / warp_size * static_cast<unsigned>(rhs_group);
    const long warp = static_cast<long>(blockIdx.x) * warps + threadIdx.x / warp_size;
    // Chunks are counted in 32 bits: more would hold terabytes.
    const unsigned all_warps = gridDim.x * warps;
    const unsigned chunks = static_cast<unsigned>((nnz + size - 1) / size);
    const long length = static_cast<long>((chunks + all_warps - 1) / all_warps) * size;
    const long begin = warp * length;
    const long end = begin + length < nnz ? begin + length : nnz;
    if constexpr (deterministic == 1) {
        if (lane == 0) {
            carry_row[warp] = -1;
        }
    }
    if (begin >= end) {
        return;
    }
    // The row that another warp has begun, and the row that is open between chunks.
    const Index cut_row = begin > 0 ? row_idx[begin - 1] : static_cast<Index>(-1);
    Index open_row = -1;
    if (lane == 0) {
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            carries[rhs] = Value{};
        }
    }
    for (long chunk = begin; chunk < end; chunk += size) {
        const int count = end - chunk < size ? static_cast<int>(end - chunk) : size;
        Index row[entries];
        Index col[entries];
        Storage value[entries];
        for (int u = 0; u < entries; ++u) {
            const int k = u * warp_size + lane;
            row[u] = k < count ? load_stream(row_idx + chunk + k) : static_cast<Index>(-1);
        }
        load_chunk<entries>(col, value, col_idx + chunk, values + chunk, count);
        const Index next_row = chunk + size < nnz ? row_idx[chunk + size] : static_cast<Index>(-1);
        heads[lane] = 0;
        warp_barrier();
        // A segment begins behind each one that ends; there is none behind the chunk.
        int tails = 0;
        for (int u = 0; u < entries; ++u) {
            const int k = u * warp_size + lane;
            Index next = shuffle_down(row[u], 1);
            const Index next_strip =
                u + 1 < entries ? shuffle(row[(u + 1) % entries], 0) : next_row;
            next = lane == warp_size - 1 ? next_strip : next;
            if (next != row[u]) {
                tails |= k < count ? 1 << u : 0;
                if (k < size - 1) {
                    mark_segment<entries>(heads, k + 1);
                }
            }
        }
        const Index last_row = shuffle(row[entries - 1], warp_size - 1);
        open_row = last_row == next_row ? last_row : static_cast<Index>(-1);
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            // What comes behind the last entry makes a segment of its own, which nobody looks at.
            Vector factor[entries];
            for (int u = 0; u < entries; ++u) {
                factor[u] = x[element_of<num_rhs, rhs_group>(col[u]) + rhs];
            }
            for (int u = 0; u < entries; ++u) {
                products[place_of<entries>(u * warp_size + lane)] =
                    multiply(widened<Value>(value[u]), converted<Value>(factor[u]));
            }
            warp_barrier();
            sum_segments<entries>(products, heads[lane], carries[rhs]);
            for (int u = 0; u < entries; ++u) {
                if (((tails >> u) & 1) != 0) {
                    const Value sum = products[place_of<entries>(u * warp_size + lane)];
                    const long i = element_of<num_rhs, rhs_group>(row[u]) + rhs;
                    if (deterministic == 0 && row[u] == cut_row) {
                        atomic_add_scaled<alpha_mode>(y + i, sum, alpha);
                    } else {
                        store<alpha_mode, rest_mode, false>(y, i, sum, alpha, alpha, row[u]);
                    }
                }
            }
            if (lane == 0) {
                carries[rhs] = open_row >= 0 ? products[place_of<entries>(size - 1)] : Value{};
            }
            warp_barrier();
        }
    }
    if (lane == 0 && open_row >= 0) {
        if constexpr (deterministic == 1) {
            carry_row[warp] = open_row;
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                carry_sum[element_of<num_rhs, rhs_group>(warp) + rhs] = carries[rhs];
            }
        } else {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                atomic_add_scaled<alpha_mode>(y + element_of<num_rhs, rhs_group>(open_row) + rhs,
                                              carries[rhs], alpha);
            }
        }
    }
}

/// Adds to y what warps have left of rows that others end. Launched with as many blocks as coo.
template <typename Value, typename Vector, scale alpha_mode, int num_rhs, int rhs_group, int block>
void coo_carry(const long* __restrict__ carry_row, const Value* __restrict__ carry_sum,
               Vector* __restrict__ y, Vector alpha) {
    const long count = static_cast<long>(gridDim.x) * (block / warp_size);
    if (static_cast<long>(blockIdx.x) * block < count) {
        add_carries<alpha_mode, num_rhs, rhs_group, false, block>(count, carry_row, carry_sum, y,
                                                                  alpha);
    }
}

/// y = epilogue(y).
template <typename Vector, int num_rhs, int rhs_group, int block>
void coo_finish(long num_rows, Vector* __restrict__ y) {
    finish_rows<num_rhs, rhs_group, block>(num_rows, y);
}
