#pragma once
#include "formats/plans/strips_plan.hpp"
#include "spmvgen/matrix.hpp"

/// What numbers of blocks alone decide of a layout whose `blocks` are counted.
namespace spmvgen {

/// Lists the long rows and marks their block rows. Throws Error(invalid_argument) for one that
/// cannot be long.
void take_long_rows(const CsrView& matrix, StripsLayout& layout);

/// Sorts the windows, long rows last.
void sort_windows(StripsLayout& layout, int threads);

/// Widths of the slices, whether they are ragged, and their full strips.
void measure_slices(StripsLayout& layout, int threads);

}  // namespace spmvgen
