#pragma once
#include "tuner/plan/kernel_plan.hpp"

/// What the plans of a GPU's kernels of slices, sell_slices and strips, have in common.
namespace spmvgen {

/// Sets threads_per_row and unroll, of a kernel that may load its first columns before it waits for
/// the launch ahead.
void choose_slices(ParamChoice& choice, bool loads_ahead);

/// Entries under way at a time of each of several lanes that share a row: as many as are loaded
/// ahead, else more.
std::int64_t slice_unroll_of_lanes(const Request& request, bool loads_ahead);

/// Whether sorting rows saves so much padding that it is worth x's locality.
bool sorting_saves(const Situation& situation);

/// Rows of a sorting window.
inline constexpr std::int64_t gpu_sorting_window = 1024;

}  // namespace spmvgen
