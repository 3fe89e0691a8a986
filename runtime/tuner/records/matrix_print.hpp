#pragma once
#include <string>

#include "tuner/records/record.hpp"

/// Which records are of the same matrix, and how alike two matrices are.
namespace spmvgen {

/// What row lengths tell of a matrix as text, whatever its values: equal texts for equal row
/// lengths in the same order, up to the order within rows of like lengths. Made of exact figures
/// only, so that it is the same on every machine.
std::string row_print(const RowFeatures& features);

/// The same with what columns tell: two matrices with this in common are taken for the same.
std::string matrix_print(const Features& features);

/// What a record is the answer to: its question, its matrix_print and its device.
std::string record_key(const TuningRecord& record);

/// Matrices are alike up to here: no count differs by more than a factor of e^0.25 = 1.28. Further
/// away the kernel of another matrix is at times much worse than the rule's (docs/how-to/tune.md).
inline constexpr double most_distance = 0.2;

/// How far two matrices are apart: the largest of the differences of
/// - the logarithms of rows, columns, nonzeros and the longest row, each + 1, and of the paddings
///   of slices;
/// - the coefficient of variation of the row lengths, and the share of rows that would have to go
///   to another class of the histogram.
double distance(const RowFeatures& a, const RowFeatures& b);

/// The same and what gathers cost: warp_sectors and window_sectors.
double distance(const Features& a, const Features& b);

/// Whether blocked CSR stores about as much of both: the block fills differ by no more than that
/// factor.
bool alike_blocks(const Features& a, const Features& b);

}  // namespace spmvgen
