// What the GPU kernels of batches share.
#pragma once
#include "dialect/batches/batch.hpp"
#include "dialect/gpu.hpp"

/// Rows of a system in ELL are stored in such numbers: what a memory transaction of f32 has.
constexpr int ell_rows = 8;

/// Copies a system's x to shared memory. All threads of the block take part; afterwards all see it.
template <int block, typename Vector>
[[gnu::always_inline]] inline void share_x(Vector* shared, const Vector* x, long cols) {
    for (long i = threadIdx.x; i < cols; i += block) {
        shared[i] = x[i];
    }
    __syncthreads();
}

/// y = epilogue(α·0 + βy) for a system's rows first … end-1, one after another.
template <scale beta_mode, bool has_epilogue, int step, typename Vector>
[[gnu::always_inline]] inline void store_empty_rows(Vector* y, long first_row, long first, long end,
                                                    Vector beta) {
    for (long row = first; row < end; row += step) {
        store<scale::zero, beta_mode, has_epilogue>(y, first_row + row, Vector{}, beta, beta,
                                                    first_row + row);
    }
}
