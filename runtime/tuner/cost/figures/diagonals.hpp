#pragma once
#include <cstdint>

#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// Share of the entries that have none `down` rows above and `right` columns to the left: on their
/// diagonal, for one of each. Of rows with rising columns.
double heads_of_diagonals(const CsrView& a, std::int64_t down, std::int64_t right);

}  // namespace spmvgen
