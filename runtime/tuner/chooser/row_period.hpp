#pragma once
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// How far apart rows of the same pattern are, where neighbours are no such rows: 2, 3, 4 or 6 when
/// most entries of a row are found, moved by as much, in the row that far behind it, and fewer in
/// the next row: unknowns of several kinds that take turns, as the edges of a grid in three
/// directions do. 1 where that is not so. Estimated from a sample of the rows, whose columns must
/// ascend.
int row_period(const CsrView& matrix);

}  // namespace spmvgen
