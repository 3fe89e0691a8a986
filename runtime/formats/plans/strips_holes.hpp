#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "formats/layout.hpp"
#include "formats/plans/strips_columns.hpp"
#include "formats/plans/strips_plan.hpp"
#include "spmvgen/matrix.hpp"

/// Slices whose strips are diagonals with holes: where a grid ends, rows lack entries, and the k-th
/// entries of neighbours are no neighbours any more; with a hole for each entry that lacks they
/// are.
namespace spmvgen {

/// Bytes of A that a CPU streams, from its caches or from memory, while it loads one element of x
/// that no neighbour is loaded with, or decodes a value.
inline constexpr std::int64_t single_load_bytes = 4;

/// So many diagonals at most a slice may be in place of `width` strips with deltas of a code, or of
/// the widest. On a GPU they take fewer bytes then with values of so many bytes as the matrix has,
/// for x is loaded for a hole, too. On a CPU they take less time with the values that are stored,
/// for what lies on a diagonal is loaded as one vector.
inline std::int64_t most_diagonals_of(const StripsShape& shape, std::int64_t width, int code,
                                      std::int64_t value_bytes) {
    if (shape.wavefront > 0) return most_diagonals(width, code, value_bytes);
    const std::int64_t delta = delta_bytes(std::min<int>(code, deltas_of_32_bits));
    const std::int64_t value = shape.hole_bytes + (shape.hole_bytes == 1 ? single_load_bytes : 0);
    return std::min((width * (value + delta + single_load_bytes) - 1) / value, most_strips);
}

/// The diagonals of one slice, columns less the lane's offset, in rising order.
template <typename Number>
class SliceDiagonals {
  public:
    /// Looks at slice `slice` of 1×1 blocks. Whether it can be stored so with at most `most` of
    /// them: all lanes have a row, none of them long, with rising columns, and each diagonal has a
    /// column for each lane. Ends as soon as it cannot.
    template <typename Columns>
    bool collect(const StripsLayout& layout, std::int64_t slice, Columns& columns,
                 std::int64_t num_cols, std::int64_t most) {
        starts_.clear();
        shape_ = layout.shape;
        const std::int64_t lanes = layout.shape.lanes;
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            const std::int64_t row = layout.block_row_at(slice * lanes + lane);
            const std::int64_t entries =
                row < 0 ? -1 : layout.blocks[static_cast<std::size_t>(row)];
            if (entries < 0 || !add(columns.of(row), entries, offset_of(lane)) || size() > most)
                return false;
        }
        return !starts_.empty() && starts_.front() >= 0 &&
               static_cast<std::int64_t>(starts_.back()) + shape_.offset_of(lanes - 1) < num_cols;
    }

    /// Takes those that were found of a slice of such a layout, which has their starts as bases.
    void take(const StripsLayout& layout, std::int64_t slice) {
        const auto s = static_cast<std::size_t>(slice);
        shape_ = layout.shape;
        starts_.clear();
        for (std::int64_t k = layout.slice_ptr[s]; k < layout.slice_ptr[s + 1]; ++k)
            starts_.push_back(static_cast<Number>(layout.bases[static_cast<std::size_t>(k)]));
    }
    void add_starts_to(std::vector<std::int64_t>& all) const {
        all.insert(all.end(), starts_.begin(), starts_.end());
    }

    std::int64_t size() const { return std::ssize(starts_); }
    Number start(std::int64_t strip) const { return starts_[static_cast<std::size_t>(strip)]; }
    /// Calls f(strip, k) for the k-th of so many columns of a lane, with the strip that has it.
    template <typename F>
    void for_strips_of(const Number* of_row, std::int64_t entries, std::int64_t lane, F f) const {
        const Number offset = offset_of(lane);
        std::int64_t strip = 0;
        for (std::int64_t k = 0; k < entries; ++k, ++strip) {
            while (start(strip) != static_cast<Number>(of_row[k] - offset)) ++strip;
            f(strip, k);
        }
    }

  private:
    Number offset_of(std::int64_t lane) const {
        return static_cast<Number>(shape_.offset_of(lane));
    }
    /// Those of one lane; false when its columns do not rise.
    bool add(const Number* of_row, std::int64_t entries, Number offset) {
        if (has_all(of_row, entries, offset)) return true;
        const auto end = of_row + entries;
        if (std::adjacent_find(of_row, end, std::greater_equal<>()) != end) return false;
        of_lane_.assign(of_row, end);
        for (Number& column : of_lane_) column = static_cast<Number>(column - offset);
        merged_.clear();
        std::ranges::set_union(starts_, of_lane_, std::back_inserter(merged_));
        std::swap(starts_, merged_);
        return true;
    }
    /// Whether these columns rise, and are on diagonals that are there already.
    bool has_all(const Number* of_row, std::int64_t entries, Number offset) const {
        auto start = starts_.begin();
        for (std::int64_t k = 0; k < entries; ++k, ++start) {
            const auto wanted = static_cast<Number>(of_row[k] - offset);
            while (start != starts_.end() && *start < wanted) ++start;
            if (start == starts_.end() || *start != wanted) return false;
        }
        return true;
    }

    StripsShape shape_;
    std::vector<Number> starts_, of_lane_, merged_;
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
        diagonals.for_strips_of(
            of_row, layout.blocks[static_cast<std::size_t>(row)], lane,
            [&](std::int64_t strip, std::int64_t k) { f(strip, lane, first + k); });
    }
}

/// Writes the values of one slice of diagonals with holes.
template <typename From, typename Columns, typename Values>
void write_between_holes(const CsrView& matrix, const StripsLayout& layout, std::int64_t slice,
                         Columns& columns, SliceDiagonals<typename Columns::Number>& diagonals,
                         const Values& values) {
    const auto s = static_cast<std::size_t>(slice);
    const std::int64_t lanes = layout.shape.lanes, first = layout.slice_ptr[s];
    const std::int64_t width = layout.slice_ptr[s + 1] - first;
    for (std::int64_t place = first * lanes; place < (first + width) * lanes; ++place)
        values.pad(place);
    const From* from = matrix.values_as<From>();
    diagonals.take(layout, slice);
    for_entries_between_holes(matrix, layout, slice, columns, diagonals,
                              [&](std::int64_t strip, std::int64_t lane, std::int64_t entry) {
                                  values.put(place_in_strips(first + strip, 1, 0, lanes, lane),
                                             from[entry]);
                              });
}

}  // namespace spmvgen
