#pragma once
#include <array>
#include <string_view>

#include "matrix/features/features.hpp"
#include "spmvgen/signature.hpp"
#include "tuner/cost/scheme.hpp"
#include "tuner/cost/work/gpu_work.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {

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

/// What these take of a kernel's work on a device.
GpuCosts gpu_costs(const GpuWork& work, const RowFeatures& features, const Signature& signature,
                   const DeviceProfile& profile);

}  // namespace spmvgen
