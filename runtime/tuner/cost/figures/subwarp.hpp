#pragma once
#include "matrix/features/features.hpp"

namespace spmvgen {

/// Lanes of a GPU's wavefront that share a row in CSR kernels of a subwarp a row: the least cost by
/// the distribution of row lengths, see bench/results/README.md. A power of two up to `wavefront`.
int choose_subwarp(const RowFeatures& features, int wavefront);
/// The same by the longest row, as Ginkgo does: the largest power of two that it fills.
int subwarp_of_longest_row(const RowFeatures& features, int wavefront);
/// Expected cost of a row with that subwarp: what choose_subwarp compares.
double subwarp_cost(const RowFeatures& features, int wavefront, int subwarp);

}  // namespace spmvgen
