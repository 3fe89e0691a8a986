#pragma once
#include <cstdint>
#include <vector>

#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// Entries of each cell of a matrix that is cut into cells of about equal size: what a plot of it
/// shows, whatever its size.
struct DensityGrid {
    int columns = 0, lines = 0;
    std::vector<std::int64_t> counts;  ///< columns · lines, line by line
    bool operator==(const DensityGrid&) const = default;
};

/// At most `columns` × `lines` cells (1 to 1000 each), no more than the matrix has columns and
/// rows. Reads row_ptr and col_idx once, in parallel. Throws Error(invalid_argument) for other
/// numbers and for a broken matrix (as validate).
DensityGrid density_grid(const CsrView& matrix, int columns, int lines);

}  // namespace spmvgen
