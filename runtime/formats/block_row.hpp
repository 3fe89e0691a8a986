#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
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
                distribute_once(col_idx, first, last, take);
            else
                distribute(col_idx, first, last, take);
        });
    }
    /// The same blocks, of which size() alone is told, and columns() where the columns of each row
    /// ascend, none twice; gives whether they do.
    bool count(std::int64_t first) {
        return dispatch(matrix_.index_type, [&]<typename Column>(Column) {
            const std::int64_t last = std::min(first + rows_, matrix_.rows);
            const Column* const col_idx = matrix_.col_idx_as<Column>();
            // Where no column is there twice, each block is there once.
            const bool ascending = collect(col_idx, first, last);
            if (!ascending)
                distribute(col_idx, first, last,
                           [](std::size_t, std::int64_t, std::int64_t, std::int64_t) {});
            return ascending;
        });
    }
    /// make() where these are columns() of the same block row, and none is there twice.
    template <typename Take>
    void make(std::int64_t first, std::span<const std::int64_t> columns, Take take) {
        columns_.assign(columns.begin(), columns.end());
        marks_ = false;
        if (!columns.empty() && columns.back() - columns.front() < widest) {
            marks_ = true;
            least_ = columns.front();
            number_columns(columns.back() - least_ + 1);
        }
        dispatch(matrix_.index_type, [&]<typename Column>(Column) {
            distribute_once(matrix_.col_idx_as<Column>(), first,
                            std::min(first + rows_, matrix_.rows), take);
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
    /// Block columns, from the first to the last, up to which they are marked: of an entry, for
    /// marks are looked through, and in all, for their numbers take memory.
    static constexpr std::int64_t widest_an_entry = 64, widest = std::int64_t{1} << 22;

    /// Notes which columns_ has which number; they are in `width` from least_ on.
    void number_columns(std::int64_t width) {
        if (std::ssize(numbers_) < width) numbers_.resize(static_cast<std::size_t>(width));
        for (std::size_t block = 0; block < columns_.size(); ++block)
            numbers_[static_cast<std::size_t>(columns_[block] - least_)] =
                static_cast<std::uint32_t>(block);
    }

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

    /// Whether the columns of each row ascend, none twice.
    template <typename Column>
    bool ascend(const Column* col_idx, std::int64_t first, std::int64_t last) const {
        int falls = 0;
        for (std::int64_t row = first; row < last; ++row) {
            const std::int64_t begin = matrix_.row_begin(row), end = matrix_.row_begin(row + 1);
            for (std::int64_t k = begin; k + 1 < end; ++k) falls |= col_idx[k] >= col_idx[k + 1];
        }
        return falls == 0;
    }

    /// Calls visit(block column, begin, end) for the entries of a row: as many as follow one
    /// another in one block.
    template <typename Column, typename Visit>
    void for_runs(const Column* col_idx, std::int64_t row, Visit visit) const {
        const std::int64_t begin = matrix_.row_begin(row), end = matrix_.row_begin(row + 1);
        if (cols_ == 1) {
            for (std::int64_t k = begin; k < end; ++k)
                visit(static_cast<std::int64_t>(col_idx[k]), k, k + 1);
            return;
        }
        for (std::int64_t k = begin; k < end;) {
            const std::int64_t column = block_column(col_idx[k]), first = k;
            while (++k < end && within(col_idx[k], column * cols_)) {
            }
            visit(column, first, k);
        }
    }

    /// columns_ = the different block columns of these rows, ascending. Returns whether the columns
    /// of each row ascend, none twice.
    template <typename Column>
    bool collect(const Column* col_idx, std::int64_t first, std::int64_t last) {
        columns_.clear();
        if (!ascend(col_idx, first, last)) {
            merge(col_idx, first, last);
            return false;
        }
        std::int64_t least = INT64_MAX, most = -1;
        for (std::int64_t row = first; row < last; ++row) {
            const std::int64_t begin = matrix_.row_begin(row), end = matrix_.row_begin(row + 1);
            if (begin == end) continue;
            least = std::min<std::int64_t>(least, col_idx[begin]);
            most = std::max<std::int64_t>(most, col_idx[end - 1]);
        }
        if (most < 0) return true;
        least_ = block_column(least);
        const std::int64_t width = block_column(most) - least_ + 1;
        const std::int64_t entries = matrix_.row_begin(last) - matrix_.row_begin(first);
        marks_ = width <= std::min(widest_an_entry * entries, widest);
        if (marks_)
            mark(col_idx, first, last, width);
        else
            merge(col_idx, first, last);
        return true;
    }

    /// collect() by a bit for each block column from the first one on.
    template <typename Column>
    void mark(const Column* col_idx, std::int64_t first, std::int64_t last, std::int64_t width) {
        const auto words = static_cast<std::size_t>((width + 63) / 64);
        if (marked_.size() < words) marked_.resize(words, 0);
        for (std::int64_t row = first; row < last; ++row)
            for_runs(col_idx, row, [&](std::int64_t column, std::int64_t, std::int64_t) {
                const auto bit = static_cast<std::uint64_t>(column - least_);
                marked_[bit / 64] |= std::uint64_t{1} << bit % 64;
            });
        for (std::size_t word = 0; word < words; ++word)
            for (std::uint64_t left = std::exchange(marked_[word], 0); left != 0; left &= left - 1)
                columns_.push_back(least_ + static_cast<std::int64_t>(64 * word) +
                                   std::countr_zero(left));
        number_columns(width);
    }

    /// collect() row by row.
    template <typename Column>
    void merge(const Column* col_idx, std::int64_t first, std::int64_t last) {
        for (std::int64_t row = first; row < last; ++row) {
            of_row_.clear();
            bool ascending = true;
            for_runs(col_idx, row, [&](std::int64_t column, std::int64_t, std::int64_t) {
                if (!of_row_.empty() && of_row_.back() == column) return;
                ascending = ascending && (of_row_.empty() || of_row_.back() < column);
                of_row_.push_back(column);
            });
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
    }

    /// Gives each entry a block, where each block is there once: no column is in a row twice.
    template <typename Column, typename Take>
    void distribute_once(const Column* col_idx, std::int64_t first, std::int64_t last, Take take) {
        masks_.assign(columns_.size(), 0);
        // Kept in registers, whatever `take` writes.
        std::uint64_t* const masks = masks_.data();
        const std::uint32_t* const numbers = numbers_.data();
        const std::int64_t cols = cols_, least = least_;
        const bool marks = marks_;
        for (std::int64_t row = first; row < last; ++row) {
            const std::int64_t i = row - first, first_bit = i * cols;
            std::size_t block = 0;
            for_runs(col_idx, row, [&](std::int64_t column, std::int64_t begin, std::int64_t end) {
                if (marks) {
                    block = numbers[column - least];
                } else {
                    if (columns_[block] > column) block = 0;
                    while (columns_[block] != column) ++block;
                }
                const std::int64_t origin = cols == 1 ? column : first_column(column);
                std::uint64_t mask = masks[block];
                for (std::int64_t k = begin; k < end; ++k) {
                    const std::int64_t j = col_idx[k] - origin;
                    mask |= std::uint64_t{1} << (first_bit + j);
                    take(block, i, j, k);
                }
                masks[block] = mask;
            });
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
    /// Where block columns were marked (those that are not too far apart): a bit each, which is 0
    /// again behind it, and their numbers, both from least_ on.
    bool marks_ = false;
    std::int64_t least_ = 0;
    std::vector<std::uint64_t> marked_;
    std::vector<std::uint32_t> numbers_;
    std::vector<std::uint64_t> masks_;
    /// Of elements that occur more than once, the block that has the last: by 64·block + bit.
    std::unordered_map<std::int64_t, std::size_t> last_;
};

}  // namespace spmvgen
