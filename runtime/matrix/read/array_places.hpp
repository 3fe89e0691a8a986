#pragma once
#include <cstdint>
#include <string_view>

#include "matrix/read/entry_list.hpp"
#include "matrix/read/market_header.hpp"

namespace spmvgen {

/// A block of array entries and the number of its first entry within the file.
template <typename Row, typename Col, typename Value>
struct ArrayBlock {
    BlockEntries entries;
    Segment<Row, Col, Value>* segment = nullptr;
    std::int64_t first = 0;
};

/// Walks the places of an array in the order of the file: column by column, of a symmetric one the
/// lower triangle, of a skew-symmetric one without the diagonal.
class ArrayWalk {
  public:
    /// Stands in the column of entry `number`.
    ArrayWalk(const MarketHeader& header, std::int64_t number)
        : symmetric_(header.is_symmetric()),
          below_(header.symmetry == MarketSymmetry::skew_symmetric ? 1 : 0),
          rows_(header.rows) {
        std::int64_t last = header.cols;
        while (last - col > 1) {
            const std::int64_t middle = col + (last - col) / 2;
            (column_begin(middle) <= number ? col : last) = middle;
        }
    }

    /// Moves on to entry `number`, which is not before the present one.
    void go_to(std::int64_t number) {
        while (number >= column_begin(col + 1)) ++col;
        row = (symmetric_ ? col + below_ : 0) + (number - column_begin(col));
    }

    std::int64_t row = 0;
    std::int64_t col = 0;

  private:
    /// Number of the first entry of a column.
    std::int64_t column_begin(std::int64_t column) const {
        const std::int64_t missing = symmetric_ ? column * (column - 1) / 2 + column * below_ : 0;
        return column * rows_ - missing;
    }

    const bool symmetric_;
    const std::int64_t below_;  ///< 1 when columns start below the diagonal
    const std::int64_t rows_;
};

/// Replaces the numbers that a block's entries have as rows by rows and columns. Returns the number
/// within the file of the first entry that its symmetry forbids, or INT64_MAX.
template <typename Row, typename Col, typename Value>
std::int64_t place_entries(const MarketHeader& header, ArrayBlock<Row, Col, Value>& block) {
    if constexpr (std::is_same_v<Value, NoValue>) {
        return INT64_MAX;
    } else {
        std::int64_t wrong = INT64_MAX;
        ArrayWalk walk(header, block.first);
        auto& s = *block.segment;
        for (std::size_t k = block.entries.begin; k < block.entries.begin + block.entries.kept;
             ++k) {
            const std::int64_t number = block.first + s.rows[k];
            walk.go_to(number);
            s.rows[k] = static_cast<Row>(walk.row);
            s.cols[k] = static_cast<Col>(walk.col);
            if constexpr (!std::is_same_v<Value, double>)
                if (header.symmetry == MarketSymmetry::hermitian && walk.row == walk.col &&
                    s.values[k].imag() != 0 && wrong == INT64_MAX)
                    wrong = number;
        }
        return wrong;
    }
}

}  // namespace spmvgen
