#pragma once
#include "matrix/features.hpp"
#include "spmvgen/matrix.hpp"

/// What can be said of a matrix whose columns and values are elsewhere.
namespace spmvgen {

/// Whether row_ptr ascends from 0 to nnz. Parallel; threads = 0: what OpenMP would use.
bool rows_are_right(const CsrView& matrix, int threads = 0);

/// As analyse_row_lengths(), of a matrix whose row_ptr is right; nothing else is read.
RowFeatures features_of_rows(const CsrView& matrix, int threads = 0);

}  // namespace spmvgen
