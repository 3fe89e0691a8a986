#include "tuner/cost/figures/diagonals.hpp"

#include <algorithm>

namespace spmvgen {
namespace {

constexpr std::int64_t entries_looked_at = 2'500;  ///< entries, about,
constexpr std::int64_t for_neighbours = 2'000;     ///< and to see whether any have neighbours
constexpr std::int64_t rows_together = 96;         ///< whole blocks of 1 to 4, 6 and 8 rows

/// Calls row(number) for some parts of the rows, evenly spread; ends when that gives false.
template <typename Row>
void for_some_rows(const CsrView& a, std::int64_t entries, const Row& row) {
    const std::int64_t step = rows_together * std::max<std::int64_t>(1, a.nnz / entries);
    for (std::int64_t begin = 0; begin < a.rows; begin += step)
        for (std::int64_t r = begin; r < std::min(begin + rows_together, a.rows); ++r)
            if (!row(r)) return;
}

}  // namespace

namespace {

double heads_in_some(const CsrView& a, std::int64_t down, std::int64_t right,
                     std::int64_t looked_at) {
    std::int64_t heads = 0, entries = 0;
    dispatch(a.index_type, [&]<typename Index>(Index) {
        const Index* const col = a.col_idx_as<Index>();
        for_some_rows(a, looked_at, [&](std::int64_t row) {
            const std::int64_t begin = a.row_begin(row), end = a.row_begin(row + 1);
            std::int64_t above = row < down ? begin : a.row_begin(row - down);
            const std::int64_t end_above = row < down ? begin : a.row_begin(row - down + 1);
            heads += end - begin;
            // Both rows are gone through without a branch that columns decide.
            for (std::int64_t k = begin; k < end && above < end_above;) {
                const std::int64_t before = std::int64_t{col[above]} + right, column{col[k]};
                heads -= before == column;
                above += before <= column;
                k += column <= before;
            }
            entries += end - begin;
            return true;
        });
    });
    return static_cast<double>(heads) / static_cast<double>(std::max<std::int64_t>(entries, 1));
}

bool some_rise(const CsrView& a, std::int64_t looked_at) {
    return dispatch(a.index_type, [&]<typename Index>(Index) {
        const Index* const col = a.col_idx_as<Index>();
        bool rise = true;
        for_some_rows(a, looked_at, [&](std::int64_t row) {
            const std::int64_t begin = a.row_begin(row), end = a.row_begin(row + 1);
            return rise = std::is_sorted(col + begin, col + end);
        });
        return rise;
    });
}

}  // namespace

double heads_of_diagonals(const CsrView& a, std::int64_t down, std::int64_t right) {
    return heads_in_some(a, down, right, entries_looked_at);
}

bool has_rising_rows(const CsrView& a) {
    return some_rise(a, entries_looked_at);
}

bool has_neighbours(const CsrView& a) {
    constexpr double least = 0.15;  // shares of the entries beside and below another one
    if (!some_rise(a, for_neighbours)) return true;
    const double beside = 1 - heads_in_some(a, 0, 1, for_neighbours);
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
