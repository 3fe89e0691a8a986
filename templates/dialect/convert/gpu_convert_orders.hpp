// What kernels share that put rows into an order along the columns of CSR.
#pragma once
#include "dialect/convert/gpu_convert.hpp"

/// Whether a column is a row, too; else A is broken, for it is square.
[[gnu::always_inline]] inline bool is_row(long column, long num_rows) {
    return static_cast<unsigned long>(column) < static_cast<unsigned long>(num_rows);
}
