// CSR, one row after another.
#pragma once
#include "dialect/cpu.hpp"

/// y = αAx + βy for A in CSR; a thread takes a run of rows with its share of rows plus nonzeros.
template <typename Value, typename Index, typename Offset, scale alpha_mode, scale beta_mode,
          int num_rhs>
void csr_rows(long num_rows, const Offset* __restrict__ row_ptr, const Index* __restrict__ col_idx,
              const Value* __restrict__ values, const Value* __restrict__ x, Value* __restrict__ y,
              Value alpha, Value beta, int thread, int threads) {
    const long begin = first_row(num_rows, row_ptr, thread, threads);
    const long end = first_row(num_rows, row_ptr, thread + 1, threads);
    for (long row = begin; row < end; ++row) {
        for (int rhs = 0; rhs < num_rhs; ++rhs) {
            Value sum = 0;
            for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
                sum += values[k] * x[static_cast<long>(col_idx[k]) * num_rhs + rhs];
            }
            store<alpha_mode, beta_mode>(y, row * num_rhs + rhs, sum, alpha, beta);
        }
    }
}
