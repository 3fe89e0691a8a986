#include "tuner/break_even.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace spmvgen {

double break_even(const PlanningCost& cost) {
    const double saved_us = cost.saved_share * cost.plain_us;
    const double cost_us = 1e3 * std::max(cost.kernel_ms + cost.convert_ms, 0.0);
    return cost_us > 0 ? cost_us / saved_us : 0;
}

std::string to_string(const PlanningCost& cost) {
    return fmt::format(
        "pays from {:.1f} applies on (kernel {:.1f} ms, conversion {:.1f} ms; an apply of plain "
        "CSR "
        "{:.1f} µs, of which it saves {:.0f} %)",
        break_even(cost), cost.kernel_ms, cost.convert_ms, cost.plain_us, 100 * cost.saved_share);
}

bool measuring_repays(std::int64_t applies, double apply_us, double budget_ms) {
    return applies == 0 ||
           static_cast<double>(applies) * measuring_saves * apply_us >= 1e3 * budget_ms;
}

}  // namespace spmvgen
