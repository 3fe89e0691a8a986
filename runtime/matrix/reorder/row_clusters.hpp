#pragma once
#include <cstdint>
#include <vector>

#include "matrix/reorder/regions.hpp"
#include "spmvgen/matrix.hpp"

/// Clusters of rows that need the same elements of x, of a valid square matrix: a row's neighbours
/// are the rows that its columns name.
namespace spmvgen::reordering {

/// All rows in clusters of `size`, one after another: result[i] = the row at place i. First the
/// rows are put into regions by breadth from many of them at once, then each region into clusters,
/// grown by breadth one after another. `elsewhere` as for regions_of_rows(). Parallel, with the
/// same result for any number of threads (0 = what OpenMP would use).
std::vector<std::int32_t> row_clusters(const CsrView& matrix, int size, int threads = 0,
                                       const GoOnSearching& elsewhere = {});

/// As it would come out in `count` places that are spread evenly over the rows: `of_each` clusters
/// of `size` rows that follow one another, for each. Reads these rows only, and a byte for each row
/// of the matrix. Serial.
std::vector<std::int64_t> sampled_row_clusters(const CsrView& matrix, int size, int of_each,
                                               int count);

}  // namespace spmvgen::reordering
