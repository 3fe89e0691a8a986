#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "formats/block_row.hpp"
#include "formats/plans/strips_plan.hpp"
#include "spmvgen/matrix.hpp"

/// Block columns of a matrix and their ranges in strips: what both passes over the columns share.
namespace spmvgen {

/// Blocks of 1×1: the columns as they are.
template <typename Column>
class EntryColumns {
  public:
    using Number = Column;
    EntryColumns(const CsrView& matrix, const StripsShape&) : matrix_(matrix) {}
    const Column* of(std::int64_t row) {
        return matrix_.col_idx_as<Column>() + matrix_.row_begin(row);
    }
    static constexpr bool has_fill() { return false; }

  private:
    const CsrView& matrix_;
};

/// Larger blocks.
class BlockColumns {
  public:
    using Number = std::int64_t;
    BlockColumns(const CsrView& matrix, const StripsShape& shape)
        : row_(matrix, shape.block_rows, shape.block_cols, false),
          block_rows_(shape.block_rows),
          whole_(~std::uint64_t{0} >> (64 - shape.block_size())) {}

    const std::int64_t* of(std::int64_t block_row) {
        row_.make(block_row * block_rows_,
                  [](std::size_t, std::int64_t, std::int64_t, std::int64_t) {});
        return row_.columns().data();
    }
    /// Whether a block of the last block row is not whole.
    bool has_fill() const {
        for (std::size_t k = 0; k < row_.size(); ++k)
            if (row_.mask(k) != whole_) return true;
        return false;
    }
    BlockRow& row() { return row_; }

  private:
    BlockRow row_;
    std::int64_t block_rows_;
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

/// Of each strip of one slice the range of its block columns, and of these less the lane's offset.
template <typename Number>
class StripRanges {
  public:
    /// Looks at slice `slice`.
    template <typename Columns>
    void collect(const StripsLayout& layout, std::int64_t slice, Columns& columns) {
        const auto s = static_cast<std::size_t>(slice);
        reset(static_cast<std::size_t>(layout.slice_ptr[s + 1] - layout.slice_ptr[s]));
        const std::int64_t t = layout.shape.threads_per_row;
        for (std::int64_t p = 0; p < layout.shape.positions(); ++p) {
            const std::int64_t row = layout.block_row_at(slice * layout.shape.positions() + p);
            if (row < 0) break;
            if (layout.blocks[static_cast<std::size_t>(row)] <= 0) continue;
            const Number* const of_row = columns.of(row);
            has_fill_ = has_fill_ || columns.has_fill();
            const std::int64_t blocks = layout.blocks[static_cast<std::size_t>(row)];
            const auto offset = static_cast<Number>(layout.shape.offset_of(p * t));
            if (t == 1)
                add(of_row, blocks, offset);
            else
                add_shared(of_row, blocks, t, offset,
                           static_cast<Number>(layout.shape.offset_of(1)));
        }
    }
    bool has_fill() const { return has_fill_; }

    /// The narrowest code that fits all strips; 4 when none does.
    int narrowest() const {
        bool affine = true;
        std::uint64_t widest = 0;
        for (std::size_t k = 0; k < low_.size(); ++k) {
            affine = affine && least_start_[k] == greatest_start_[k];
            widest = std::max(
                widest, static_cast<std::uint64_t>(high_[k]) - static_cast<std::uint64_t>(low_[k]));
        }
        return affine              ? 0
               : widest >> 8 == 0  ? 1
               : widest >> 16 == 0 ? 2
               : widest >> 32 == 0 ? 3
                                   : 4;
    }
    /// The base of strip k for that code.
    std::int64_t base(std::size_t k, int code) const {
        return code == affine_deltas ? least_start_[k] : low_[k];
    }

  private:
    void reset(std::size_t strips) {
        low_.assign(strips, std::numeric_limits<Number>::max());
        high_.assign(strips, std::numeric_limits<Number>::lowest());
        least_start_ = low_;
        greatest_start_ = high_;
        has_fill_ = false;
    }
    /// The blocks of a row with a lane of its own.
    void add(const Number* columns, std::int64_t strips, Number offset) {
        Number* const low = low_.data();
        Number* const high = high_.data();
        Number* const least = least_start_.data();
        Number* const greatest = greatest_start_.data();
#pragma omp simd
        for (std::int64_t k = 0; k < strips; ++k) {
            const Number column = columns[k];
            const auto start = static_cast<Number>(column - offset);
            low[k] = std::min(low[k], column);
            high[k] = std::max(high[k], column);
            least[k] = std::min(least[k], start);
            greatest[k] = std::max(greatest[k], start);
        }
    }
    /// Those of a row that so many lanes share: the offset of the first one, and of each of the
    /// others `step` more.
    void add_shared(const Number* columns, std::int64_t blocks, std::int64_t lanes, Number offset,
                    Number step) {
        for (std::size_t k = 0; blocks > 0; ++k, columns += lanes, blocks -= lanes) {
            Number low = low_[k], high = high_[k];
            Number least = least_start_[k], greatest = greatest_start_[k];
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
            least_start_[k] = least;
            greatest_start_[k] = greatest;
        }
    }

    std::vector<Number> low_, high_, least_start_, greatest_start_;
    bool has_fill_ = false;
};

}  // namespace spmvgen
