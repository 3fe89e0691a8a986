#pragma once
#include <vector>

#include "matrix/features/block_fill.hpp"
#include "tuner/rules/rules.hpp"

namespace spmvgen {

/// The parameter sets of a CPU's kernel that a choice weighs against each other for a matrix with
/// these figures: vectors that its rows can fill, one and several registers of them, with and
/// without sorting, blocks that store little fill. What is in none of them keeps what the rules say
/// (cpu_rules.cpp). The first set is the rules' own. `fill` is of blocks of all sizes, as far as it
/// is known.
std::vector<Params> cpu_grid(const KernelEntry& kernel, const Situation& situation,
                             const BlockFill& fill);

}  // namespace spmvgen
