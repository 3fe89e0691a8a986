#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "formats/strips_columns.hpp"
#include "formats/strips_plan.hpp"
#include "spmvgen/matrix.hpp"

/// Slices whose strips are diagonals with holes: where a grid ends, rows lack entries, and the k-th
/// entries of neighbours are no neighbours any more; with a hole for each entry that lacks they are.
namespace spmvgen {

/// The diagonals of one slice, columns less the lane's number, in rising order.
template <typename Number>
class SliceDiagonals {
  public:
    /// Looks at slice `slice` of 1×1 blocks. Whether it can be stored so: all lanes have a row,
    /// none of them long, with rising columns, and each diagonal has a column for each lane.
    template <typename Columns>
    bool collect(const StripsLayout& layout, std::int64_t slice, Columns& columns,
                 std::int64_t num_cols) {
        starts_.clear();
        const std::int64_t lanes = layout.shape.lanes;
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const std::int64_t row = layout.block_row_at(slice * lanes + lane);
            const std::int64_t entries = row < 0 ? -1 : layout.blocks[static_cast<std::size_t>(row)];
            if (entries < 0) return false;
            const Number* const of_row = columns.of(row);
            if (std::adjacent_find(of_row, of_row + entries, std::greater_equal<>()) !=
                of_row + entries)
                return false;
            for (std::int64_t k = 0; k < entries; ++k)
                starts_.push_back(static_cast<Number>(of_row[k] - static_cast<Number>(lane)));
        }
        std::ranges::sort(starts_);
        const auto repeated = std::ranges::unique(starts_);
        starts_.erase(repeated.begin(), repeated.end());
        return !starts_.empty() && starts_.front() >= 0 &&
               static_cast<std::int64_t>(starts_.back()) + lanes <= num_cols;
    }

    std::int64_t size() const { return std::ssize(starts_); }
    Number start(std::int64_t strip) const { return starts_[static_cast<std::size_t>(strip)]; }
    /// The strip that has this column for a lane.
    std::int64_t strip_of(Number column, std::int64_t lane) const {
        const auto start = static_cast<Number>(column - static_cast<Number>(lane));
        return std::ranges::lower_bound(starts_, start) - starts_.begin();
    }

  private:
    std::vector<Number> starts_;
};

/// Calls f(strip, lane, entry) for each entry of a slice that has holes; `entry` is its number in
/// the matrix. The diagonals must be those of the slice.
template <typename Columns, typename F>
void for_entries_between_holes(const CsrView& matrix, const StripsLayout& layout,
                               std::int64_t slice, Columns& columns,
                               const SliceDiagonals<typename Columns::Number>& diagonals, F f) {
    for (std::int64_t lane = 0; lane < layout.shape.lanes; ++lane) {
        const std::int64_t row = layout.block_row_at(slice * layout.shape.lanes + lane);
        const typename Columns::Number* const of_row = columns.of(row);
        const std::int64_t first = matrix.row_begin(row);
        for (std::int64_t k = 0; k < layout.blocks[static_cast<std::size_t>(row)]; ++k)
            f(diagonals.strip_of(of_row[k], lane), lane, first + k);
    }
}

}  // namespace spmvgen
