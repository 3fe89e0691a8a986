#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// The blocks of one block row: first those that differ in their columns, ascending, then those
/// that take what a column has twice in a row of A.
class BlockRow {
  public:
    /// Blocks of rows × cols elements. With `within` the last block of a row of blocks ends with A,
    /// so that no block reaches beyond it unless A is narrower than a block; else each begins at a
    /// multiple of `cols`.
    BlockRow(const CsrView& matrix, std::int64_t rows, std::int64_t cols, bool within)
        : matrix_(matrix), rows_(rows), cols_(cols), within_(within) {}

    /// Makes the blocks of rows first … first + rows - 1. `take(block, i, j, entry)` is called for
    /// each entry, in its order within its row.
    template <typename Take>
    void make(std::int64_t first, Take take) {
        dispatch(matrix_.index_type, [&]<typename Column>(Column) {
            const std::int64_t last = std::min(first + rows_, matrix_.rows);
            const Column* const col_idx = matrix_.col_idx_as<Column>();
            if (collect(col_idx, first, last))
                distribute_ascending(col_idx, first, last, take);
            else
                distribute(col_idx, first, last, take);
        });
    }
    /// The same blocks, of which size() alone is told.
    void count(std::int64_t first) {
        dispatch(matrix_.index_type, [&]<typename Column>(Column) {
            const std::int64_t last = std::min(first + rows_, matrix_.rows);
            const Column* const col_idx = matrix_.col_idx_as<Column>();
            // Where no column is there twice, each block is there once.
            if (!collect(col_idx, first, last))
                distribute(col_idx, first, last,
                           [](std::size_t, std::int64_t, std::int64_t, std::int64_t) {});
        });
    }
    std::size_t size() const { return columns_.size(); }
    /// Of each block the elements that are there, a bit each.
    const std::vector<std::uint64_t>& masks() const { return masks_; }
    std::uint64_t mask(std::size_t block) const { return masks_[block]; }
    /// The block columns; a block begins at `cols` times its own unless it had to be moved.
    const std::vector<std::int64_t>& columns() const { return columns_; }
    /// The column of A that a block begins with.
    std::int64_t first_column_of(std::size_t block) const { return first_column(columns_[block]); }

  private:
    /// column / cols_; a division of 64 bits takes several times as long as one of 32.
    std::int64_t block_column(std::int64_t column) const {
        if (cols_ == 1) return column;
        if (column > UINT32_MAX) return column / cols_;
        return static_cast<std::uint32_t>(column) / static_cast<std::uint32_t>(cols_);
    }

    /// Whether the block of columns that begins there has this one.
    bool within(std::int64_t column, std::int64_t begin) const {
        return static_cast<std::uint64_t>(column - begin) < static_cast<std::uint64_t>(cols_);
    }

    std::int64_t first_column(std::int64_t column) const {
        if (!within_) return column * cols_;
        return std::max<std::int64_t>(0, std::min(column * cols_, matrix_.cols - cols_));
    }

    /// Which of the first `distinct` blocks begins there; in ascending rows mostly the next one.
    std::size_t find(std::int64_t column, std::size_t before, std::ptrdiff_t distinct) const {
        const std::size_t next = before + 1;
        if (next < static_cast<std::size_t>(distinct) && columns_[next] == column) return next;
        const auto begin = columns_.begin();
        return static_cast<std::size_t>(std::lower_bound(begin, begin + distinct, column) - begin);
    }

    /// columns_ = the different block columns of these rows, ascending. Returns whether the columns
    /// of each row ascend, none twice.
    template <typename Column>
    bool collect(const Column* col_idx, std::int64_t first, std::int64_t last) {
        columns_.clear();
        bool all_ascend = true;
        for (std::int64_t row = first; row < last; ++row) {
            const std::int64_t begin = matrix_.row_begin(row), end = matrix_.row_begin(row + 1);
            if (has_all_columns(col_idx + begin, col_idx + end))
                continue;  // as in most with blocks
            of_row_.clear();
            bool ascending = true;
            std::int64_t begin_of_block = 0;
            for (std::int64_t k = begin; k < end; ++k) {
                all_ascend = all_ascend && (k == begin || col_idx[k - 1] < col_idx[k]);
                if (k > begin && within(col_idx[k], begin_of_block)) continue;
                const std::int64_t column = block_column(col_idx[k]);
                begin_of_block = column * cols_;
                ascending = ascending && (of_row_.empty() || of_row_.back() < column);
                of_row_.push_back(column);
            }
            if (!ascending) {
                std::ranges::sort(of_row_);
                of_row_.erase(std::ranges::unique(of_row_).begin(), of_row_.end());
            }
            if (columns_ == of_row_) continue;
            merged_.resize(columns_.size() + of_row_.size());
            const auto end_of_both = std::ranges::set_union(columns_, of_row_, merged_.begin()).out;
            merged_.erase(end_of_both, merged_.end());
            std::swap(columns_, merged_);
        }
        return all_ascend;
    }

