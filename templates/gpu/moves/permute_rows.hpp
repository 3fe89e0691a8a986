// Rows of x and y put into another order: what goes before and after a product with a reordered
// matrix, whose caller keeps the order that its own vectors have.
//
// What:       products with a permutation P, row i of which has its 1 in column row_order[i]:
//             gather_rows is y = αPx + βy, scatter_rows y = αPᵀx + βy.
// Source:     plain loops; no sums, so no order of summation either.
// Parameters: block 64, 128, 256, 512, 1024: threads of a block.
// Work:       a thread a row and group of right-hand sides.
// Reads:      the order, x once, y when β ≠ 0; writes y once. One of x and y is met in order, the
//             other wherever row_order points.
#pragma once
#include "dialect/gpu.hpp"

/// Row `to` of y = α · (row `from` of x) + β · (row `to` of y).
template <scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          typename Vector>
[[gnu::always_inline]] inline void move_row(Vector* y, long to, const Vector* x, long from,
                                            Vector alpha, Vector beta) {
    Vector moved[rhs_group] = {};
    if constexpr (alpha_mode != scale::zero) {
        const long first = element_of<num_rhs, rhs_group>(from);
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            moved[rhs] = x[first + rhs];
        }
    }
    store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, to, moved, alpha, beta);
}

/// y[i] = α·x[row_order[i]] + β·y[i].
template <typename Vector, typename Index, scale alpha_mode, scale beta_mode, int num_rhs,
          int rhs_group, bool has_epilogue, int block>
void gather_rows(long num_rows, const Index* __restrict__ row_order, const Vector* __restrict__ x,
                 Vector* __restrict__ y, Vector alpha, Vector beta) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        move_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, x, row_order[row],
                                                                          alpha, beta);
    }
}

/// y[row_order[i]] = α·x[i] + β·y[row_order[i]].
template <typename Vector, typename Index, scale alpha_mode, scale beta_mode, int num_rhs,
          int rhs_group, bool has_epilogue, int block>
void scatter_rows(long num_rows, const Index* __restrict__ row_order, const Vector* __restrict__ x,
                  Vector* __restrict__ y, Vector alpha, Vector beta) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        move_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row_order[row], x, row,
                                                                          alpha, beta);
    }
}
