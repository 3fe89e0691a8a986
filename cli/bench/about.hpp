#pragma once
#include "matrix/csr_matrix.hpp"
#include "text/output.hpp"

namespace spmvgen::cli {

/// What a report shows of a matrix: its "features", as `spmvgen analyze --json` has them, and its
/// "density", entries of each cell of a grid of at most 48 × 48. {"none": why} when memory does
/// not suffice.
Json about_json(const CsrMatrix& matrix, int threads);

}  // namespace spmvgen::cli
