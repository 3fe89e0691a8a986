#include "handle/plan/trial_costs.hpp"

#include <algorithm>

#include "formats/storage_key.hpp"
#include "registry.hpp"

namespace spmvgen {

TrialCost TrialCosts::of(const Signature& s) const {
    double longest_ms = making_ms(problem_, speed_, s);
    for (auto& converter : trials_.converters_of(s))
        longest_ms = std::max(longest_ms, making_ms(problem_, speed_, converter));
    return {longest_ms, convert_ms(s)};
}

double TrialCosts::convert_ms(const Signature& s) const {
    if (storage_key(s) == trials_.stored_as()) return 0;
    const auto before = converted_ms_.find(kernel_entry(s.kernel).format);
    if (before != converted_ms_.end()) return before->second;
    const auto on_device = trials_.storing_on_device_ms(s);
    return on_device ? *on_device : slowness_ * storing_ms(problem_, s);
}

void TrialCosts::learn(const Signature& s) {
    if (!trials_.last_conversion()) return;
    const double took_ms = trials_.last_conversion()->ms, expected_ms = storing_ms(problem_, s);
    double& known_ms = converted_ms_[kernel_entry(s.kernel).format];
    // A host may be slower than it was, for it has other work.
    const bool on_device = trials_.storing_on_device_ms(s).has_value();
    known_ms = on_device ? took_ms : std::max(known_ms, took_ms);
    if (expected_ms > 0 && !on_device) slowness_ = std::max(slowness_, took_ms / expected_ms);
}

}  // namespace spmvgen
