#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>

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
    const std::int64_t stored = std::min(length, strip.width);
    const From* const source = matrix.values_as<From>() + begin;
    const auto fill = [&](auto columns, auto place) {
        constexpr bool has_columns = !std::is_null_pointer_v<decltype(columns)>;
        for (std::int64_t k = 0; k < stored; ++k) {
            const std::int64_t at = place(k);
            if constexpr (has_columns) col_idx[at] = static_cast<Index>(columns[k]);
            values[at] = stored_value<To>(source[k]);
        }
        for (std::int64_t k = stored; k < strip.width; ++k) {
            const std::int64_t at = place(k);
            if constexpr (has_columns) col_idx[at] = Index{-1};
            values[at] = To{};
        }
    };
    const auto fill_in_order = [&](auto columns) {
        const std::int64_t first = strip.start + l * strip.chunk;
        if (strip.chunk == 1)
            fill(columns,
                 [=, height = strip.height](std::int64_t k) { return first + k * height; });
        else
            fill(columns, [=, height = strip.height, chunk = strip.chunk](std::int64_t k) {
                return first + (k - k % chunk) * height + k % chunk;
            });
    };
    if (matrix.col_idx == nullptr) return fill_in_order(nullptr);
    dispatch(matrix.index_type,
             [&]<typename Column>(Column) { fill_in_order(matrix.col_idx_as<Column>() + begin); });
}

}  // namespace spmvgen
