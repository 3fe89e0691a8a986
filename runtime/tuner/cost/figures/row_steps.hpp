#pragma once
#include "matrix/features/features.hpp"

/// What the histogram of row lengths tells, lengths being taken as spread evenly over each class as
/// far as the shortest and the longest row allow.
namespace spmvgen {

/// Steps of a row, on average, when so many lanes take an entry each in every step.
double mean_steps(const RowFeatures& features, int lanes);

/// The longest of `rows` neighbouring rows over the mean: measured for slices of 8, 16 and 32 rows,
/// else between or beyond these.
double longest_over_mean(const RowFeatures& features, int rows);

/// What rows have beyond their first `width` entries.
struct RowTails {
    double entries = 0, rows = 0;  ///< entries beyond, and rows that have any
};
RowTails row_tails(const RowFeatures& features, double width);

/// The least length that more than that share of the rows do not exceed: the upper edge of a class.
double row_quantile(const RowFeatures& features, double share);

}  // namespace spmvgen
