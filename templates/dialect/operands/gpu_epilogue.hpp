// What a kernel does around its rows for an epilogue with operands: vectors are asked for early,
// and sums and maxima over all rows are joined: each thread has a part, the threads of a block join
// theirs in a tree, and then those of the blocks are joined in their order. So the same grid gives
// the same bits.
#pragma once
#include "dialect/gpu.hpp"

/// The most warps that a block has.
inline constexpr int most_warps = 32;

/// Has the block's share of a long vector brought to the cache that all blocks have, as if every
/// block had equally many rows, one after another. What is shorter is there since it was written.
template <typename Vector>
void prefetch_share(const Vector* vector, long num_rows) {
    constexpr long least_bytes = 6'000'000;
    if constexpr (prefetches_ranges) {
        if (threadIdx.x == 0 && num_rows * static_cast<long>(sizeof(Vector)) >= least_bytes) {
            const long share = (num_rows + gridDim.x - 1) / gridDim.x;
            const long begin = share * blockIdx.x;
            const long end = begin + share < num_rows ? begin + share : num_rows;
            if (begin < end) {
                prefetch_range(vector + begin,
                               static_cast<unsigned>((end - begin) * sizeof(Vector)));
            }
        }
    }
}

/// What joins to `number` without changing it.
template <bool maximum>
[[gnu::always_inline]] inline double neutral_part() {
    if constexpr (maximum) {
        return -0x1.fffffffffffffp+1023;
    } else {
        return 0.0;
    }
}

template <bool maximum>
[[gnu::always_inline]] inline double joined(double a, double b) {
    if constexpr (maximum) {
        return fmax(a, b);
    } else {
        return a + b;
    }
}

/// What the block's threads have, joined, in its first thread; of_warp is shared memory. All
/// threads take part.
template <bool maximum>
[[gnu::always_inline]] inline double joined_in_block(double part, double* of_warp) {
    for (int delta = warp_size / 2; delta > 0; delta /= 2) {
        part = joined<maximum>(part, shuffle_down<warp_size>(part, delta));
    }
    __syncthreads();  // what was joined before has been read
    if (threadIdx.x % warp_size == 0) {
        of_warp[threadIdx.x / warp_size] = part;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned warp = 1; warp < blockDim.x / warp_size; ++warp) {
            part = joined<maximum>(part, of_warp[warp]);
        }
    }
    return part;
}

/// What the thread's share of `count` parts comes to; the threads of the grid have all.
template <bool maximum>
[[gnu::always_inline]] inline double joined_share(const double* parts, unsigned count,
                                                  unsigned thread, unsigned threads) {
    constexpr int at_once = 4;
    double of_thread[at_once];
    for (int u = 0; u < at_once; ++u) {
        of_thread[u] = neutral_part<maximum>();
    }
    for (unsigned i = thread; i < count; i += at_once * threads) {
        for (int u = 0; u < at_once; ++u) {
            const unsigned place = i + static_cast<unsigned>(u) * threads;
            if (place < count) {
                of_thread[u] = joined<maximum>(of_thread[u], parts[place]);
            }
        }
    }
    for (int u = 1; u < at_once; ++u) {
        of_thread[0] = joined<maximum>(of_thread[0], of_thread[u]);
    }
    return of_thread[0];
}

/// Joins what the blocks of a small grid have of reduction `number` to *result, which the launches
/// before of the same apply have begun unless this is the `first`. `parts` has a number for each
/// block and reduction; ended[number] is 0 when the launch begins, and when it has ended.
template <bool maximum, typename Vector>
[[gnu::always_inline]] inline void join_blocks(double part, unsigned number, bool first,
                                               double* parts, unsigned* ended, Vector* result) {
    __shared__ double shared[most_warps + 1];  // the last element: whether the block is the last
    const double of_block = joined_in_block<maximum>(part, shared);
    double* const of_blocks = parts + number * gridDim.x;
    if (threadIdx.x == 0) {
        of_blocks[blockIdx.x] = of_block;
        __threadfence();
        shared[most_warps] = atomicAdd(ended + number, 1u) + 1 == gridDim.x ? 1.0 : 0.0;
    }
    __syncthreads();
    if (shared[most_warps] != 0.0) {
        __threadfence();
        const double of_thread =
            joined_share<maximum>(of_blocks, gridDim.x, threadIdx.x, blockDim.x);
        const double of_grid = joined_in_block<maximum>(of_thread, shared);
        if (threadIdx.x == 0) {
            *result = static_cast<Vector>(
                first ? of_grid : joined<maximum>(static_cast<double>(*result), of_grid));
            ended[number] = 0;
        }
    }
}

/// Joins the parts of a small grid, in the block that ends last; of a larger one, whose blocks would
/// be held up by counting, stores those of its warps, how many first.
template <bool maximum, typename Vector>
[[gnu::always_inline]] inline void finish_reduction(double part, unsigned number, bool first,
                                                    double* parts, unsigned* ended,
                                                    Vector* result) {
    await_launches_ahead();
    if (gridDim.x <= most_joining_blocks) {
        join_blocks<maximum>(part, number, first, parts, ended, result);
    } else {
        for (int delta = warp_size / 2; delta > 0; delta /= 2) {
            part = joined<maximum>(part, shuffle_down<warp_size>(part, delta));
        }
        const unsigned warps = blockDim.x / warp_size;
        if (threadIdx.x % warp_size == 0) {
            const unsigned warp = blockIdx.x * warps + threadIdx.x / warp_size;
            parts[1 + number * gridDim.x * warps + warp] = part;
            if (warp == 0) {
                parts[0] = gridDim.x * warps;
            }
        }
    }
}

template <typename Vector>
void finish_sum(double part, unsigned number, bool first, double* parts, unsigned* ended,
                Vector* result) {
    finish_reduction<false>(part, number, first, parts, ended, result);
}

template <typename Vector>
void finish_maximum(double part, unsigned number, bool first, double* parts, unsigned* ended,
                    Vector* result) {
    finish_reduction<true>(part, number, first, parts, ended, result);
}

/// Joins what finish_reduction has left to another launch, of few blocks, which have `block_parts`.
template <bool maximum, typename Vector>
[[gnu::always_inline]] inline void join_warps(unsigned number, bool first, const double* parts,
                                              double* block_parts, unsigned* ended,
                                              Vector* result) {
    await_launches_ahead();
    const unsigned count = static_cast<unsigned>(parts[0]);
    const double of_thread =
        joined_share<maximum>(parts + 1 + number * count, count,
                              blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
    join_blocks<maximum>(of_thread, number, first, block_parts, ended, result);
}

template <typename Vector>
void join_sum(unsigned number, bool first, const double* parts, double* block_parts,
              unsigned* ended, Vector* result) {
    join_warps<false>(number, first, parts, block_parts, ended, result);
}

template <typename Vector>
void join_maximum(unsigned number, bool first, const double* parts, double* block_parts,
                  unsigned* ended, Vector* result) {
    join_warps<true>(number, first, parts, block_parts, ended, result);
}
