#pragma once
#include <array>
#include <string_view>

#include "matrix/features/features.hpp"
#include "spmvgen/signature.hpp"
#include "tuner/cost/scheme.hpp"
#include "tuner/cost/work/cpu_work.hpp"
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

}  // namespace spmvgen
