#pragma once
#include <vector>

#include "matrix/features/block_fill.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {

/// The parameter sets of a GPU's kernel that a choice weighs against each other for a matrix with
/// these figures: numbers of lanes that its rows can fill, with and without sorting, few and many
/// loads under way. What is in none of them keeps what the rules say (gpu_params). Empty for
/// kernels that are not weighed unless the rules choose them. `fill` is of blocks of all sizes, as
/// far as it is known.
std::vector<Params> gpu_grid(const KernelEntry& kernel, const Situation& situation,
                             const BlockFill& fill);

}  // namespace spmvgen
