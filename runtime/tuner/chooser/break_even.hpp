#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

namespace spmvgen {

/// What a planned kernel costs beyond plain CSR on the arrays as they are, and what it then saves.
struct PlanningCost {
    double kernel_ms = 0;   ///< making or finding it
    double convert_ms = 0;  ///< converting A
    double plain_us = 0;    ///< an apply of plain CSR
    double planned_us = 0;  ///< an apply of the planned kernel
};

// Assumptions, from docs/performance.md, where neither counted work nor the device's
// profile knows better.
inline constexpr double planning_saves = 0.25;  ///< share: 1 - 1/1.33, the geometric mean there
inline constexpr double measuring_saves = 0.2;  ///< share that measuring gains over the rule
inline constexpr double counting_saves = 0.3;   ///< share: docs/explanation/choice.md
inline constexpr double counting_ms = 0.2, counting_us_an_entry = 0.05;  ///< what it takes
/// What many applies count as on a CPU, whose products can take less than a microsecond: who has
/// more of so small ones says so.
inline constexpr std::int64_t many_on_cpus = 800;
inline constexpr double compile_ms = 70;  ///< a plain kernel from nothing; others take longer,
                                          ///< as compile_effort() says
inline constexpr double find_ms = 0.3;    ///< a kernel from the cache directory
/// A conversion to another format, and a copy of CSR as it is, both in applies of plain CSR on this
/// CPU.
inline constexpr double conversion_applies = 6, copy_applies = 4;
/// Products of plain CSR after which level lazy goes on: so many, and as many as take so long.
struct Patience {
    double fixed_ms = 0, applies = 0;
};
/// What planning takes with kernels that are cached: on a CPU at most, in a process that has made
/// no handle before, so that who ends then has lost little.
inline constexpr Patience to_plan_on_cpus{4, 100}, to_plan_on_gpus{5, 300};
/// What it takes on a CPU to choose a kernel that reads CSR as it is.
inline constexpr Patience to_choose_csr{0.4, 5};
/// Bytes per second of a device without a profile: of a CPU, and of a GPU.
inline constexpr double assumed_cpu_rate = 10e9, assumed_gpu_rate = 1e12;

/// Applies from which on it costs less in all: (kernel_ms + convert_ms) / (plain_us - planned_us).
/// 0 when it costs nothing; infinite when it costs something and saves nothing.
inline double break_even(const PlanningCost& cost) {
    const double cost_us = 1e3 * (std::max(cost.kernel_ms, 0.0) + std::max(cost.convert_ms, 0.0));
    if (cost_us == 0) return 0;
    const double saved_us = cost.plain_us - cost.planned_us;
    return saved_us > 0 ? cost_us / saved_us : std::numeric_limits<double>::infinity();
}

/// Whether so many applies of `apply_us` can repay `budget_ms` of measuring, which saves
/// measuring_saves of an apply at best. 0 applies are many.
inline bool measuring_repays(std::int64_t applies, double apply_us, double budget_ms) {
    return applies == 0 ||
           static_cast<double>(applies) * measuring_saves * apply_us >= 1e3 * budget_ms;
}

/// Whether so many applies of the rules' kernel, which takes `rules_us`, can repay that the work of
/// all kernels is counted from `sampled` entries, on a core that is so many times as fast as the
/// usual: that saves counting_saves of an apply at best. 0 applies are many.
inline bool counting_repays(std::int64_t applies, double rules_us, std::int64_t sampled,
                            double core_speed = 1) {
    if (applies == 0) return true;
    const double us = 1e3 * counting_ms + counting_us_an_entry * static_cast<double>(sampled);
    return static_cast<double>(applies) * counting_saves * rules_us >= us / core_speed;
}

}  // namespace spmvgen
