#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/plans/strips_plan.hpp"
#include "spmvgen/matrix.hpp"

/// Block columns of a matrix and their ranges in strips: what both passes over the columns share.
namespace spmvgen {

/// Blocks of 1×1: the columns as they are.
template <typename Column>
class EntryColumns {
  public:
    using Number = Column;
    EntryColumns(const CsrView& matrix, const StripsLayout&) : matrix_(matrix) {}
    const Column* of(std::int64_t row) {
        return matrix_.col_idx_as<Column>() + matrix_.row_begin(row);
    }
    const CsrView& matrix() const { return matrix_; }
    /// Of all entries.
    const Column* all() const { return matrix_.col_idx_as<Column>(); }
    static constexpr bool has_fill() { return false; }

  private:
    const CsrView& matrix_;
};

/// Larger blocks, as the layout keeps them.
class BlockColumns {
  public:
    using Number = std::int64_t;
    BlockColumns(const CsrView&, const StripsLayout& layout)
        : layout_(layout), whole_(~std::uint64_t{0} >> (64 - layout.shape.block_size())) {}

    const std::int64_t* of(std::int64_t block_row) { return blocks_of(block_row).data(); }
    /// All of a block row, which must not be a long one.
    std::span<const std::int64_t> blocks_of(std::int64_t block_row) {
        const auto row = static_cast<std::size_t>(block_row);
        const auto& part =
            layout_.blocks_kept
                .parts[static_cast<std::size_t>(block_row / StripsBlocks::rows_a_part)];
        const std::size_t begin = layout_.blocks_kept.begins[row];
        masks_ = {part.masks.data() + begin, static_cast<std::size_t>(layout_.blocks[row])};
        return {part.columns.data() + begin, masks_.size()};
    }
    /// Of the last block row.
    std::uint64_t mask(std::size_t block) const { return masks_[block]; }
    /// Whether a block of it is not whole.
    bool has_fill() const {
        return std::ranges::any_of(masks_, [&](std::uint64_t mask) { return mask != whole_; });
    }

  private:
    const StripsLayout& layout_;
    std::span<const std::uint64_t> masks_;
    std::uint64_t whole_;
};

/// Calls f(type) with a null pointer to the class that has the matrix's columns for the shape.
template <typename F>
decltype(auto) dispatch_columns(const CsrView& matrix, const StripsShape& shape, F&& f) {
    if (shape.block_size() > 1) return f(static_cast<BlockColumns*>(nullptr));
    return dispatch(matrix.index_type, [&]<typename Column>(Column) {
        return f(static_cast<EntryColumns<Column>*>(nullptr));
    });
}

/// The lanes of one slice that have entries of their own rows, for passes that take its strips one
/// after the other: what they write lies side by side, and what they find of a strip stays in
/// registers.
class SliceLanes {
  public:
    struct Lane {
        std::int64_t first = 0;    ///< entry of the matrix
        std::int64_t entries = 0;  ///< of the row
        std::int64_t number = 0;
    };

    /// Looks at slice `slice` of 1×1 blocks, with a lane a row.
    void take(const CsrView& matrix, const StripsLayout& layout, std::int64_t slice) {
        lanes_.resize(static_cast<std::size_t>(layout.shape.lanes));
        count_ = 0;
        shortest_ = std::numeric_limits<std::int64_t>::max();
        dispatch(matrix.offset_type, [&]<typename Offset>(Offset) {
            const Offset* const row_ptr = matrix.row_ptr_as<Offset>();
            const std::int64_t* const blocks = layout.blocks.data();
            layout.for_block_rows(slice, [&](std::int64_t lane, std::int64_t row) {
                if (blocks[row] > 0) add({row_ptr[row], blocks[row], lane});
            });
        });
    }
    /// Those that have an entry in strip `strip`, which is not below that of the call before.
    std::span<const Lane> of(std::int64_t strip) {
        if (strip >= shortest_) drop(strip);
        return {lanes_.data(), count_};
    }

  private:
    void add(const Lane& lane) {
        lanes_[count_++] = lane;
        shortest_ = std::min(shortest_, lane.entries);
    }
    void drop(std::int64_t strip) {
        const std::size_t before = std::exchange(count_, 0);
        shortest_ = std::numeric_limits<std::int64_t>::max();
        for (std::size_t i = 0; i < before; ++i)
            if (lanes_[i].entries > strip) add(lanes_[i]);
    }

