#pragma once
#include "matrix/csr_matrix.hpp"
#include "matrix/value_order.hpp"

namespace spmvgen {

/// The part of validate() that reads no array.
void validate_shape(const CooView& matrix);

/// Throws Error(invalid_argument), naming the first entry that is wrong, when a row or column is
/// out of range or an array is missing. Parallel, one pass.
void validate(const CooView& matrix);

/// Entries sorted into CSR.
struct SortedCoo {
    CsrMatrix matrix;
    bool in_order = false;  ///< the entries stood in this order, and none twice
    ValueOrder order;       ///< empty when they did
};

/// The matrix of a valid list of entries: rows ascending by column; entries at the same place are
/// added up, in the order in which they are given. The same bits for any number of threads.
/// Parallel; threads = 0: what OpenMP would use.
SortedCoo sort_entries(const CooView& matrix, int threads);

}  // namespace spmvgen
