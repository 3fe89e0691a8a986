#pragma once
#include "tuner/plan/param_choice.hpp"

/// What the plans of a GPU's kernels of slices, sell_slices and strips, have in common.
namespace spmvgen {

/// Sets threads_per_row and unroll.
void choose_slices(ParamChoice& choice);

/// Whether sorting rows saves so much padding that it is worth x's locality.
bool sorting_saves(const Situation& situation);

/// Rows of a sorting window.
inline constexpr std::int64_t gpu_sorting_window = 1024;

}  // namespace spmvgen
