// CSR's columns and row offsets of 64 bits as numbers of 32, on the device that has them, for the
// converters, which take one type of each.
//
// What:       the same numbers. A column that A has not becomes -1, which A has not either.
// Source:     ours.
// Parameters: block  128, 256, 512, 1024: threads of a block.
// Work:       numbers shared out evenly.
// Reads:      each number once, and writes it once, side by side.
#pragma once
#include "dialect/gpu.hpp"

template <typename Index, int block>
void convert_integers_columns(long nnz, long num_cols, const long* __restrict__ wide_col_idx,
                              Index* __restrict__ narrow_col_idx) {
    for (long i = static_cast<long>(blockIdx.x) * block + threadIdx.x; i < nnz;
         i += static_cast<long>(gridDim.x) * block) {
        const long column = wide_col_idx[i];
        narrow_col_idx[i] = static_cast<Index>(column >= 0 && column < num_cols ? column : -1l);
    }
}

template <typename Offset, int block>
void convert_integers_offsets(long num_offsets, const long* __restrict__ wide_row_ptr,
                              Offset* __restrict__ narrow_row_ptr) {
    const long i = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (i < num_offsets) {
        narrow_row_ptr[i] = static_cast<Offset>(wide_row_ptr[i]);
    }
}
