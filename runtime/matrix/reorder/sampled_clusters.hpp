#pragma once
#include <cstdint>
#include <vector>

#include "matrix/entry_source.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen::reordering {

/// What row_clusters() might make of a valid square matrix in `count` places that are spread evenly
/// over the rows: `of_each` clusters of `size` rows that follow one another, for each. Each place
/// stands alone, so places that are near each other may share rows. Reads these rows only. `source`
/// has the columns where the matrix has none, and gives those of all places together, some rows
/// after others; all columns where that takes many steps. Null = the matrix has them. Serial.
std::vector<std::int64_t> sampled_row_clusters(const CsrView& matrix, int size, int of_each,
                                               int count, EntrySource* source = nullptr);

}  // namespace spmvgen::reordering
