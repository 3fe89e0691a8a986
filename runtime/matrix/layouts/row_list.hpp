#pragma once
#include <cstdint>
#include <vector>

#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// The listed rows, counted from 0, of arrays in host memory that count from `base`. Throws
/// Error(invalid_argument), naming the element, for sizes that contradict each other and for a row
/// that is out of range or is there twice. Takes time by the rows that are listed.
std::vector<std::int32_t> checked_rows(const RowListView& matrix, int base);

}  // namespace spmvgen
