#include "tuner/chooser/row_period.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace spmvgen {
namespace {

constexpr std::int64_t samples = 256;  ///< rows that are looked at,
constexpr std::int64_t least_rows_of_a_period = 64;
constexpr std::int64_t entries_of_row = 16;  ///< and entries of each
constexpr std::array periods{2, 3, 4, 6};
constexpr double least_of_next = 0.4;   ///< share of the entries, that the next row may not have
constexpr double least_of_other = 0.6;  ///< that the row so far behind must have

/// Of how many entries one is looked at, of a row.
std::int64_t step_of(const CsrView& a, std::int64_t row) {
    return std::max<std::int64_t>(a.row_length(row) / entries_of_row, 1);
}

/// Whether the row `distance` behind has at least so large a share of the entries of sampled rows,
/// moved by as much. Looks no further when that is certain.
template <typename Column>
bool moves(const CsrView& a, std::int64_t distance, double share) {
    const Column* const columns = a.col_idx_as<Column>();
    const auto row_at = [&](std::int64_t i) { return (a.rows - distance) * i / samples; };
    std::int64_t left = 0, found = 0;
    for (std::int64_t i = 0; i < samples; ++i) {
        const std::int64_t step = step_of(a, row_at(i));
        left += (a.row_length(row_at(i)) + step - 1) / step;
    }
    const double wanted = share * static_cast<double>(std::max<std::int64_t>(left, 1));
    for (std::int64_t i = 0; i < samples; ++i) {
        if (static_cast<double>(found) >= wanted) return true;
        if (static_cast<double>(found + left) < wanted) return false;
        const std::int64_t row = row_at(i), step = step_of(a, row);
        const Column* const begin = columns + a.row_begin(row + distance);
        const Column* const end = columns + a.row_begin(row + distance + 1);
        for (std::int64_t k = a.row_begin(row); k < a.row_begin(row + 1); k += step, --left)
            found += std::binary_search(begin, end, static_cast<Column>(columns[k] + distance));
    }
    return static_cast<double>(found) >= wanted;
}

}  // namespace

int row_period(const CsrView& matrix) {
    if (matrix.rows < least_rows_of_a_period) return 1;
    return dispatch(matrix.index_type, [&]<typename Column>(Column) {
        if (moves<Column>(matrix, 1, least_of_next)) return 1;
        for (const int period : periods)
            if (moves<Column>(matrix, period, least_of_other)) return period;
        return 1;
    });
}

}  // namespace spmvgen
