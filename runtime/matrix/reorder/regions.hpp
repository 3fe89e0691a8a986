#pragma once
#include <cstdint>
#include <vector>

#include "spmvgen/matrix.hpp"

namespace spmvgen::reordering {

/// Rows in regions of neighbours.
struct Regions {
    std::vector<std::int32_t> of_row;  ///< number of each row's region
    std::int32_t count = 0;
};

/// Regions of about so many rows of a valid square matrix: each row belongs to the seed from which
/// the fewest steps from a row to its columns lead to it. Parallel, with the same result for any
/// number of threads (0 = what OpenMP would use).
Regions regions_of_rows(const CsrView& matrix, std::int64_t rows_a_region, int threads = 0);

}  // namespace spmvgen::reordering
