// CSR, the transposed product, with atomic additions.
//
// What:       y = αAᵀx + βy from the compressed rows of A itself, so that Aᵀ need not be stored: an
//             entry of row i and column j adds its product with x[i] to y[j]. The order of the
//             additions is another in each run, and so is the rounding.
// Source:     the transposed product of CSR as in PETSc and Ginkgo, lanes to rows as in CSR vector
//             (Bell & Garland, SC 2009).
// Parameters: block      threads of a block.
//             subwarp    1 … 64, within the wavefront: lanes for a row.
//             conjugate  1: the entries' conjugates, y = αAᴴx + βy; nothing else for real numbers.
// Work:       one row for each subwarp; a block has block / subwarp rows. y = βy comes before, in a
//             launch of its own, and the epilogue behind.
// Reads:      nnz·(storage + index) + rows·offset bytes of A, x once for each row; one atomic
//             addition to y for each entry and right-hand side, two for complex numbers.
#pragma once
#include "dialect/gpu_segments.hpp"

/// y = βy; with α = 0, which leaves nothing to add, its epilogue, too.
template <typename Vector, scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group,
          bool has_epilogue, int block>
void csr_transposed_gpu_scale(long num_cols, Vector* __restrict__ y, Vector beta) {
    store_scaled<beta_mode, num_rhs, rhs_group, has_epilogue && alpha_mode == scale::zero, block>(
        num_cols, y, beta);
}

/// The value, or its conjugate.
template <int conjugate, typename Value>
[[gnu::always_inline]] inline Value conjugated(Value value) {
    if constexpr (is_complex<Value> && conjugate == 1) {
        return {value.re, -value.im};
    } else {
        return value;
    }
}

/// y += αAᵀx.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, int num_rhs, int rhs_group, int block, int subwarp, int conjugate>
void csr_transposed_gpu(long num_rows, const Offset* __restrict__ row_ptr,
                        const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                        const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha) {
    const int lane = static_cast<int>(threadIdx.x) % subwarp;
    const long row = static_cast<long>(blockIdx.x) * (block / subwarp) + threadIdx.x / subwarp;
    if (row < num_rows) {
        Value factor[rhs_group] = {};
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            factor[rhs] = converted<Value>(x[element_of<num_rhs, rhs_group>(row) + rhs]);
        }
        const long end = row_ptr[row + 1];
        for (long k = row_ptr[row] + static_cast<long>(lane); k < end; k += subwarp) {
            const Value value = conjugated<conjugate>(load_value<Value>(values + k));
            const long first = element_of<num_rhs, rhs_group>(load_stream(col_idx + k));
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                atomic_add_scaled<alpha_mode>(y + first + rhs, multiply(value, factor[rhs]), alpha);
            }
        }
    }
}

/// y = epilogue(y).
template <typename Vector, int num_rhs, int rhs_group, int block>
void csr_transposed_gpu_finish(long num_cols, Vector* __restrict__ y) {
    finish_rows<num_rhs, rhs_group, block>(num_cols, y);
}
