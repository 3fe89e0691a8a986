#pragma once
#include <vector>

#include "matrix/features/block_fill.hpp"
#include "tuner/situation.hpp"

/// Parameter sets that a choice by predicted times compares with several right-hand sides
/// (KernelPlan::grid).
namespace spmvgen::gpu {

std::vector<Params> classical_grid_of_many(const Situation& situation);
std::vector<Params> by_length_grid_of_many(const Situation& situation);
/// Blocks of one column, in the rows of which lanes share rows of x; without sharing none but what
/// the plan says.
std::vector<Params> blocks_grid_of_many(const Situation& situation, const BlockFill& fill);

}  // namespace spmvgen::gpu
