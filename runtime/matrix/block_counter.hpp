#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <span>
#include <vector>

#include "matrix/features_parts.hpp"
#include "matrix/gallery/random.hpp"

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

/// Neighbouring rows that are looked at together: a multiple of most heights of blocks.
constexpr std::int64_t strip_rows = 24;

/// Strip `number` begins with row number · strip_rows; drawn `times` times.
struct RowStrip {
    std::int64_t number, times;
};

/// How many strips are drawn.
struct StripLimits {
    std::int64_t draws;    ///< at most
    std::int64_t entries;  ///< at most so many in all strips but the last
};

/// All strips of A, each once.
inline std::vector<RowStrip> all_strips(const CsrView& a) {
    std::vector<RowStrip> strips;
    for (std::int64_t s = 0; s * strip_rows < a.rows; ++s) strips.push_back({s, 1});
    return strips;
}

/// Entries of a strip.
inline std::int64_t strip_entries(const CsrView& a, std::int64_t number) {
    return a.row_begin(std::min(number * strip_rows + strip_rows, a.rows)) -
           a.row_begin(number * strip_rows);
}

/// The strips of entries drawn at random. A strip's chance grows with its entries, and the mean of
/// the strips' fill ratios estimates the matrix' without bias, rows of very different length
/// included.
template <typename Offset>
std::vector<RowStrip> draw_strips(const CsrView& a, const StripLimits& limits) {
    const generators::Random random(0, generators::Purpose::place);
    std::map<std::int64_t, std::int64_t> times;
    std::int64_t entries = 0;
    for (std::int64_t draw = 0; draw < limits.draws && entries < limits.entries; ++draw) {
        const std::int64_t k = random.below(a.nnz, draw);
        const std::int64_t s = row_of_entry(a.row_ptr_as<Offset>(), a.rows, k) / strip_rows;
        if (times[s]++ == 0) entries += strip_entries(a, s);
    }
    std::vector<RowStrip> strips;
    for (const auto& [s, count] : times) strips.push_back({s, count});
    return strips;
}

}  // namespace spmvgen
