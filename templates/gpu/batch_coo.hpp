// A batch of COO matrices, sorted by row, one block a system.
//
// What:       y = αAx + βy for many small systems, each with sizes and a pattern of its own, in one
//             launch. A block copies its system's x to shared memory. Each of its warps takes an
//             equal run of the system's entries, chunk by chunk: the products pass through shared
//             memory, each lane walks some of them and a segmented scan joins the lanes. Rows that
//             are cut between warps are joined at the end, in a fixed order. A block owns its
//             system, so there are no atomics, and the result is deterministic. Good for uneven
//             rows.
// Source:     Anzt, Collins, Dongarra, Flegar & Quintana-Ortí, Flexible Batched Sparse
//             Matrix-Vector Product on GPUs, ScalA 2017; Flegar & Anzt, IA3 2017.
// Parameters: block     64, 128, 256: threads of a block.
//             entries   4, 8: entries of a lane in a chunk, all under way at a time.
//             shared_x  elements of x that shared memory holds; a system with more columns reads x
//                       from global memory. 0 = all do.
// Format:     `systems` has 8 numbers for each system (see batch_system). row_idx and col_idx count
//             within the system.
// Work:       a block has one system, a warp an equal run of whole chunks of warp·entries entries.
// Reads:      nnz·(storage + 2·index) bytes of A, 8·offset bytes for each system, x once; writes y
//             once, reads it when β ≠ 0.
#pragma once
#include "dialect/batches/gpu_batch.hpp"
#include "dialect/gpu_segments.hpp"

/// y = αAx + βy for the rows that the warp ends and the empty rows behind each, for the warp's
/// entries first … end-1 of the system's `count`. row_idx, col_idx and values point to the system's
/// first entry, x to its part of x, y to the whole of y. products, heads and the following are the
/// warp's own shared memory. cut_row[0] and cut_sum[0] get the row that another warp has begun and
/// this one ends, cut_row[1] and cut_sum[1] the row that is open behind the last entry (-1 = none).
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int entries, typename Value,
          typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_run(const Index* row_idx, const Index* col_idx,
                                                const Storage* values, const Vector* x, Vector* y,
                                                long first_row, long first, long end, long count,
                                                Value* products, int* heads, long* cut_row,
                                                Value* cut_sum, Vector alpha, Vector beta) {
    constexpr int size = warp_size * entries;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    // A warp may have no entries, and then begin behind the last.
    const Index begun = first > 0 && first < end ? row_idx[first - 1] : static_cast<Index>(-1);
    Index open_row = -1;
    if (lane == 0) {
        cut_row[0] = -1;
        cut_sum[1] = Value{};
    }
    for (long chunk = first; chunk < end; chunk += size) {
        const int left = end - chunk < size ? static_cast<int>(end - chunk) : size;
        Index row[entries];
        Index col[entries];
        Storage value[entries];
        for (int u = 0; u < entries; ++u) {
            const int k = u * warp_size + lane;
            row[u] = k < left ? load_stream(row_idx + chunk + k) : static_cast<Index>(-1);
        }
        load_chunk<entries>(col, value, col_idx + chunk, values + chunk, left);
        const Index next_row =
            chunk + size < count ? row_idx[chunk + size] : static_cast<Index>(-1);
        heads[lane] = 0;
        warp_barrier();
        // What comes behind the last entry makes a segment of its own, which nobody looks at.
        for (int u = 0; u < entries; ++u) {
            products[place_of<entries>(u * warp_size + lane)] =
                multiply(widened<Value>(value[u]), converted<Value>(x[col[u]]));
        }
        // A segment begins behind each one that ends; there is none behind the chunk.
        int tails = 0;
        for (int u = 0; u < entries; ++u) {
            const int k = u * warp_size + lane;
            Index next = shuffle_down(row[u], 1);
            const Index next_strip =
                u + 1 < entries ? shuffle(row[(u + 1) % entries], 0) : next_row;
            next = lane == warp_size - 1 ? next_strip : next;
            if (next != row[u]) {
                tails |= k < left ? 1 << u : 0;
                if (k < size - 1) {
                    mark_segment<entries>(heads, k + 1);
                }
                if (k < left) {
                    store_empty_rows<beta_mode, has_epilogue, 1>(
                        y, first_row, static_cast<long>(row[u]) + 1, next, beta);
                }
            }
        }
        const Index last_row = shuffle(row[entries - 1], warp_size - 1);
        open_row = last_row == next_row ? last_row : static_cast<Index>(-1);
        warp_barrier();
        sum_segments<entries>(products, heads[lane], cut_sum[1]);
        for (int u = 0; u < entries; ++u) {
            if (((tails >> u) & 1) != 0) {
                const Value sum = products[place_of<entries>(u * warp_size + lane)];
                if (row[u] == begun) {
                    cut_row[0] = row[u];
                    cut_sum[0] = sum;
                } else {
                    store<alpha_mode, beta_mode, has_epilogue>(y, first_row + row[u], sum, alpha,
                                                               beta, first_row + row[u]);
                }
            }
        }
        if (lane == 0) {
            cut_sum[1] = open_row >= 0 ? products[place_of<entries>(size - 1)] : Value{};
        }
        warp_barrier();
    }
    if (lane == 0) {
        cut_row[1] = open_row;
    }
}

