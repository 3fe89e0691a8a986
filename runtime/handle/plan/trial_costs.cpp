#include "handle/plan/trial_costs.hpp"

#include <algorithm>

#include "formats/storage_key.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

/// Bytes of fresh memory that one thread writes in a second, and bytes of a matrix that are read.
constexpr double written_bytes_per_s = 1e9, read_bytes_per_s = 5e9;
/// What a check takes over what these say is taken for at most so much, and for its inverse at
/// least: one that met a busy machine is no reason to try no other kernel.
constexpr double most_slowness = 8;

double usual_ms(const Trials::Check& check) {
    return 1e3 * (check.written_bytes / written_bytes_per_s + check.read_bytes / read_bytes_per_s);
}

}  // namespace

TrialCost TrialCosts::of(const Signature& s) const {
    double longest_ms = making_ms(problem_, speed_, s);
    for (auto& converter : trials_.converters_of(s))
        longest_ms = std::max(longest_ms, making_ms(problem_, speed_, converter));
    return {longest_ms, convert_ms(s), check_ms(s)};
}

double TrialCosts::convert_ms(const Signature& s) const {
    if (storage_key(s) == trials_.stored_as()) return 0;
    const auto before = converted_ms_.find(kernel_entry(s.kernel).format);
    if (before != converted_ms_.end()) return before->second;
    const auto on_device = trials_.storing_on_device_ms(s);
    return on_device ? *on_device : slowness_ * storing_ms(problem_, s);
}

double TrialCosts::check_ms(const Signature& s) const {
    return check_slowness_.value_or(1) * usual_ms(trials_.next_check(s));
}

void TrialCosts::learn(const Signature& s) {
    const auto& last = trials_.last_check();
    if (last && usual_ms(last->check) > 0) {
        const double slowness =
            std::clamp(last->ms / usual_ms(last->check), 1 / most_slowness, most_slowness);
        check_slowness_ = std::min(check_slowness_.value_or(slowness), slowness);
    }
    if (!trials_.last_conversion()) return;
    const double took_ms = trials_.last_conversion()->ms, expected_ms = storing_ms(problem_, s);
    double& known_ms = converted_ms_[kernel_entry(s.kernel).format];
    // A host may be slower than it was, for it has other work.
    const bool on_device = trials_.storing_on_device_ms(s).has_value();
    known_ms = on_device ? took_ms : std::max(known_ms, took_ms);
    if (expected_ms > 0 && !on_device) slowness_ = std::max(slowness_, took_ms / expected_ms);
}

}  // namespace spmvgen
