#pragma once
#include "spmvgen/distributed.hpp"

namespace spmvgen {

/// Throws Error(invalid_argument) for a partition that is not one of rows × cols; rows < 0: of any
/// number of them.
void check_partition(const RowPartition& partition, std::int64_t rows, std::int64_t cols);

}  // namespace spmvgen
