// CSR into blocks (format `bcsr`), on the device that has it, where columns of rows rise.
//
// What:       the arrays that the host makes, to the last bit. The host reads how many blocks there
//             are, and allocates.
// Source:     ours.
// Parameters: block                   128, 256, 512, 1024: threads of a block of the grid.
//             block_rows, block_cols  1 … 8: of a block of A.
// Work:       count_blocks, list: a block row a thread, which walks its rows at once. sum_parts,
//             scan, scan_parts: sums of their numbers. fill: a block of A a thread.
// Reads:      row offsets and columns three times, each thread its own rows; values once; writes
//             each array once, values side by side.
#pragma once
#include "dialect/convert/gpu_block_rows.hpp"

/// Where blocks begin, which elements they have, and which entry is the first of each of their
/// rows: of row i of block k at i · num_blocks + k.
template <typename Index, typename Offset, int block_rows, int block_cols, int block>
void convert_bcsr_list(long num_rows, long num_cols, long num_block_rows, long num_blocks,
                       const Offset* __restrict__ row_ptr, const Index* __restrict__ csr_col_idx,
                       const Offset* __restrict__ item_ptr, Index* __restrict__ block_first,
                       long* __restrict__ block_masks, Offset* __restrict__ block_entry) {
    const long block_row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (block_row < num_block_rows) {
        long at[block_rows] = {};
        long end[block_rows] = {};
        begin_block_row<block_rows>(at, end, row_ptr, block_row, num_rows);
        // The last block of a row of blocks ends with A.
        const long last = num_cols > block_cols ? num_cols - block_cols : 0l;
        for (long k = item_ptr[block_row]; k < item_ptr[block_row + 1]; ++k) {
            const Index column = next_block<block_rows, block_cols>(at, end, csr_col_idx);
            const long begin = static_cast<long>(column) * block_cols;
            const long first = begin < last ? begin : last;
            const int moved = static_cast<int>(begin - first);
            unsigned long long mask = 0;
            for (int i = 0; i < block_rows; ++i) {
                block_entry[i * num_blocks + k] = static_cast<Offset>(at[i]);
                for (int j = 0; j < block_cols; ++j) {
                    mask |= take_element<block_cols>(at[i], end[i], csr_col_idx, column, j)
                                ? 1ull << (i * block_cols + j + moved)
                                : 0ull;
                }
            }
            block_first[k] = static_cast<Index>(first);
            block_masks[k] = static_cast<long>(mask);
        }
    }
}

/// Values of the blocks, 32 of which stand together, element by element; what there is of fill is
/// zero, and so are blocks behind the last.
template <typename Vector, typename Storage, typename Offset, int block_rows, int block_cols,
          int block>
void convert_bcsr_fill(long num_blocks, long num_places, const long* __restrict__ block_masks,
                       const Offset* __restrict__ block_entry,
                       const Vector* __restrict__ csr_values, Storage* __restrict__ values) {
    constexpr int together = 32;
    const long k = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (k < num_places) {
        const unsigned long long mask =
            k < num_blocks ? static_cast<unsigned long long>(block_masks[k]) : 0ull;
        const long first = k / together * (together * block_rows * block_cols) + k % together;
        for (int i = 0; i < block_rows; ++i) {
            long entry = k < num_blocks ? static_cast<long>(block_entry[i * num_blocks + k]) : 0l;
            for (int j = 0; j < block_cols; ++j) {
                const int element = i * block_cols + j;
                const bool exists = (mask >> element & 1ull) != 0;
                values[first + element * together] =
                    stored_as<Storage>(exists ? csr_values[entry] : Vector{});
                entry += exists ? 1 : 0;
            }
        }
    }
}
