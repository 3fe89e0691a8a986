// CSR along the merge path.
//
// What:       the product from compressed rows. The path that merges the rows' ends with the
//             entries is cut into tiles of equally many steps for the blocks and into equal runs
//             for their threads; so neither long rows nor many empty ones hold anybody up.
//             Products and sums of rows pass through shared memory; what a tile has of a row
//             that it does not end is added to y, atomically or by a last step in fixed order.
// Source:     Merrill & Garland, SC 2016.
// Parameters: block          threads of a block.
//             items          steps of a thread; odd numbers avoid bank conflicts in long rows.
//             deterministic  1: no atomics; the result depends on the tiles' size and nothing else.
// Work:       block · items steps for each block, whose first two warps search for where they begin
//             and end.
// Reads:      nnz·(storage + index) + rows·offset bytes of A, x once for each entry; writes y once,
//             reads it when β ≠ 0 and where a row is cut.
#pragma once
#include "dialect/gpu_segments.hpp"

/// α = 0: y = βy. Takes all of the kernel's parameters, since it is then the only step.
template <typename Vector, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int items, int deterministic>
void csr_merge_path_scaled(long num_rows, Vector* __restrict__ y, Vector beta) {
    store_scaled<beta_mode, num_rhs, rhs_group, has_epilogue, block>(num_rows, y, beta);
}

/// y = βy for the rows that are cut, before sums are added to them atomically: a warp for each
/// place where tiles meet.
template <typename Vector, typename Offset, scale beta_mode, int num_rhs, int rhs_group, int block,
          int items>
void csr_merge_path_cut(long num_rows, long path_steps, const Offset* __restrict__ row_ptr,
                        Vector* __restrict__ y, Vector beta) {
    constexpr int size = block * items;
    const long tile =
        static_cast<long>(blockIdx.x) * (block / warp_size) + threadIdx.x / warp_size + 1;
    const long step = tile * size;
    if (step < path_steps) {
        const long row = rows_ended(num_rows, row_ptr, step);
        if (threadIdx.x % warp_size == 0 && row < num_rows) {
            const long row_begin = row_ptr[row];
            if (row_begin < step - row && row + row_begin >= step - size) {
                scale_row<beta_mode, num_rhs, rhs_group>(y, row, beta);
            }
        }
    }
}

/// One thread's run of a tile's path: adds up products, stores the sum of each row that it ends in
/// row_sums, and leaves the sum of the row that is open in the end. `row` is the first row on the
/// way, then the open one.
template <int items, typename Value>
[[gnu::always_inline]] inline Value walk_path(const Value* products, const int* ends,
                                              Value* row_sums, int* row, int entry, int steps) {
    Value sum = {};
    int at = *row;
    int end = ends[at];
    for (int i = 0; i < items; ++i) {
        if (i < steps) {
            if (entry < end) {
                sum = add(sum, products[entry]);
                ++entry;
            } else {
                row_sums[at] = sum;
                sum = Value{};
                ++at;
                end = ends[at];
            }
        }
    }
    *row = at;
    return sum;
}

/// Adds what threads have left of rows to the sums of those rows; `row` is the thread's open row
/// and does not fall from thread to thread. Returns, in thread 0, the sum of row number `rows`,
/// which the tile does not end. All threads of the block take part.
template <int block, typename Value>
[[gnu::always_inline]] inline Value join_threads(Value* row_sums, int rows, int row, Value sum) {
    constexpr int warps = block / warp_size;
    __shared__ int open_row[warps];
    __shared__ Value open_sum[warps];
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    for (int delta = 1; delta < warp_size; delta *= 2) {
        const Value before = shuffle_up(sum, delta);
        const int row_before = shuffle_up(row, delta);
        if (lane >= delta && row_before == row) {
            sum = add(before, sum);
        }
    }
    const int next = shuffle_down(row, 1);
    warp_barrier();
    if (lane == warp_size - 1) {
        open_row[warp] = row;
        open_sum[warp] = sum;
    } else if (next != row) {
        row_sums[row] = add(sum, row_sums[row]);
    }
    __syncthreads();
    Value left = {};
    if (threadIdx.x == 0) {
        for (int w = 0; w < warps; ++w) {
            if (open_row[w] < rows) {
                row_sums[open_row[w]] = add(open_sum[w], row_sums[open_row[w]]);
            } else {
                left = add(left, open_sum[w]);
            }
        }
    }
    __syncthreads();
    return left;
}

