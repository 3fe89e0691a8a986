// Several vectors brought into the order that products take, row by row without gaps, and back:
// what goes before and after a product whose caller has them in columns, or in rows with gaps.
//
// What:       copies. pack_vectors makes y of num_rhs vectors of x, of which only the first
//             `columns` are there, and the others zero; unpack_vectors does the opposite with
//             these.
// Source:     plain loops; no sums, so no order of summation either.
// Parameters: block 64, 128, 256, 512, 1024: threads of a block.
// Work:       a thread a row and group of right-hand sides: neighbouring threads meet neighbouring
//             elements of a column, and pieces of up to 32 bytes of a row.
// Reads:      x once; writes y once.
#pragma once
#include "dialect/gpu.hpp"

/// y[row·num_rhs + r] = x[row·row_step + r·rhs_step], or zero from r = columns on.
template <typename Vector, int num_rhs, int rhs_group, int block>
void pack_vectors(long num_rows, long columns, long row_step, long rhs_step,
                  const Vector* __restrict__ x, Vector* __restrict__ y) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        const long first = element_of<num_rhs, rhs_group>(0);
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            const long column = first + rhs;
            y[row * num_rhs + column] =
                column < columns ? x[row * row_step + column * rhs_step] : Vector{};
        }
    }
}

/// y[row·row_step + r·rhs_step] = x[row·num_rhs + r], for r below columns.
template <typename Vector, int num_rhs, int rhs_group, int block>
void unpack_vectors(long num_rows, long columns, long row_step, long rhs_step,
                    const Vector* __restrict__ x, Vector* __restrict__ y) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        const long first = element_of<num_rhs, rhs_group>(0);
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            const long column = first + rhs;
            if (column < columns) {
                y[row * row_step + column * rhs_step] = x[row * num_rhs + column];
            }
        }
    }
}
