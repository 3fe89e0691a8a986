#include "tuner/row_period.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace spmvgen {
namespace {

constexpr std::int64_t samples = 512;  ///< rows that are looked at, of as many or fewer,
constexpr std::int64_t least_rows = 64;
constexpr std::int64_t entries_of_row = 64;  ///< and entries of each
constexpr std::array periods{2, 3, 4, 6};
constexpr double most_of_next = 0.4;    ///< share of the entries, that the next row may have
constexpr double least_of_other = 0.6;  ///< that the row so far behind must have

/// The share of the entries of sampled rows that the row `distance` behind has, moved by as much.
template <typename Column>
double share_moved(const CsrView& a, std::int64_t distance) {
    const Column* const columns = a.col_idx_as<Column>();
    std::int64_t entries = 0, found = 0;
    for (std::int64_t i = 0; i < samples; ++i) {
        const std::int64_t row = (a.rows - distance) * i / samples, other = row + distance;
        const Column *const begin = columns + a.row_begin(other), *const end =
                                                                      columns +
                                                                      a.row_begin(other + 1);
        const std::int64_t step = std::max<std::int64_t>(a.row_length(row) / entries_of_row, 1);
        for (std::int64_t k = a.row_begin(row); k < a.row_begin(row + 1); k += step, ++entries)
            found += std::binary_search(begin, end, static_cast<Column>(columns[k] + distance));
    }
    return static_cast<double>(found) / static_cast<double>(std::max<std::int64_t>(entries, 1));
}

}  // namespace

int row_period(const CsrView& matrix) {
    if (matrix.rows < least_rows) return 1;
    return dispatch(matrix.index_type, [&]<typename Column>(Column) {
        if (share_moved<Column>(matrix, 1) > most_of_next) return 1;
        for (const int period : periods)
            if (share_moved<Column>(matrix, period) >= least_of_other) return period;
        return 1;
    });
}

}  // namespace spmvgen
