#include "tuner/chooser/row_period.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace spmvgen {
namespace {

constexpr std::int64_t samples = 256;  ///< rows that are looked at,
constexpr std::int64_t spread = 45;    ///< their order: multiples of it, modulo their number,
constexpr std::int64_t least_rows_of_a_period = 64;
constexpr std::int64_t entries_of_row = 16;  ///< and entries of each
constexpr std::array periods{2, 3, 4, 6};
constexpr double least_of_next = 0.4;   ///< share of the entries, that the next row may not have
constexpr double least_of_other = 0.6;  ///< that the row so far behind must have
constexpr double far_from_share = 0.2;  ///< of a quarter of the rows, what is found of them all

/// Some of the entries of a row that is looked at: one of `step`.
struct SomeOfRow {
    std::int64_t row, step, count;
};

SomeOfRow some_of_row(const CsrView& a, std::int64_t row) {
    const std::int64_t length = a.row_length(row);
    const std::int64_t step = std::max<std::int64_t>(length / entries_of_row, 1);
    return {row, step, (length + step - 1) / step};
}

/// How many of these are in the row `distance` behind, moved by as much.
template <typename Column>
std::int64_t found_behind(const CsrView& a, const SomeOfRow& some, std::int64_t distance) {
    const Column* const columns = a.col_idx_as<Column>();
    const Column* begin = columns + a.row_begin(some.row + distance);
    const Column* const end = columns + a.row_begin(some.row + distance + 1);
    std::int64_t found = 0;
    for (std::int64_t k = a.row_begin(some.row); k < a.row_begin(some.row + 1); k += some.step) {
        const auto wanted = static_cast<Column>(columns[k] + distance);
        begin = std::lower_bound(begin, end, wanted);
        found += begin != end && *begin == wanted;
    }
    return found;
}

/// Whether the row `distance` behind has at least so large a share of the entries of sampled rows,
/// moved by as much. Looks no further when that is certain, or a part from all over the rows is far
/// from it.
template <typename Column>
bool moves(const CsrView& a, std::int64_t distance, double share) {
    std::array<SomeOfRow, samples> all;
    std::int64_t left = 0, seen = 0, found = 0;
    for (std::int64_t i = 0; i < samples; ++i) {
        const std::int64_t place = i * spread % samples;
        auto& some = all[static_cast<std::size_t>(i)];
        some = some_of_row(a, (a.rows - distance) * place / samples);
        left += some.count;
    }
    const double wanted = share * static_cast<double>(std::max<std::int64_t>(left, 1));
    for (std::int64_t i = 0; i < samples; ++i) {
        if (static_cast<double>(found) >= wanted) return true;
        if (static_cast<double>(found + left) < wanted) return false;
        const double so_far = static_cast<double>(found) / static_cast<double>(seen);
        if (i == samples / 4 && std::abs(so_far - share) > far_from_share) return so_far > share;
        const auto& some = all[static_cast<std::size_t>(i)];
        found += found_behind<Column>(a, some, distance);
        seen += some.count;
        left -= some.count;
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
