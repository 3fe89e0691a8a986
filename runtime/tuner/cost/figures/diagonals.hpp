#pragma once
#include <cstdint>

#include "matrix/features/block_fill.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// Share of the entries that have none `down` rows above and `right` columns to the left: on their
/// diagonal, for one of each. Of rows with rising columns; of some thousand entries of them.
double heads_of_diagonals(const CsrView& a, std::int64_t down, std::int64_t right);

/// Whether the columns of these rows rise.
bool has_rising_rows(const CsrView& a);

/// Whether enough of these entries have others beside or above them for blocks to pay.
bool has_neighbours(const CsrView& a);
/// Of a matrix none of whose entries share a block.
BlockFill fill_of_single_entries();

}  // namespace spmvgen
