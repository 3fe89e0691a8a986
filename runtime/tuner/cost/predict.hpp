#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "tuner/cost/constants.hpp"
#include "tuner/cost/correction.hpp"
#include "tuner/cost/figures/figures.hpp"
#include "tuner/cost/prediction.hpp"
#include "tuner/cost/scheme.hpp"
#include "tuner/cost/work/cpu_work.hpp"
#include "tuner/cost/work/gpu_work.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {

/// What a CPU's work takes by the device's profile, each as if it were all that there is, in
/// microseconds; times the constant of its name that is the time it adds.
inline constexpr std::array<std::string_view, 11> cpu_cost_names{
    "team",       // the start of a team of several threads
    "joins",      // steps behind the team's, each as long as its start
    "stream",     // bytes, at the rate of the cache or memory that holds them
    "near",       // loads of x, at the rate of a first cache
    "middle",     // lines of x, at the rate of a second cache
    "far",        // lines of x, at the rate of the cache or memory that holds x
    "steps",      // of vector registers, 1 ns each on a thread
    "rows",       // that are begun and ended, 1 ns each on a thread
    "turns",      // of loops, 1 ns each on a thread
    "rows_zen4",  // the same two of cores that end loops cheaply: Zen 4
    "turns_zen4"};
using CpuCosts = std::array<double, cpu_cost_names.size()>;
inline constexpr CostScheme cpu_scheme{"cpu-costs", cpu_cost_names, 2};

/// What these take of a kernel's work on a CPU of which so many threads take part.
CpuCosts cpu_costs(const CpuWork& work, const RowFeatures& features, const Signature& signature,
                   const DeviceProfile& profile, int threads);

/// What a GPU's work takes by the device's profile, each as if it were all that there is, in
/// microseconds; times the constant of its name that is the time it adds.
inline constexpr std::array<std::string_view, 10> gpu_cost_names{
    "launches",  // those behind the first
    "depth",     // loads that wait for each other, 0.6 µs each
    "stream",    // bytes
    "unit",      // the same, for want of blocks on all multiprocessors
    "near",      // sectors, at the rate of a multiprocessor's own cache
    "far",       // sectors of x, at the rate of the cache or memory that holds x
    "steps",     // of warps, 1 ns each on a multiprocessor
    "waits",     // of warps, 0.6 µs each, for all that are resident at a time
    "rows",      // that are begun and ended, 1 ns for a warp of them on a multiprocessor
    "atomics"    // additions
};
using GpuCosts = std::array<double, gpu_cost_names.size()>;
inline constexpr CostScheme gpu_scheme{"gpu-costs", gpu_cost_names, 2};
/// The same of several right-hand sides, with constants of their own.
inline constexpr CostScheme gpu_several_scheme{"gpu-several-costs", gpu_cost_names, 2};

/// What these take of a kernel's work on a device.
GpuCosts gpu_costs(const GpuWork& work, const RowFeatures& features, const Signature& signature,
                   const DeviceProfile& profile);

/// The constants of GPUs, for one right-hand side or several, and of CPUs; null when there are
/// none. Read once in a process. Safe to call from any thread.
const CostConstants* gpu_constants(int num_rhs = 1);
const CostConstants* cpu_constants();

/// What was learned for GPUs of the target's vendor beside the constants of one right-hand side;
/// null when there is nothing. Likewise.
const CostCorrection* gpu_correction(const Target& target);

/// Multiprocessors, those of an H200 for a profile that does not tell.
double units_of(const DeviceProfile& profile);

/// Microseconds of each of the scheme's costs, by the profile; none where there is no count of the
/// kernel's work.
std::vector<double> costs_of_gpu(MatrixFigures& figures, const Signature& signature,
                                 const DeviceProfile& profile);
std::vector<double> costs_of_cpu(MatrixFigures& figures, const Signature& signature,
                                 const DeviceProfile& profile, int threads);

/// What a correction knows of a kernel; nothing as above.
std::optional<CorrectionFeatures> correction_features_of(MatrixFigures& figures,
                                                         const Signature& signature,
                                                         const DeviceProfile& profile,
                                                         const CostConstants& constants);

/// The time of an apply when applies follow each other without the host, as in a CUDA graph, with
/// the correction where there is one. Nothing when the constants know nothing of the kernel, or
/// there is no count of its work.
std::optional<Prediction> predict_gpu(MatrixFigures& figures, const Signature& signature,
                                      const DeviceProfile& profile, const CostConstants& constants,
                                      const CostCorrection* correction = nullptr);

/// The time of an apply of a team of so many threads, one apply after the other. Nothing as above.
std::optional<Prediction> predict_cpu(MatrixFigures& figures, const Signature& signature,
                                      const DeviceProfile& profile, int threads,
                                      const CostConstants& constants);

}  // namespace spmvgen
