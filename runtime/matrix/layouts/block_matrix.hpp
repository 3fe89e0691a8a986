#pragma once
#include "matrix/csr_matrix.hpp"
#include "matrix/value_order.hpp"

namespace spmvgen {

/// Throws Error(invalid_argument) for sizes that are negative, too large, or no multiples of the
/// blocks' sizes.
void validate_shape(const BsrView& matrix);

/// The blocks as entries of a CSR, whose values are those of a block's begin. Of valid sizes.
CsrView blocks_of(const BsrView& matrix);

/// The same as validate_shape(), and for blocks that are wrong as entries of a CSR are, naming the
/// first.
void validate(const BsrView& matrix, int threads = 0);

/// Blocks as entries of CSR.
struct ExpandedBlocks {
    CsrMatrix matrix;
    ValueOrder order;  ///< from the numbers of the blocks to the values
};

/// The entries of a valid matrix, those of a row in the order of its blocks; blocks at the same
/// place stay apart. Parallel; threads = 0: what OpenMP would use.
ExpandedBlocks expand_blocks(const BsrView& matrix, int threads);

}  // namespace spmvgen