/// y = αAx + βy, but for what is left of cut rows: deterministic, in carry_row (-1 = nothing) and
/// carry_sum for csr_merge_path_carry; else added to their y = βy.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int items, int deterministic>
void csr_merge_path(long num_rows, long path_steps, const Offset* __restrict__ row_ptr,
                    const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                    const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha, Vector beta,
                    long* __restrict__ carry_row, Value* __restrict__ carry_sum) {
    constexpr int size = block * items;
    __shared__ Value products[size];  // then, behind them, the sums of the rows
    __shared__ int ends[size + 1];
    __shared__ long bounds[2];
    const int thread = static_cast<int>(threadIdx.x);
    const long tile = blockIdx.x;
    const long first_step = tile * size;
    const long last_step = first_step + size < path_steps ? first_step + size : path_steps;
    if (thread < 2 * warp_size) {
        const long row = rows_ended(num_rows, row_ptr, thread < warp_size ? first_step : last_step);
        if (thread % warp_size == 0) {
            bounds[thread / warp_size] = row;
        }
    }
    __syncthreads();
    const long first_row = bounds[0];
    const long begin = first_step - first_row;
    const int rows = static_cast<int>(bounds[1] - first_row);
    const int count = static_cast<int>(last_step - first_step) - rows;
    Index col[items] = {};
    Storage value[items] = {};
    if (count > 0) {
        // Threads without an entry take the first: nothing to ask between the loads.
        for (int u = 0; u < items; ++u) {
            const int k = u * block + thread < count ? u * block + thread : 0;
            col[u] = load_stream(col_idx + begin + k);
            value[u] = load_stored(values + begin + k);
        }
    }
    // Whether the tile's first row was begun by another tile.
    const bool cut = thread == 0 && row_ptr[first_row] < begin;
    Value* row_sums = products + count;
    for (int rhs = 0; rhs < rhs_group; ++rhs) {
        Vector factor[items] = {};
        if (count > 0) {
            for (int u = 0; u < items; ++u) {
                factor[u] = x[element_of<num_rhs, rhs_group>(col[u]) + rhs];
            }
        }
        if (rhs == 0) {
            // While x is on its way.
            for (int i = thread; i < rows; i += block) {
                ends[i] = static_cast<int>(row_ptr[first_row + i + 1] - begin);
            }
            if (thread == 0) {
                ends[rows] = count;  // of the row that the tile does not end, as far as it goes
            }
        }
        for (int u = 0; u < items; ++u) {
            if (u * block + thread < count) {
                products[u * block + thread] =
                    multiply(widened<Value>(value[u]), converted<Value>(factor[u]));
            }
        }
        __syncthreads();
        const int path = rows + count;
        const int from = thread * items < path ? thread * items : path;
        int low = from > count ? from - count : 0;
        int high = from < rows ? from : rows;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (middle + ends[middle] < from) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        const Value open =
            walk_path<items>(products, ends, row_sums, &low, from - low, path - from);
        const Value left = join_threads<block>(row_sums, rows, low, open);
        if (thread == 0) {
            const bool has_left = count > (rows > 0 ? ends[rows - 1] : 0);
            if constexpr (deterministic == 1) {
                carry_row[tile] = has_left ? first_row + rows : -1;
                carry_sum[element_of<num_rhs, rhs_group>(tile) + rhs] = left;
            } else if (has_left) {
                atomic_add_scaled<alpha_mode>(
                    y + element_of<num_rhs, rhs_group>(first_row + rows) + rhs, left, alpha);
            }
        }
        for (int i = thread; i < rows; i += block) {
            const long row = first_row + i;
            const long at = element_of<num_rhs, rhs_group>(row) + rhs;
            if (i == 0 && cut) {
                if constexpr (deterministic == 1) {
                    store<alpha_mode, beta_mode, false>(y, at, row_sums[i], alpha, beta, row);
                } else {
                    atomic_add_scaled<alpha_mode>(y + at, row_sums[i], alpha);
                }
            } else {
                // What is added atomically has its epilogue when all is there.
                store<alpha_mode, beta_mode, has_epilogue && deterministic == 1>(y, at, row_sums[i],
                                                                                 alpha, beta, row);
            }
        }
        if constexpr (rhs_group > 1) {
            __syncthreads();
        }
    }
}

/// Adds to y what tiles have left of rows that others end.
template <typename Value, typename Vector, scale alpha_mode, int num_rhs, int rhs_group,
          bool has_epilogue, int block, int items>
void csr_merge_path_carry(long path_steps, const long* __restrict__ carry_row,
                          const Value* __restrict__ carry_sum, Vector* __restrict__ y,
                          Vector alpha) {
    constexpr int size = block * items;
    add_carries<alpha_mode, num_rhs, rhs_group, has_epilogue, block>(
        (path_steps + size - 1) / size, carry_row, carry_sum, y, alpha);
}

/// y = epilogue(y), after sums were added atomically.
template <typename Vector, int num_rhs, int rhs_group, int block>
void csr_merge_path_finish(long num_rows, Vector* __restrict__ y) {
    finish_rows<num_rhs, rhs_group, block>(num_rows, y);
}
