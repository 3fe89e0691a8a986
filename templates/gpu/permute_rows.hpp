// Rows of x and y put into another order: what goes before and after a product with a reordered
// matrix, whose caller keeps the order that its own vectors have.
//
// What:       gather_rows takes a dense array's rows in the order that is given; scatter_rows puts
//             them back, with α, β and the epilogue. No part of the product itself.
// Source:     plain loops; a permutation is not its own inverse, so there are two of them.
// Parameters: block 64, 128, 256, 512, 1024: threads of a block.
// Work:       a thread a row and group of right-hand sides.
// Reads:      gather_rows: m·(index + k·value) bytes, writes m·k·value. scatter_rows: the same, and
//             y when β ≠ 0. One side of each is in order, the other goes wherever the order points.
#pragma once
#include "dialect/gpu.hpp"

/// y[i] = x[row_order[i]], rows of num_rhs elements.
template <typename Value, typename Index, int num_rhs, int rhs_group, int block>
void gather_rows(long num_rows, const Index* __restrict__ row_order, const Value* __restrict__ x,
                 Value* __restrict__ y) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        const long from = element_of<num_rhs, rhs_group>(row_order[row]);
        const long to = element_of<num_rhs, rhs_group>(row);
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            y[to + rhs] = x[from + rhs];
        }
    }
}

/// y[row_order[i]] = epilogue(α·x[i] + β·y[row_order[i]]).
template <typename Value, typename Index, scale alpha_mode, scale beta_mode, int num_rhs,
          int rhs_group, bool has_epilogue, int block>
void scatter_rows(long num_rows, const Index* __restrict__ row_order, const Value* __restrict__ x,
                  Value* __restrict__ y, Value alpha, Value beta) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        Value sum[rhs_group] = {};
        if constexpr (alpha_mode != scale::zero) {
            const long from = element_of<num_rhs, rhs_group>(row);
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                sum[rhs] = x[from + rhs];
            }
        }
        store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row_order[row], sum,
                                                                           alpha, beta);
    }
}
