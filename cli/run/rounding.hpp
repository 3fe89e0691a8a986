#pragma once
#include "matrix/csr_matrix.hpp"

namespace spmvgen::cli {

/// Rounds each value to the nearest that `storage` (f16, bf16 or f32) holds; the values' type
/// stays. The matrix must be real.
void round_values(ValueType storage, CsrMatrix& matrix);

}  // namespace spmvgen::cli
