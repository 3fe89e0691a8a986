#pragma once
#include <cstdint>

#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// Shortest and longest of a group of rows.
struct Widths {
    std::int64_t full = 0;
    std::int64_t width = 0;
};

/// Widths of the rows row_of(0) … row_of(height-1); a negative row is one beyond the matrix's last,
/// without entries.
template <typename RowOf>
Widths widths_of(const CsrView& matrix, std::int64_t height, RowOf row_of) {
    Widths w;
    for (std::int64_t l = 0; l < height; ++l) {
        const std::int64_t row = row_of(l);
        const std::int64_t length = row < 0 ? 0 : matrix.row_length(row);
        w.full = l == 0 || length < w.full ? length : w.full;
        w.width = length > w.width ? length : w.width;
    }
    return w;
}

/// Writes one row, entry by entry `stride` elements apart, and pads it to `width` entries with
/// column -1 and value 0. A negative row is padding only.
template <typename Value, typename Index>
void fill_row(const CsrView& matrix, std::int64_t row, std::int64_t stride, std::int64_t width,
              Index* col_idx, Value* values) {
    const std::int64_t begin = row < 0 ? 0 : matrix.row_begin(row);
    const std::int64_t length = row < 0 ? 0 : matrix.row_begin(row + 1) - begin;
    const Value* source = matrix.values_as<Value>();
    for (std::int64_t k = 0; k < width; ++k) {
        col_idx[k * stride] = k < length ? static_cast<Index>(matrix.col(begin + k)) : Index{-1};
        values[k * stride] = k < length ? source[begin + k] : Value{};
    }
}

}  // namespace spmvgen
