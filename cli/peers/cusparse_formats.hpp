#pragma once
#include "matrix/csr_matrix.hpp"

/// Formats as cuSPARSE wants them; offsets int32, columns of the matrix's own type, which must be
/// int32.
namespace spmvgen::peers {

/// offsets of slices or block rows; `stored` values with their padding.
struct PeerArrays {
    Buffer offsets, col_idx, values;
    std::int64_t stored = 0;
};

/// The row of every entry.
Buffer row_indices(const CsrMatrix& a);

/// Sliced ELL: each slice column by column, padding has column -1 and value 0. Throws
/// Error(unsupported) when more than `most` entries would be stored for each nonzero.
PeerArrays sliced_ell(const CsrMatrix& a, std::int64_t slice, double most);

/// BSR with row-major blocks of b×b. Throws Error(unsupported) when b does not divide the matrix or
/// more than `most` entries would be stored for each nonzero.
PeerArrays blocked(const CsrMatrix& a, std::int64_t b, double most);

}  // namespace spmvgen::peers
