#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "matrix/features/block_fill.hpp"
#include "short_list.hpp"
#include "tuner/cost/work/cpu_problem.hpp"
#include "tuner/cost/work/gpu_problem.hpp"
#include "tuner/plan/param_choice.hpp"

namespace spmvgen {

/// All that the tuner knows of a kernel. Each file NAME.cpp of runtime/tuner/kernels gives the
/// plans of a family of kernels in a constant `KernelPlans NAME_plans`; the build finds the files
/// by their folder. A kernel without a plan keeps its presets, and no prediction leads to it.
struct KernelPlan {
    std::string_view kernel;  ///< its id
    /// Sets the parameters that features decide; null = none: the presets.
    void (*choose)(ParamChoice&) = nullptr;
    /// What is chosen depends on the matrix in too many ways to be listed.
    bool unlisted = false;
    /// The parameter sets that a choice by predicted times compares, of which an empty one stands
    /// for what `choose` says; parameters that are in none keep what it says. Null = the empty one
    /// alone. The fill is of blocks of all sizes, as far as it is known; only for kernels of
    /// blocks.
    std::vector<Params> (*grid)(const Situation&, const BlockFill&) = nullptr;
    /// More sets for a choice to compare: neighbours of `best`, all parameters of the best set of
    /// the grid, where that is near the fastest of all kernels. Null = none.
    std::vector<Params> (*beside)(const Situation&, const Params& best) = nullptr;
    /// Another kernel whose work is counted alike: beside it this one is not weighed. "" = none.
    std::string_view counted_as = {};
    /// What the kernel does for an apply; null = not counted, and so never predicted.
    CpuWork (*cpu_work)(const cpu::Problem&) = nullptr;
    GpuWork (*gpu_work)(const gpu::Problem&) = nullptr;
};
using KernelPlans = ShortList<KernelPlan, 8>;

/// The plan of the kernel; one without anything for a kernel that has none.
const KernelPlan& plan_of(std::string_view kernel);

/// The parameters that features decide, what the request fixes not looked at.
Params planned_params(const KernelEntry& kernel, const Situation& situation);

/// All that planned_params may give, whatever the features, and what rules may pick instead. Throws
/// Error(unsupported) for a kernel whose parameters are too many to be listed.
std::vector<Params> all_planned_params(const KernelEntry& kernel, const Request& request,
                                       ValueType value);

/// KernelPlan::grid of the kernel.
std::vector<Params> grid_of(const KernelEntry& kernel, const Situation& situation,
                            const BlockFill& fill);

/// KernelPlan::beside of the kernel.
std::vector<Params> sets_beside(const KernelEntry& kernel, const Situation& situation,
                                const Params& best);

/// What an apply takes. Nothing for a kernel that has no such count (kernels of batches,
/// transposing ones) or that multiplies several vectors. `signature` is complete; `threads` take
/// part, `units` are the device's multiprocessors.
std::optional<CpuWork> cpu_work(MatrixFigures& figures, const Signature& signature, int threads);
std::optional<GpuWork> gpu_work(MatrixFigures& figures, const Signature& signature, double units);

/// The list that the build makes of the files; for plan_of().
std::vector<KernelPlans> collected_plans();

}  // namespace spmvgen
