#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "matrix/features/row_strips.hpp"

/// What the fill ratios of dense blocks are counted with: Features::block_fill and BlockFill.
namespace spmvgen {

/// The different columns of a few neighbouring rows of A, and how many blocks cover them. Keeps its
/// memory from one to the next.
template <typename Offset, typename Index>
class BlockColumns {
  public:
    explicit BlockColumns(const CsrView& a)
        : row_ptr_(a.row_ptr_as<Offset>()), col_(a.col_idx_as<Index>()) {}

    /// Looks at rows first … last-1.
    void take(std::int64_t first, std::int64_t last) {
        columns_.clear();
        for (std::int64_t row = first; row < last; ++row) add_row(row);
    }
    /// Ascending, each once.
    std::span<const Index> columns() const { return columns_; }
    /// Blocks of `width` columns that begin at a multiple of it; width is 1 … 8.
    std::int64_t blocks(int width) const {
        switch (width) {
            case 1:
                return static_cast<std::int64_t>(columns_.size());
            case 2:
                return blocks_of<2>();
            case 3:
                return blocks_of<3>();
            case 4:
                return blocks_of<4>();
            case 5:
                return blocks_of<5>();
            case 6:
                return blocks_of<6>();
            case 7:
                return blocks_of<7>();
            default:
                return blocks_of<8>();
        }
    }

  private:
    void add_row(std::int64_t row) {
        const Index* begin = col_ + row_ptr_[row];
        const Index* end = col_ + row_ptr_[row + 1];
        // Ascending and without repetition, as most matrices are.
        if (std::adjacent_find(begin, end, std::greater_equal<>()) != end) {
            sorted_.assign(begin, end);
            std::ranges::sort(sorted_);
            sorted_.erase(std::ranges::unique(sorted_).begin(), sorted_.end());
            begin = sorted_.data();
            end = begin + sorted_.size();
        }
        merged_.clear();
        std::set_union(columns_.begin(), columns_.end(), begin, end, std::back_inserter(merged_));
        std::swap(columns_, merged_);
    }
    template <int width>
    std::int64_t blocks_of() const {
        std::int64_t count = 0;
        Index before = -1;
        for (const Index column : columns_) {
            const Index block = column / width;
            count += block != before;
            before = block;
        }
        return count;
    }

    const Offset* row_ptr_;
    const Index* col_;
    std::vector<Index> columns_, sorted_, merged_;
};

}  // namespace spmvgen
