#include "tuner/chooser/break_even.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace spmvgen {

double break_even(const PlanningCost& cost) {
    const double cost_us = 1e3 * (std::max(cost.kernel_ms, 0.0) + std::max(cost.convert_ms, 0.0));
    if (cost_us == 0) return 0;
    const double saved_us = cost.plain_us - cost.planned_us;
    return saved_us > 0 ? cost_us / saved_us : std::numeric_limits<double>::infinity();
}

std::string to_string(const PlanningCost& cost) {
    const double from = break_even(cost);
    const std::string pays =
        std::isfinite(from) ? fmt::format("pays from {:.1f} applies on", from) : "never pays";
    return fmt::format(
        "{} (kernel {:.1f} ms, conversion {:.1f} ms; an apply takes {:.2f} µs, of plain CSR "
        "{:.2f} µs)",
        pays, cost.kernel_ms, cost.convert_ms, cost.planned_us, cost.plain_us);
}

bool measuring_repays(std::int64_t applies, double apply_us, double budget_ms) {
    return applies == 0 ||
           static_cast<double>(applies) * measuring_saves * apply_us >= 1e3 * budget_ms;
}

bool counting_repays(std::int64_t applies, double rules_us, std::int64_t sampled) {
    if (applies == 0) return true;
    const double us = 1e3 * counting_ms + counting_us_an_entry * static_cast<double>(sampled);
    return static_cast<double>(applies) * counting_saves * rules_us >= us;
}

}  // namespace spmvgen
