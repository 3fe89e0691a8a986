// Several vectors brought into the order that products take, row by row without gaps, and back:
// what goes before and after a product whose caller has them in columns, or in rows with gaps.
//
// What:       copies. pack_vectors makes y of num_rhs vectors of x, of which only the first
//             `columns` are there, and the others zero; unpack_vectors does the opposite with
//             these.
// Source:     plain loops; no sums, so no order of summation either.
// Parameters: block 64, 128, 256, 512, 1024: threads of a block.
// Work:       a block has a tile of rows, with all right-hand sides: it goes through shared memory, so
//             that neighbouring threads meet neighbouring elements on both sides.
// Reads:      x once; writes y once.
#pragma once
#include "dialect/gpu.hpp"

/// Rows of a tile.
template <int num_rhs>
inline constexpr int tile_rows = num_rhs < 8 ? 256 : 32;

/// The row and the column of an element of a tile of vectors that are not packed: threads go along a
/// row where its numbers lie side by side, else along a column.
template <int num_rhs>
[[gnu::always_inline]] inline int row_of_tile(int element, bool by_rows) {
    return by_rows ? element / num_rhs : element % tile_rows<num_rhs>;
}
template <int num_rhs>
[[gnu::always_inline]] inline int column_of_tile(int element, bool by_rows) {
    return by_rows ? element % num_rhs : element / tile_rows<num_rhs>;
}

/// y[row·num_rhs + r] = x[row·row_step + r·rhs_step], or zero from r = columns on.
template <typename Vector, int num_rhs, int block>
void pack_vectors(long num_rows, long columns, long row_step, long rhs_step,
                  const Vector* __restrict__ x, Vector* __restrict__ y) {
    constexpr int size = tile_rows<num_rhs> * num_rhs;
    constexpr int width = num_rhs + 1;  // of a row here, so that a column lies in different banks
    __shared__ Vector tile[tile_rows<num_rhs> * width];
    const int thread = static_cast<int>(threadIdx.x);
    const long first = static_cast<long>(blockIdx.x) * tile_rows<num_rhs>;
    const bool by_rows = rhs_step == 1;
    for (int element = thread; element < size; element += block) {
        const int row = row_of_tile<num_rhs>(element, by_rows);
        const int column = column_of_tile<num_rhs>(element, by_rows);
        if (first + row < num_rows && column < columns) {
            tile[row * width + column] = x[(first + row) * row_step + column * rhs_step];
        } else {
            tile[row * width + column] = Vector{};
        }
    }
    __syncthreads();
    for (int element = thread; element < size; element += block) {
        if (first + element / num_rhs < num_rows) {
            y[first * num_rhs + element] = tile[element / num_rhs * width + element % num_rhs];
        }
    }
}

/// y[row·row_step + r·rhs_step] = x[row·num_rhs + r], for r below columns.
template <typename Vector, int num_rhs, int block>
void unpack_vectors(long num_rows, long columns, long row_step, long rhs_step,
                    const Vector* __restrict__ x, Vector* __restrict__ y) {
    constexpr int size = tile_rows<num_rhs> * num_rhs;
    constexpr int width = num_rhs + 1;
    __shared__ Vector tile[tile_rows<num_rhs> * width];
    const int thread = static_cast<int>(threadIdx.x);
    const long first = static_cast<long>(blockIdx.x) * tile_rows<num_rhs>;
    const bool by_rows = rhs_step == 1;
    for (int element = thread; element < size; element += block) {
        if (first + element / num_rhs < num_rows) {
            tile[element / num_rhs * width + element % num_rhs] = x[first * num_rhs + element];
        }
    }
    __syncthreads();
    for (int element = thread; element < size; element += block) {
        const int row = row_of_tile<num_rhs>(element, by_rows);
        const int column = column_of_tile<num_rhs>(element, by_rows);
        if (first + row < num_rows && column < columns) {
            y[(first + row) * row_step + column * rhs_step] = tile[row * width + column];
        }
    }
}
