#include "tuner/measure.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/ranking.hpp"
#include "tuner/search.hpp"
#include "tuner/variants.hpp"

namespace spmvgen {
namespace {

constexpr double least_seconds = 2e-3, most_seconds = 50e-3;  ///< for one kernel
constexpr double expected_trials = 16;
constexpr double sure = 2;  ///< of the model's errors, beyond which a kernel is not tried
constexpr std::size_t made_ready = 8;  ///< of the model's best, whose kernels are made side by side

/// The model's best, but none whose prediction is beyond what was measured by more than it errs.
void attempt_by_model(const MeasureProblem& problem, Search& search, const Choice& rule,
                      double seconds) {
    const std::vector<Ranked> order = rank(problem, rule, considered_padding);
    std::vector<Choice> first;
    for (auto& ranked : order)
        if (first.size() < made_ready) first.push_back(ranked.choice);
    if (problem.make_ready) problem.make_ready(first);
    for (auto& [choice, prediction] : order)
        if (prediction.us * std::exp(-sure * prediction.error) <= search.best_us())
            search.attempt_within_budget(choice, seconds);
}

}  // namespace

Measured measure(const MeasureProblem& problem, const Choice& rule, const TimeSignature& time) {
    Search search(problem, rule, time);
    const double seconds =
        std::clamp(problem.budget_ms / 1e3 / 2 / expected_trials, least_seconds, most_seconds);
    const bool timed = search.attempt(rule, seconds).has_value();
    if (!timed) return search.result(timed, "measured");
    if (problem.predict && problem.predict(rule.signature))
        attempt_by_model(problem, search, rule, seconds);
    else
        for (auto& choice : other_kernels(problem, rule, considered_padding))
            search.attempt_within_budget(choice, seconds);
    const Choice best = search.best();
    for (auto& choice : variants_of(problem, best, Reach::neighbours))
        search.attempt_within_budget(choice, seconds);
    search.run_off(2 * seconds, true);
    return search.result(timed, "measured");
}

}  // namespace spmvgen
