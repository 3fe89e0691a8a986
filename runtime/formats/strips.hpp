#pragma once
#include <algorithm>
#include <cstdint>

#include "formats/narrow.hpp"
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

/// The least multiple of `unit` that is not below `count`.
constexpr std::int64_t round_up(std::int64_t count, std::int64_t unit) {
    return (count + unit - 1) / unit * unit;
}

/// How `height` rows of one width are laid out from `start` on. Entry k of row l is at
/// start + (k / chunk)·chunk·height + l·chunk + k % chunk: column after column for chunk = 1, else
/// `chunk` neighbouring entries of a row stand together. `width` is a multiple of chunk.
struct Strip {
    std::int64_t start = 0;
    std::int64_t height = 1;
    std::int64_t width = 0;
    std::int64_t chunk = 1;
};

/// Writes the first `width` entries of a row as row `l` of the strip and pads it with column -1 and
/// value 0. A negative row is padding only. A matrix without columns leaves col_idx as it is.
template <typename From, typename To, typename Index>
void fill_row(const CsrView& matrix, std::int64_t row, const Strip& strip, std::int64_t l,
              Index* col_idx, To* values) {
    const std::int64_t begin = row < 0 ? 0 : matrix.row_begin(row);
    const std::int64_t length = row < 0 ? 0 : matrix.row_begin(row + 1) - begin;
    const From* source = matrix.values_as<From>();
    for (std::int64_t first = 0; first < strip.width; first += strip.chunk) {
        const std::int64_t place = strip.start + first * strip.height + l * strip.chunk;
        for (std::int64_t j = 0; j < strip.chunk; ++j) {
            const std::int64_t k = first + j;
            if (matrix.col_idx != nullptr)
                col_idx[place + j] =
                    k < length ? static_cast<Index>(matrix.col(begin + k)) : Index{-1};
            values[place + j] = k < length ? stored_value<To>(source[begin + k]) : To{};
        }
    }
}

}  // namespace spmvgen