    /// Whether a row's columns ascend, none twice, and are in each of the blocks so far, in no
    /// other.
    template <typename Column>
    bool has_all_columns(const Column* begin, const Column* end) const {
        std::size_t block = 0;
        for (const Column* column = begin; column != end; ++block) {
            if (block == columns_.size() || !within(*column, columns_[block] * cols_)) return false;
            for (++column; column != end && within(*column, columns_[block] * cols_); ++column)
                if (column[-1] >= *column) return false;
        }
        return block == columns_.size();
    }

    /// Gives each entry a block, where columns ascend in all rows: each block is there once.
    template <typename Column, typename Take>
    void distribute_ascending(const Column* col_idx, std::int64_t first, std::int64_t last,
                              Take take) {
        masks_.assign(columns_.size(), 0);
        for (std::int64_t row = first; row < last; ++row) {
            const std::int64_t i = row - first, end = matrix_.row_begin(row + 1);
            std::size_t block = 0;
            for (std::int64_t k = matrix_.row_begin(row); k < end; ++block) {
                while (!within(col_idx[k], columns_[block] * cols_)) ++block;
                const std::int64_t begin = columns_[block] * cols_;
                const std::int64_t origin = first_column(columns_[block]);
                std::uint64_t mask = masks_[block];
                for (; k < end && within(col_idx[k], begin); ++k) {
                    const std::int64_t j = col_idx[k] - origin;
                    mask |= std::uint64_t{1} << (i * cols_ + j);
                    take(block, i, j, k);
                }
                masks_[block] = mask;
            }
        }
    }

    /// The same of any columns; columns_ are those of collect().
    template <typename Column, typename Take>
    void distribute(const Column* col_idx, std::int64_t first, std::int64_t last, Take take) {
        masks_.assign(columns_.size(), 0);
        next_.assign(columns_.size(), -1);
        last_.clear();
        const auto distinct = static_cast<std::ptrdiff_t>(columns_.size());
        for (std::int64_t row = first; row < last; ++row) {
            std::size_t block = 0;
            const std::int64_t end = matrix_.row_begin(row + 1);
            // Of the block's columns, as they are counted: the first, and that of its elements.
            std::int64_t begin = 0, origin = 0;
            for (std::int64_t k = matrix_.row_begin(row); k < end; ++k) {
                if (k == matrix_.row_begin(row) || !within(col_idx[k], begin)) {
                    const std::int64_t column = block_column(col_idx[k]);
                    if (columns_[block] != column) block = find(column, block, distinct);
                    begin = column * cols_;
                    origin = first_column(column);
                }
                const std::int64_t i = row - first, j = col_idx[k] - origin;
                take(free_block(block, i * cols_ + j), i, j, k);
            }
        }
    }

    /// The first of the blocks over `block`'s columns whose element `bit` is free; it is taken.
    std::size_t free_block(std::size_t block, std::int64_t bit) {
        const std::uint64_t element = std::uint64_t{1} << bit;
        if ((masks_[block] & element) != 0) {
            const auto last =
                last_.try_emplace(static_cast<std::int64_t>(block) * 64 + bit, block).first;
            if (next_[last->second] < 0) {
                next_[last->second] = static_cast<std::int64_t>(columns_.size());
                columns_.push_back(columns_[block]);
                masks_.push_back(0);
                next_.push_back(-1);
            }
            block = last->second = static_cast<std::size_t>(next_[last->second]);
        }
        masks_[block] |= element;
        return block;
    }

    const CsrView& matrix_;
    std::int64_t rows_, cols_;
    bool within_;
    std::vector<std::int64_t> columns_, next_, of_row_, merged_;
    std::vector<std::uint64_t> masks_;
    /// Of elements that occur more than once, the block that has the last: by 64·block + bit.
    std::unordered_map<std::int64_t, std::size_t> last_;
};

}  // namespace spmvgen
