// CSR into SELL-C-σ, on the device that has it.
//
// What:       the arrays that the host makes, to the last bit: rows sorted by falling length in
//             windows, equal lengths in their order. The host reads what the widths of the slices
//             come to, and allocates.
// Source:     ours; the sort is Batcher's bitonic network (AFIPS 1968).
// Parameters: block            128, 256, 512, 1024: threads of a block.
//             slice            32, 64: rows of a slice.
//             sigma            1, 64, 256, 1024, 4096, 16384: rows of a sorting window; 1 = not
//                              sorted. Of the largest windows parts of 4096 rows are sorted, and
//                              then merged.
//             threads_per_row  1, 2, 4, 8, 16, 32: lanes that share a row, whose entries stand
//                              together.
// Work:       order: a block a window, or a part of one. merge: a row a thread. widths: a slice a thread. scan: one block. fill: a block a
//             slice, 16 entries of each row at a time, through shared memory.
// Reads:      row offsets three times, columns twice and values once, as they lie; writes each
//             array once, as it will lie.
#pragma once
#include "dialect/convert/gpu_convert_padded.hpp"

/// Rows that are sorted at once.
template <int sigma>
inline constexpr int sorted_part = sigma < 4096 ? sigma : 4096;

/// The row at each position, or of windows in parts the sorted keys of each part.
template <typename Index, typename Offset, int sigma, int block>
void convert_sell_order(long num_rows, const Offset* __restrict__ row_ptr,
                        Index* __restrict__ row_order, unsigned* __restrict__ sorted_keys) {
    constexpr int part = sorted_part<sigma>;
    __shared__ unsigned keys[part];
    constexpr long none_is_long = 0x7fffffffffffffffl;
    const long first = static_cast<long>(blockIdx.x) * part;
    const long window = first / sigma * sigma;
    sort_rows<part, sigma, block>(keys, row_ptr, first, static_cast<int>(first - window), num_rows,
                                  none_is_long);
    for (int i = static_cast<int>(threadIdx.x); i < part; i += block) {
        if (first + i < num_rows) {
            if constexpr (part < sigma) {
                sorted_keys[first + i] = keys[i];
            } else {
                row_order[first + i] =
                    static_cast<Index>(first + static_cast<long>(keys[i] & (sigma - 1u)));
            }
        }
    }
}

/// How many of `count` sorted keys are below `key`.
[[gnu::always_inline]] inline long keys_below(const unsigned* keys, long count, unsigned key) {
    long low = 0;
    long high = count;
    while (low < high) {
        const long middle = (low + high) / 2;
        const bool is_below = keys[middle] < key;
        low = is_below ? middle + 1 : low;
        high = is_below ? high : middle;
    }
    return low;
}

/// The row at each position of windows whose parts are sorted.
template <typename Index, int sigma, int block>
void convert_sell_merge(long num_rows, const unsigned* __restrict__ sorted_keys,
                        Index* __restrict__ row_order) {
    constexpr int part = sorted_part<sigma>;
    const long own = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (own < num_rows) {
        const unsigned key = sorted_keys[own];
        const long window = own / sigma * sigma;
        const long end = window + sigma < num_rows ? window + sigma : num_rows;
        long position = window;
        for (long begin = window; begin < end; begin += part) {
            const long count = end - begin < part ? end - begin : static_cast<long>(part);
            position += keys_below(sorted_keys + begin, count, key);
        }
        row_order[position] = static_cast<Index>(window + static_cast<long>(key & (sigma - 1u)));
    }
}

/// The row at a position.
template <int sigma, typename Index>
[[gnu::always_inline]] inline long row_at_position(const Index* row_order, long position) {
    if constexpr (sigma == 1) {
        return position;
    } else {
        return row_order[position];
    }
}

/// Columns of each slice.
template <typename Index, typename Offset, int slice, int sigma, int threads_per_row, int block>
void convert_sell_widths(long num_rows, long num_slices, const Offset* __restrict__ row_ptr,
                         const Index* __restrict__ row_order, Offset* __restrict__ sizes) {
    const long own = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (own < num_slices) {
        Offset width = 0;
        for (int l = 0; l < slice; ++l) {
            const long position = own * slice + l;
            if (position < num_rows) {
                const long row = row_at_position<sigma>(row_order, position);
                const Offset length = row_ptr[row + 1] - row_ptr[row];
                width = length > width ? length : width;
            }
        }
        sizes[own] = (width + (threads_per_row - 1)) / threads_per_row * threads_per_row;
    }
}

/// Columns and values of the slices.
template <typename Vector, typename Storage, typename Index, typename Offset, int slice, int sigma,
          int threads_per_row, int block>
void convert_sell_fill(long num_rows, const Offset* __restrict__ row_ptr,
                       const Index* __restrict__ csr_col_idx, const Vector* __restrict__ csr_values,
                       const Index* __restrict__ row_order, const Offset* __restrict__ slice_ptr,
                       Index* __restrict__ col_idx, Storage* __restrict__ values) {
    __shared__ long begins[slice];
    __shared__ int lengths[slice];
    __shared__ Index columns[slice * (patch_width + 1)];
    __shared__ Vector numbers[slice * (patch_width + 1)];
    for (int l = static_cast<int>(threadIdx.x); l < slice; l += block) {
        const long position = static_cast<long>(blockIdx.x) * slice + l;
        const bool exists = position < num_rows;
        const long row = exists ? row_at_position<sigma>(row_order, position) : 0l;
        begins[l] = exists ? static_cast<long>(row_ptr[row]) : 0l;
        lengths[l] = exists ? static_cast<int>(row_ptr[row + 1] - row_ptr[row]) : 0;
    }
    __syncthreads();
    const long start = slice_ptr[blockIdx.x];
    const int width = static_cast<int>(slice_ptr[blockIdx.x + 1] - start);
    for (int first = 0; first < width; first += patch_width) {
        write_patch<slice, threads_per_row, block>(begins, lengths, columns, numbers, start * slice,
                                                   slice, first, width, csr_col_idx, csr_values,
                                                   col_idx, values);
    }
}
