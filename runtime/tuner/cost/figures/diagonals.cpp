#include "tuner/cost/figures/diagonals.hpp"

#include <algorithm>

namespace spmvgen {
namespace {

constexpr std::int64_t entries_looked_at = 2'500;  ///< entries, about,
constexpr std::int64_t for_neighbours = 2'000;     ///< and to see whether any have neighbours
constexpr std::int64_t rows_together = 96;         ///< whole blocks of 1 to 4, 6 and 8 rows

/// Calls rows(begin, end) for some parts of the rows, evenly spread, of about so many entries.
template <typename Rows>
void for_some_rows(const CsrView& a, std::int64_t entries, const Rows& rows) {
    const std::int64_t step = rows_together * std::max<std::int64_t>(1, a.nnz / entries);
    for (std::int64_t begin = 0; begin < a.rows; begin += step)
        rows(begin, std::min(begin + rows_together, a.rows));
}

/// Calls with(row_ptr, col_idx) as they are.
template <typename With>
void with_arrays(const CsrView& a, const With& with) {
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        dispatch(a.index_type, [&]<typename Index>(Index) {
            with(a.row_ptr_as<Offset>(), a.col_idx_as<Index>());
        });
    });
}

/// Share of the entries that have none so many rows above and columns to the left.
double heads_in_some(const CsrView& a, std::int64_t down, std::int64_t right,
                     std::int64_t looked_at) {
    std::int64_t found = 0, entries = 0;
    with_arrays(a, [&](const auto* ptr, const auto* col) {
        for_some_rows(a, looked_at, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t row = std::max(first, down); row < last; ++row) {
                const std::int64_t end = ptr[row + 1], end_above = ptr[row - down + 1];
                // Both rows are gone through without a branch that columns decide.
                for (std::int64_t k = ptr[row], above = ptr[row - down];
                     k < end && above < end_above;) {
                    const std::int64_t before = std::int64_t{col[above]} + right, column{col[k]};
                    found += before == column;
                    above += before <= column;
                    k += column <= before;
                }
            }
            entries += ptr[last] - ptr[first];
        });
    });
    return static_cast<double>(entries - found) /
           static_cast<double>(std::max<std::int64_t>(entries, 1));
}

/// Entries beside those before them in their rows.
struct Neighbours {
    std::int64_t entries = 0;
    std::int64_t beside = 0;  ///< which are in the next column
    std::int64_t falls = 0;   ///< which are in an earlier one
};

Neighbours neighbours_in_some(const CsrView& a, std::int64_t looked_at) {
    Neighbours found;
    with_arrays(a, [&](const auto* ptr, const auto* col) {
        for_some_rows(a, looked_at, [&](std::int64_t first, std::int64_t last) {
            const std::int64_t begin = ptr[first], end = ptr[last];
            const auto is_beside = [col](std::int64_t k) { return col[k] - col[k - 1] == 1; };
            const auto falls = [col](std::int64_t k) { return col[k] < col[k - 1]; };
            // As if all were one row, in one loop; then without the ends of rows.
            for (std::int64_t k = begin + 1; k < end; ++k) {
                found.beside += is_beside(k);
                found.falls += falls(k);
            }
            for (std::int64_t row = first + 1; row < last; ++row) {
                const std::int64_t k = ptr[row];
                if (k == begin || k == ptr[row + 1]) continue;
                found.beside -= is_beside(k);
                found.falls -= falls(k);
            }
            found.entries += end - begin;
        });
    });
    return found;
}

}  // namespace

double heads_of_diagonals(const CsrView& a, std::int64_t down, std::int64_t right) {
    return heads_in_some(a, down, right, entries_looked_at);
}

bool has_rising_rows(const CsrView& a) {
    return neighbours_in_some(a, entries_looked_at).falls == 0;
}

bool has_neighbours(const CsrView& a) {
    constexpr double least = 0.15;  // shares of the entries beside and below another one
    const Neighbours found = neighbours_in_some(a, for_neighbours);
    if (found.falls > 0) return true;
    const double beside = static_cast<double>(found.beside) /
                          static_cast<double>(std::max<std::int64_t>(found.entries, 1));
    return beside >= least || beside + 1 - heads_in_some(a, 1, 0, for_neighbours) >= least;
}

BlockFill fill_of_single_entries() {
    BlockFill fill;
    for (std::size_t r = 0; r < fill.ratio.size(); ++r)
        for (std::size_t c = 0; c < fill.ratio[r].size(); ++c)
            fill.ratio[r][c] = static_cast<double>((r + 1) * (c + 1));
    return fill;
}

}  // namespace spmvgen
