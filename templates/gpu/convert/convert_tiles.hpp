// CSR into tiles, on the device that has it.
//
// What:       the arrays that the host makes, to the last bit. The host reads how many rows have
//             entries, and allocates.
// Source:     ours.
// Parameters: block       128, 256, 512, 1024: threads of a block.
//             items       8, 16, 32: entries of a lane in a tile.
//             run         1, 2, 4 … 32: tiles of a warp.
//             value_code  0 … 3: as coded_values.hpp says; the host knows the dictionary.
//             has_hubs    1 = the most used columns have numbers of their own.
// Work:       filled, rows: a row a thread. sum_parts, scan, scan_parts: numbers of filled rows.
//             begins: a tile a thread, which looks for the row that is open there. entries: a tile
//             a block, through shared memory. check_columns, check_values and, of hubs, count_uses,
//             bins: shared out evenly. clear, often, list, hot: a column a thread.
// Reads:      row offsets three times; columns twice and values once (twice where they are coded or
//             rounded), as they lie; writes each array once, as it will lie, and a word a row
//             atomically: each bit is added once. With hubs columns once more, and an atomic
//             addition an entry.
#pragma once
#include "dialect/convert/gpu_convert_hubs.hpp"
#include "dialect/formats/tiles_format.hpp"

/// Whether each row has entries.
template <typename Offset, int block>
void convert_tiles_filled(long num_rows, const Offset* __restrict__ row_ptr,
                          Offset* __restrict__ item_sizes) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        item_sizes[row] =
            row_ptr[row + 1] > row_ptr[row] ? static_cast<Offset>(1) : static_cast<Offset>(0);
    }
}

/// What is known of each tile: the number of the row that is open as it begins, and at the first of
/// a run which runs that row is in. Marks are cleared. item_ptr has the numbers of filled rows.
template <typename Index, typename Offset, int items, int run, int block>
void convert_tiles_begins(long num_rows, long nnz, long num_tiles, long num_runs,
                          const Offset* __restrict__ row_ptr, const Offset* __restrict__ item_ptr,
                          Index* __restrict__ tile_row, unsigned long long* __restrict__ mark_words,
                          Index* __restrict__ cut_first_run, Index* __restrict__ cut_last_run) {
    constexpr long tile = warp_size * items;
    constexpr long size = tile * run;
    const long own = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (own < num_tiles) {
        // The row of the entry before: it is open even where it ends here.
        const long row = own > 0 ? row_of_entry(row_ptr, 0l, num_rows, own * tile - 1) : 0l;
        tile_row[own] = own > 0 ? static_cast<Index>(item_ptr[row]) : static_cast<Index>(no_row);
        for (int w = 0; w < tile / 64; ++w) {
            mark_words[own * (tile / 64) + w] = 0ull;
        }
    }
    if (own <= num_runs) {
        const long first = own * size;
        const long row = own > 0 && first < nnz ? row_of_entry(row_ptr, 0l, num_rows, first) : 0l;
        const bool is_cut = own > 0 && first < nnz && row_ptr[row] < first;
        cut_first_run[own] =
            is_cut ? static_cast<Index>(row_ptr[row] / size) : static_cast<Index>(no_row);
        cut_last_run[own] =
            is_cut ? static_cast<Index>((row_ptr[row + 1] - 1) / size) : static_cast<Index>(no_row);
    }
}

/// Marks the entries that begin a row, and where the entries end; lists rows where there are gaps.
template <typename Index, typename Offset, int items, int block>
void convert_tiles_rows(long num_rows, long nnz, long num_tiles, int gaps,
                        const Offset* __restrict__ row_ptr, const Offset* __restrict__ item_ptr,
                        unsigned long long* __restrict__ mark_words,
                        Index* __restrict__ filled_rows, Index* __restrict__ empty_rows) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        const long begin = row_ptr[row];
        const bool is_filled = row_ptr[row + 1] > begin;
        if (is_filled) {
            atomicAdd(mark_words + begin / 64, 1ull << (begin % 64));
        }
        if (gaps != 0) {
            const long number = item_ptr[row];
            if (is_filled) {
                filled_rows[number] = static_cast<Index>(row);
            } else {
                empty_rows[row - number] = static_cast<Index>(row);
            }
        }
    }
    if (row == 0 && nnz < num_tiles * (warp_size * items)) {
        atomicAdd(mark_words + nnz / 64, 1ull << (nnz % 64));
    }
}

/// Columns and values of the tiles, turned so that lanes stand side by side. Behind the last entry
/// stands its column again, and value 0.
template <typename Vector, typename Storage, typename Index, int items, int value_code,
          int has_hubs, int block>
void convert_tiles_entries(long nnz, const Index* __restrict__ csr_col_idx,
                           const Index* __restrict__ column_codes,
                           const Vector* __restrict__ csr_values,
                           const Vector* __restrict__ dictionary, int num_distinct,
                           Index* __restrict__ col_idx, Storage* __restrict__ values,
                           unsigned char* __restrict__ coded_values) {
    constexpr int tile = warp_size * items;
    // A place free behind each lane's entries spreads them over the banks.
    __shared__ Index columns[tile + warp_size];
    __shared__ Vector numbers[tile + warp_size];
    const long first = static_cast<long>(blockIdx.x) * tile;
    for (int e = static_cast<int>(threadIdx.x); e < tile; e += block) {
        const bool exists = first + e < nnz;
        columns[e + e / items] = csr_col_idx[exists ? first + e : nnz - 1];
        if constexpr (value_code != one_value) {
            numbers[e + e / items] = exists ? csr_values[first + e] : Vector{};
        }
    }
    __syncthreads();
    for (int p = static_cast<int>(threadIdx.x); p < tile; p += block) {
        const int lane = lane_at(p, warp_size);
        const int item = item_at(p, warp_size);
        const int from = lane * (items + 1) + item;
        if constexpr (has_hubs == 1) {
            col_idx[first + p] = column_codes[columns[from]];
        } else {
            col_idx[first + p] = columns[from];
        }
        if constexpr (value_code != one_value) {
            const bool exists = first + lane * items + item < nnz;
            put_value<value_code>(values, coded_values, dictionary, num_distinct, first + p, exists,
                                  numbers[from]);
        }
    }
    if (blockIdx.x == 0) {
        put_decoded<value_code>(values, csr_values, dictionary, num_distinct,
                                static_cast<int>(threadIdx.x), block);
    }
}
