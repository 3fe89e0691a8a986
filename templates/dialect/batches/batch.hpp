// What the kernels of batches share: where each system of a batch lies.
#pragma once
#include "dialect/common.hpp"

/// One system of a batch: its sizes, and the numbers of its first elements in the batch's arrays.
struct batch_system {
    long first_row;  // in y
    long rows;
    long first_col;  // in x
    long cols;
    long first_entry;  // in col_idx and row_idx
    long first_value;  // in values: not the same where systems share one pattern
    long count;        // entries; of ELL the width
    long detail;       // of CSR where its row_ptr begins; of ELL how many columns have no padding
};

/// The system that is number `number` in the table `systems`.
template <typename Offset>
[[gnu::always_inline]] inline batch_system system_at(const Offset* systems, long number) {
    const Offset* fields = systems + number * 8;
    return {static_cast<long>(fields[0]), static_cast<long>(fields[1]),
            static_cast<long>(fields[2]), static_cast<long>(fields[3]),
            static_cast<long>(fields[4]), static_cast<long>(fields[5]),
            static_cast<long>(fields[6]), static_cast<long>(fields[7])};
}

/// Distance of neighbouring entries of a row in ELL: the rows, rounded up to `unit`.
template <int unit>
[[gnu::always_inline]] inline long ell_stride(long rows) {
    return (rows + unit - 1) / unit * unit;
}
