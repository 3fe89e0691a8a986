// Sums and maxima over all rows, which an epilogue asks for: each thread has a part, the threads of
// a block join theirs in a tree, and the block that ends last joins those of the blocks in their
// order. So the same grid gives the same bits.
#pragma once
#include "dialect/gpu.hpp"

/// The most warps that a block has.
inline constexpr int most_warps = 32;

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

/// What the block's threads have, joined; of_warp is shared memory. All threads take part.
template <bool maximum>
[[gnu::always_inline]] inline double joined_in_block(double part, double* of_warp) {
    const int warps = static_cast<int>(blockDim.x) / warp_size;
    for (int delta = warp_size / 2; delta > 0; delta /= 2) {
        part = joined<maximum>(part, shuffle_down<warp_size>(part, delta));
    }
    __syncthreads();  // what was joined before has been read
    if (threadIdx.x % warp_size == 0) {
        of_warp[threadIdx.x / warp_size] = part;
    }
    __syncthreads();
    double of_block = of_warp[0];
    for (int warp = 1; warp < warps; ++warp) {
        of_block = joined<maximum>(of_block, of_warp[warp]);
    }
    return of_block;
}

/// Joins the parts of all threads to *result, which the launches before of the same apply have
/// begun unless this is the `first`. `parts` has a number for each block; *ended is 0 when the
/// launch begins, and when it has ended.
template <bool maximum, typename Vector>
[[gnu::always_inline]] inline void finish_reduction(double part, bool first, double* parts,
                                                    unsigned* ended, Vector* result) {
    __shared__ double shared[most_warps + 1];  // the last element: whether the block is the last
    const double of_block = joined_in_block<maximum>(part, shared);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = of_block;
        __threadfence();
        shared[most_warps] = atomicAdd(ended, 1u) + 1 == gridDim.x ? 1.0 : 0.0;
    }
    __syncthreads();
    if (shared[most_warps] != 0.0) {
        __threadfence();
        double of_thread = neutral_part<maximum>();
        for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) {
            of_thread = joined<maximum>(of_thread, parts[i]);
        }
        const double of_grid = joined_in_block<maximum>(of_thread, shared);
        if (threadIdx.x == 0) {
            *ended = 0;
            *result = static_cast<Vector>(
                first ? of_grid : joined<maximum>(static_cast<double>(*result), of_grid));
        }
    }
}

template <typename Vector>
void finish_sum(double part, bool first, double* parts, unsigned* ended, Vector* result) {
    finish_reduction<false>(part, first, parts, ended, result);
}

template <typename Vector>
void finish_maximum(double part, bool first, double* parts, unsigned* ended, Vector* result) {
    finish_reduction<true>(part, first, parts, ended, result);
}