    std::vector<Lane> lanes_;
    std::size_t count_ = 0;
    std::int64_t shortest_ = 0;
};

/// Of each strip of one slice the range of its block columns, and whether these less the lane's
/// offset are equal.
template <typename Number>
class StripRanges {
  public:
    /// Looks at slice `slice`. With `reach`, of columns of which none is farther from another one,
    /// bases are not wanted: it ends where the narrowest code is known.
    template <typename Columns>
    void collect(const StripsLayout& layout, std::int64_t slice, Columns& columns,
                 std::optional<std::uint64_t> reach = {}) {
        const auto s = static_cast<std::size_t>(slice);
        const auto strips = static_cast<std::size_t>(layout.slice_ptr[s + 1] - layout.slice_ptr[s]);
        has_fill_ = false;
        low_.resize(strips);
        start_.resize(strips);
        if constexpr (!std::is_same_v<Columns, BlockColumns>)
            if (layout.shape.threads_per_row == 1) {
                lanes_.take(columns.matrix(), layout, slice);
                return collect_strips(columns.all(), layout.shape.period, reach);
            }
        collect_rows(layout, slice, columns);
    }
    bool has_fill() const { return has_fill_; }

    /// The narrowest code that fits all strips, or no_code.
    int narrowest() const { return narrowest_code(affine_, widest_); }
    /// The base of strip k for that code, which is not below the narrowest.
    std::int64_t base(std::size_t k, int code) const {
        return code == affine_deltas ? start_[k] : low_[k];
    }

  private:
    /// Entries, with a lane a row.
    void collect_strips(const Number* columns, std::int64_t period,
                        std::optional<std::uint64_t> reach) {
        const int widest_code = reach ? narrowest_code(false, *reach) : -1;
        affine_ = true;
        widest_ = 0;
        for (std::size_t k = 0; k < low_.size(); ++k) {
            const auto lanes = lanes_.of(static_cast<std::int64_t>(k));
            const Number* const of_strip = columns + k;
            if (affine_) {
                const std::int64_t start = of_strip[lanes[0].first] - lanes[0].number * period;
                std::int64_t differs = 0;
                for (auto& lane : lanes)
                    differs |= (of_strip[lane.first] - lane.number * period) ^ start;
                affine_ = differs == 0;
                start_[k] = static_cast<Number>(start);
            }
            Number low = of_strip[lanes.front().first], high = of_strip[lanes.back().first];
            if (!affine_)
                for (auto& lane : lanes) {
                    const Number column = of_strip[lane.first];
                    low = std::min(low, column);
                    high = std::max(high, column);
                }
            low_[k] = low;
            widest_ = std::max(widest_,
                               static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low));
            if (!affine_ && narrowest_code(false, widest_) == widest_code) return;
        }
    }
    /// Blocks, and rows that lanes share.
    template <typename Columns>
    void collect_rows(const StripsLayout& layout, std::int64_t slice, Columns& columns) {
        std::ranges::fill(low_, std::numeric_limits<Number>::max());
        std::ranges::fill(start_, std::numeric_limits<Number>::max());
        high_.assign(low_.size(), std::numeric_limits<Number>::lowest());
        greatest_start_ = high_;
        const std::int64_t t = layout.shape.threads_per_row;
        for (std::int64_t p = 0; p < layout.shape.positions(); ++p) {
            const std::int64_t row = layout.block_row_at(slice * layout.shape.positions() + p);
            if (row < 0) break;
            const std::int64_t blocks = layout.blocks[static_cast<std::size_t>(row)];
            if (blocks <= 0) continue;
            const Number* const of_row = columns.of(row);
            has_fill_ = has_fill_ || columns.has_fill();
            add_row(of_row, blocks, t, static_cast<Number>(layout.shape.offset_of(p * t)),
                    static_cast<Number>(layout.shape.offset_of(1)));
        }
        affine_ = start_ == greatest_start_;
        widest_ = 0;
        for (std::size_t k = 0; k < low_.size(); ++k)
            widest_ = std::max(widest_, static_cast<std::uint64_t>(high_[k]) -
                                            static_cast<std::uint64_t>(low_[k]));
    }
    /// Those of a row that so many lanes share: the offset of the first one, and of each of the
    /// others `step` more.
    void add_row(const Number* columns, std::int64_t blocks, std::int64_t lanes, Number offset,
                 Number step) {
        for (std::size_t k = 0; blocks > 0; ++k, columns += lanes, blocks -= lanes) {
            Number low = low_[k], high = high_[k];
            Number least = start_[k], greatest = greatest_start_[k];
            Number of_lane = offset;
            for (std::int64_t i = 0; i < std::min(lanes, blocks); ++i) {
                const Number column = columns[i];
                const auto start = static_cast<Number>(column - of_lane);
                low = std::min(low, column);
                high = std::max(high, column);
                least = std::min(least, start);
                greatest = std::max(greatest, start);
                of_lane = static_cast<Number>(of_lane + step);
            }
            low_[k] = low;
            high_[k] = high;
            start_[k] = least;
            greatest_start_[k] = greatest;
        }
    }

    SliceLanes lanes_;
    std::vector<Number> low_, start_;            ///< of each strip
    std::vector<Number> high_, greatest_start_;  ///< of collect_rows() alone
    bool affine_ = true;
    std::uint64_t widest_ = 0;
    bool has_fill_ = false;
};

}  // namespace spmvgen
