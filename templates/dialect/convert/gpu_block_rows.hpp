// The blocks of a block row, for what converts CSR into blocks on the device: a thread walks its
// rows at once, whose columns rise.
#pragma once
#include "dialect/convert/gpu_convert_values.hpp"

/// Where the rows of a block row begin and end; rows beyond the last are empty.
template <int block_rows, typename Offset>
[[gnu::always_inline]] inline void begin_block_row(long* at, long* end, const Offset* row_ptr,
                                                   long block_row, long num_rows) {
    for (int i = 0; i < block_rows; ++i) {
        const long row = block_row * block_rows + i;
        at[i] = row < num_rows ? static_cast<long>(row_ptr[row]) : 0;
        end[i] = row < num_rows ? static_cast<long>(row_ptr[row + 1]) : 0;
    }
}

/// Whether rows have columns that A has not (1) or that do not rise (2); these are counted. 0 = no.
template <int block_rows, typename Index>
[[gnu::always_inline]] inline int count_bad_rows(const long* at, const long* end,
                                                 const Index* col_idx, long num_cols,
                                                 unsigned long long* counts) {
    int bad = 0;
    for (int i = 0; i < block_rows; ++i) {
        Index before = -1;
        for (long k = at[i]; k < end[i]; ++k) {
            const Index column = col_idx[k];
            bad = column < 0 || column >= num_cols ? 1 : bad == 0 && column <= before ? 2 : bad;
            before = column;
        }
    }
    if (bad != 0) {
        atomicAdd(counts + (bad == 1 ? count_outside : count_falling), 1ull);
    }
    return bad;
}

/// The block column of the next block of rows whose columns rise; -1 when there is none.
template <int block_rows, int block_cols, typename Index>
[[gnu::always_inline]] inline Index next_block(const long* at, const long* end,
                                               const Index* col_idx) {
    Index column = -1;
    for (int i = 0; i < block_rows; ++i) {
        if (at[i] < end[i]) {
            const Index own = col_idx[at[i]] / block_cols;
            column = column < 0 || own < column ? own : column;
        }
    }
    return column;
}

/// Whether a row has element j of the block at block column `column` next. Then it goes on.
template <int block_cols, typename Index>
[[gnu::always_inline]] inline bool take_element(long& at, long end, const Index* col_idx,
                                                Index column, int j) {
    const bool exists = at < end && col_idx[at] == column * block_cols + j;
    at += exists ? 1 : 0;
    return exists;
}

/// Goes on behind the block at block column `column`: how many elements it has.
template <int block_rows, int block_cols, typename Index>
[[gnu::always_inline]] inline int pass_block(long* at, const long* end, const Index* col_idx,
                                             Index column) {
    int elements = 0;
    for (int i = 0; i < block_rows; ++i) {
        for (int j = 0; j < block_cols; ++j) {
            elements += take_element<block_cols>(at[i], end[i], col_idx, column, j) ? 1 : 0;
        }
    }
    return elements;
}

/// The block column of the next block but `skipped`, which other lanes of the block row have.
template <int block_rows, int block_cols, typename Index>
[[gnu::always_inline]] inline Index block_after(long* at, const long* end, const Index* col_idx,
                                                int skipped) {
    Index column = next_block<block_rows, block_cols>(at, end, col_idx);
    for (int i = 0; i < skipped; ++i) {
        pass_block<block_rows, block_cols>(at, end, col_idx, column);
        column = next_block<block_rows, block_cols>(at, end, col_idx);
    }
    return column;
}

/// How many blocks each block row has; none where A has not these columns, or they do not rise.
template <typename Index, typename Offset, int block_rows, int block_cols, int block>
void convert_count_blocks(long num_rows, long num_cols, long num_block_rows,
                          const Offset* __restrict__ row_ptr, const Index* __restrict__ col_idx,
                          Offset* __restrict__ block_count,
                          unsigned long long* __restrict__ counts) {
    const long block_row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (block_row < num_block_rows) {
        long at[block_rows] = {};
        long end[block_rows] = {};
        begin_block_row<block_rows>(at, end, row_ptr, block_row, num_rows);
        Offset blocks = 0;
        if (count_bad_rows<block_rows>(at, end, col_idx, num_cols, counts) == 0) {
            Index column = next_block<block_rows, block_cols>(at, end, col_idx);
            for (; column >= 0; ++blocks) {
                pass_block<block_rows, block_cols>(at, end, col_idx, column);
                column = next_block<block_rows, block_cols>(at, end, col_idx);
            }
        }
        block_count[block_row] = blocks;
    }
}
