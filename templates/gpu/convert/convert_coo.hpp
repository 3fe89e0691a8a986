// CSR into COO, on the device that has it.
//
// What:       the row of each entry; columns stay as they are, and so do values, unless they are
//             rounded to the storage type.
// Source:     ours.
// Parameters: block  128, 256, 512, 1024: threads of a block.
// Work:       rows: a block takes 8 · block entries, finds their first and last row, and each
//             thread those of its entries between them. The others: entries shared out evenly.
// Reads:      columns once, row offsets about once; writes the rows, side by side.
#pragma once
#include "dialect/convert/gpu_convert_entries.hpp"

/// Entries of a thread.
constexpr int entries_each = 8;

/// The row of each entry.
template <typename Index, typename Offset, int block>
void convert_coo_rows(long num_rows, long nnz, const Offset* __restrict__ row_ptr,
                      Index* __restrict__ row_idx) {
    const long first = static_cast<long>(blockIdx.x) * (block * entries_each);
    const long behind = first + block * entries_each;
    const long last = (behind < nnz ? behind : nnz) - 1;
    const long low = row_of_entry(row_ptr, 0l, num_rows, first);
    const long high = row_of_entry(row_ptr, low, num_rows, last) + 1;
    for (long entry = first + threadIdx.x; entry <= last; entry += block) {
        row_idx[entry] = static_cast<Index>(row_of_entry(row_ptr, low, high, entry));
    }
}
