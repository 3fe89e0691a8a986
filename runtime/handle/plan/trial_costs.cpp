#include "handle/plan/trial_costs.hpp"

#include <algorithm>

#include "formats/storage_key.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

/// Beside programs that keep the cores busy each takes milliseconds, whatever it does.
constexpr double regions_of_conversion = 6;

}  // namespace

TrialCost TrialCosts::of(const Signature& s) const {
    double longest_ms = making_ms(problem_, speed_, s);
    for (auto& converter : trials_.converters_of(s))
        longest_ms = std::max(longest_ms, making_ms(problem_, speed_, converter));
    return {longest_ms, convert_ms(s), checks_.expected_ms(trials_.next_check(s))};
}

double TrialCosts::convert_ms(const Signature& s) const {
    if (storage_key(s) == trials_.stored_as()) return 0;
    const auto before = converted_ms_.find(kernel_entry(s.kernel).format);
    if (before != converted_ms_.end()) return before->second;
    const auto on_device = trials_.storing_on_device_ms(s);
    if (on_device) return *on_device;
    return slowness_ * storing_ms(problem_, s) + regions_of_conversion * region_ms_;
}

void TrialCosts::learn(const Signature& s) {
    if (const auto& last = trials_.last_check()) checks_.add(last->check, last->ms);
    if (!trials_.last_conversion()) return;
    const double took_ms = trials_.last_conversion()->ms, expected_ms = storing_ms(problem_, s);
    double& known_ms = converted_ms_[kernel_entry(s.kernel).format];
    // A host may be slower than it was, for it has other work.
    const bool on_device = trials_.storing_on_device_ms(s).has_value();
    known_ms = on_device ? took_ms : std::max(known_ms, took_ms);
    if (expected_ms > 0 && !on_device) slowness_ = std::max(slowness_, took_ms / expected_ms);
}

}  // namespace spmvgen
