#pragma once
#include "matrix/csr_matrix.hpp"
#include "matrix/value_order.hpp"

namespace spmvgen {

/// Aᵀ in CSR, or with `conjugate` Aᴴ. A row's entries come in the order of A's rows, those of one
/// row of A in the order that they have there: duplicates stay, and the result does not depend on
/// `threads` (0 = what OpenMP would use). `matrix` must be a valid one. Beside the result it takes
/// memory for at most nnz + 2·cols offsets. `order`, where not null, gets where each value came
/// from.
CsrMatrix transpose(const CsrView& matrix, bool conjugate, int threads = 0,
                    ValueOrder* order = nullptr);

/// Columns as CSR of the transpose: the same arrays.
CsrView transpose_of(const CscView& matrix);

/// The conjugate of A; `order` as above.
CsrMatrix conjugate(const CsrView& matrix, int threads = 0, ValueOrder* order = nullptr);

}  // namespace spmvgen
