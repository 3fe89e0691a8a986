#pragma once
#include <cstdint>
#include <optional>

#include "matrix/csr_matrix.hpp"

namespace spmvgen {

/// What the column array holds.
enum class Columns {
    plain,  ///< columns
    tagged  ///< 2·column + 1 for an entry that was mirrored at the diagonal, 2·column for others
};

/// A position that a symmetric file stores on both sides of the diagonal with values that do not
/// mirror each other.
struct MirrorConflict {
    std::int64_t row = 0;
    std::int64_t col = 0;
};

/// Sorts every row of `matrix` by column and adds up entries at the same place: in an order that
/// depends on their values alone, so that the result does not depend on the order that threads left
/// them in. Of tagged columns, the mirrored entries of a place must equal the others and count
/// once; the first row where they do not is returned, and the matrix is then of no use. Afterwards
/// offsets are int32 when the entries allow it.
std::optional<MirrorConflict> sort_rows(CsrMatrix& matrix, Columns columns, int threads);

}  // namespace spmvgen
