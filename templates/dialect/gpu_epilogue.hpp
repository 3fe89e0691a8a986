// What a kernel does around its rows for an epilogue with operands: vectors are asked for early,
// and sums and maxima over all rows are joined: each thread has a part, the threads of a block join
// theirs in a tree, and then those of the blocks are joined in their order. So the same grid gives
// the same bits.
#pragma once
#include "dialect/gpu.hpp"

/// The most warps that a block has.
inline constexpr int most_warps = 32;

/// The most blocks whose parts the launch itself joins, in the block that ends last: of more, each
/// would be held up by counting, and a launch behind it does that.
inline constexpr unsigned most_joining_blocks = 512;

/// Has the block's share of a vector brought to the cache that all blocks have, as if every block
/// had equally many rows, one after another.
template <typename Vector>
void prefetch_share(const Vector* vector, long num_rows) {
    if constexpr (prefetches_ranges) {
        if (threadIdx.x == 0) {
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

/// The parts of `count` blocks, joined to *result, which the launches before of the same apply have
/// begun unless this is the `first`. All threads of one block take part.
template <bool maximum, typename Vector>
[[gnu::always_inline]] inline void join_parts(const double* parts, unsigned count, bool first,
                                              double* of_warp, Vector* result) {
    double of_thread = neutral_part<maximum>();
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        of_thread = joined<maximum>(of_thread, parts[i]);
    }
    const double of_grid = joined_in_block<maximum>(of_thread, of_warp);
    if (threadIdx.x == 0) {
        *result = static_cast<Vector>(
            first ? of_grid : joined<maximum>(static_cast<double>(*result), of_grid));
    }
}

/// Stores the block's part of reduction `number`, and joins the parts of a small grid. `parts` has
/// the number of blocks, then a number for each block and reduction; ended[number] is 0 when the
/// launch begins, and when it has ended.
template <bool maximum, typename Vector>
[[gnu::always_inline]] inline void finish_reduction(double part, unsigned number, bool first,
                                                    double* parts, unsigned* ended,
                                                    Vector* result) {
    __shared__ double shared[most_warps + 1];  // the last element: whether the block is the last
    const double of_block = joined_in_block<maximum>(part, shared);
    double* const of_blocks = parts + 1 + number * gridDim.x;
    await_launches_ahead();
    if (threadIdx.x == 0) {
        parts[0] = gridDim.x;
        of_blocks[blockIdx.x] = of_block;
    }
    if (gridDim.x <= most_joining_blocks) {
        if (threadIdx.x == 0) {
            __threadfence();
            shared[most_warps] = atomicAdd(ended + number, 1u) + 1 == gridDim.x ? 1.0 : 0.0;
        }
        __syncthreads();
        if (shared[most_warps] != 0.0) {
            __threadfence();
            join_parts<maximum>(of_blocks, gridDim.x, first, shared, result);
            if (threadIdx.x == 0) {
                ended[number] = 0;
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

/// What finish_sum has left to a launch of one block.
template <typename Vector>
void join_sum(unsigned number, bool first, const double* parts, Vector* result) {
    __shared__ double of_warp[most_warps];
    await_launches_ahead();
    const unsigned blocks = static_cast<unsigned>(parts[0]);
    join_parts<false>(parts + 1 + number * blocks, blocks, first, of_warp, result);
}

template <typename Vector>
void join_maximum(unsigned number, bool first, const double* parts, Vector* result) {
    __shared__ double of_warp[most_warps];
    await_launches_ahead();
    const unsigned blocks = static_cast<unsigned>(parts[0]);
    join_parts<true>(parts + 1 + number * blocks, blocks, first, of_warp, result);
}
