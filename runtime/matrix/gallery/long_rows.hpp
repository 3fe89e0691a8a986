#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "matrix/gallery/builder.hpp"

namespace spmvgen::generators {

/// The entries that LongRows adds to a pattern.
class AddedEntries {
  public:
    /// `row` gives the pattern without them.
    AddedEntries(const Shape& shape, const RowColumns& row, const LongRows& wanted);

    /// Appends those of row i.
    void append(std::int64_t i, Columns& columns) const;

  private:
    std::vector<std::pair<std::int64_t, std::int64_t>> entries_;  ///< ascending
};

}  // namespace spmvgen::generators