/// y = αAx + βy for one system of the batch; x points to its part.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int block, int entries,
          typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_system(const Index* row_idx, const Index* col_idx,
                                                   const Storage* values, const Vector* x,
                                                   Vector* y, long first_row, long rows, long count,
                                                   Value* products, int* heads, long* cut_row,
                                                   Value* cut_sum, Vector alpha, Vector beta) {
    constexpr int size = warp_size * entries;
    constexpr int warps = block / warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    const long run = (count + warps * size - 1) / (warps * size) * size;
    const long first = warp * run;
    const long end = first + run < count ? first + run : count;
    multiply_run<alpha_mode, beta_mode, has_epilogue, entries>(
        row_idx, col_idx, values, x, y, first_row, first, end, count,
        products + warp * warp_size * (entries + 1), heads + warp * warp_size, cut_row + 2 * warp,
        cut_sum + 2 * warp, alpha, beta);
    store_empty_rows<beta_mode, has_epilogue, block>(
        y, first_row, threadIdx.x, count > 0 ? static_cast<long>(row_idx[0]) : rows, beta);
    if (count > 0) {
        store_empty_rows<beta_mode, has_epilogue, block>(
            y, first_row, row_idx[count - 1] + 1 + static_cast<long>(threadIdx.x), rows, beta);
    }
    __syncthreads();
    // The warp in which a cut row ends is the one with the row's end; warps before it hold the
    // rest.
    const int thread = static_cast<int>(threadIdx.x);
    if (thread < warps && cut_row[2 * thread] >= 0) {
        const long row = cut_row[2 * thread];
        int other = thread;
        while (other > 0 && cut_row[2 * other - 1] == row) {
            --other;
        }
        Value sum = {};
        for (; other < thread; ++other) {
            sum = add(sum, cut_sum[2 * other + 1]);
        }
        store<alpha_mode, beta_mode, has_epilogue>(
            y, first_row + row, add(sum, cut_sum[2 * thread]), alpha, beta, first_row + row);
    }
}

/// y = αAx + βy for each system of the batch.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int block, int entries,
          int shared_x>
void batch_coo(long num_systems, const Offset* __restrict__ systems,
               const Index* __restrict__ row_idx, const Index* __restrict__ col_idx,
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
        __shared__ Value products[block * (entries + 1)];
        __shared__ int heads[block];
        __shared__ long cut_row[2 * (block / warp_size)];
        __shared__ Value cut_sum[2 * (block / warp_size)];
        const Index* rows = row_idx + system.first_entry;
        const Index* columns = col_idx + system.first_entry;
        const Storage* entry = values + system.first_value;
        const Vector* own_x = x + system.first_col;
        if constexpr (shared_x > 0) {
            __shared__ Vector near_x[shared_x];
            if (system.cols <= shared_x) {
                share_x<block>(near_x, own_x, system.cols);
                multiply_system<alpha_mode, beta_mode, has_epilogue, block, entries>(
                    rows, columns, entry, near_x, y, system.first_row, system.rows, system.count,
                    products, heads, cut_row, cut_sum, alpha, beta);
                return;
            }
        }
        multiply_system<alpha_mode, beta_mode, has_epilogue, block, entries>(
            rows, columns, entry, own_x, y, system.first_row, system.rows, system.count, products,
            heads, cut_row, cut_sum, alpha, beta);
    }
}
