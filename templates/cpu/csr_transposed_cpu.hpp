// CSR, the transposed product, with atomic additions.
//
// What:       y = αAᵀx + βy from the compressed rows of A itself, so that Aᵀ need not be stored: an
//             entry of row i and column j adds its product with x[i] to y[j]. With several threads
//             the additions are atomic, their order is another in each run, and so is the rounding;
//             one thread adds in the order of the entries.
// Source:     the transposed product of CSR as in PETSc and SciPy; atomic additions by comparing
//             and exchanging.
// Parameters: conjugate  1: the entries' conjugates, y = αAᴴx + βy; nothing else for real numbers.
// Work:       whole rows; every thread gets about the same number of rows plus entries. y = βy
//             comes before, an equal share of y for each thread.
// Reads:      nnz·(value + index) + (m+1)·offset bytes of A, x once for each row; reads and writes
//             y once for each entry and right-hand side.
#pragma once
#include "dialect/cpu.hpp"

/// y = βy, before anything is added.
template <typename Vector, scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs>
void csr_transposed_cpu_scale(long num_cols, Vector* __restrict__ y, Vector beta, int thread,
                              int threads) {
    scale_share<beta_mode, has_epilogue && alpha_mode == scale::zero, num_rhs>(
        y, num_cols * num_rhs, beta, thread, threads);
}

/// *p += value, whoever else adds to it.
template <typename Value>
[[gnu::always_inline]] inline void atomic_add(Value* p, Value value) {
    if constexpr (is_complex<Value>) {
        atomic_add(&p->re, value.re);
        atomic_add(&p->im, value.im);
    } else {
        Value before = *p;
        Value after = before + value;
        // Relaxed: the numbers are read by others after a barrier only.
        while (!__atomic_compare_exchange(p, &before, &after, true, 0, 0)) {
            after = before + value;
        }
    }
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

/// y += αAᵀx for the rows begin … end-1; `alone`: nobody else adds to y meanwhile.
template <scale alpha_mode, int num_rhs, int conjugate, bool alone, typename Value,
          typename Storage, typename Index, typename Offset>
[[gnu::always_inline]] inline void scatter_rows(const Offset* row_ptr, const Index* col_idx,
                                                const Storage* values, const Value* x, Value* y,
                                                Value alpha, long begin, long end) {
    for (long row = begin; row < end; ++row) {
        for (long k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
            const Value value = conjugated<conjugate>(widened<Value>(values[k]));
            const long first = static_cast<long>(col_idx[k]) * num_rhs;
            for (int rhs = 0; rhs < num_rhs; ++rhs) {
                Value product = multiply(value, x[row * num_rhs + rhs]);
                if constexpr (alpha_mode == scale::general) {
                    product = multiply(alpha, product);
                }
                if constexpr (alone) {
                    y[first + rhs] = add(y[first + rhs], product);
                } else {
                    atomic_add(y + first + rhs, product);
                }
            }
        }
    }
}

/// y += αAᵀx.
template <typename Value, typename Storage, typename Index, typename Offset, scale alpha_mode,
          int num_rhs, int conjugate>
void csr_transposed_cpu(long num_rows, const Offset* __restrict__ row_ptr,
                        const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                        const Value* __restrict__ x, Value* __restrict__ y, Value alpha, int thread,
                        int threads) {
    const long begin = first_row(num_rows, row_ptr, thread, threads);
    const long end = first_row(num_rows, row_ptr, thread + 1, threads);
    if (threads == 1) {
        scatter_rows<alpha_mode, num_rhs, conjugate, true>(row_ptr, col_idx, values, x, y, alpha,
                                                           begin, end);
    } else {
        scatter_rows<alpha_mode, num_rhs, conjugate, false>(row_ptr, col_idx, values, x, y, alpha,
                                                            begin, end);
    }
}

/// y = epilogue(y).
template <typename Vector, int num_rhs>
void csr_transposed_cpu_finish(long num_cols, Vector* __restrict__ y, int thread, int threads) {
    const Vector unused = {};
    scale_share<scale::one, true, num_rhs>(y, num_cols * num_rhs, unused, thread, threads);
}
