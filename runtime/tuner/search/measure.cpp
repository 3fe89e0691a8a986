#include "tuner/search/measure.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/search/ranking.hpp"
#include "tuner/search/search.hpp"
#include "tuner/search/variants.hpp"

namespace spmvgen {
namespace {

constexpr double least_seconds = 2e-3, most_seconds = 50e-3;  ///< for one kernel
constexpr double expected_trials = 100;
constexpr double sure = 2;  ///< of a prediction's errors, beyond which a kernel is not tried
/// Of those predicted to be the best: so many before the kernels without a prediction, whose code
/// is made side by side.
constexpr std::size_t before_unknown = 8;
constexpr std::size_t always = 4;  ///< of those predicted to be the best are tried in any case

/// Tries what promises most first, as far as the budget goes.
class Trying {
  public:
    Trying(const MeasureProblem& problem, const Choice& rule, Search& search, double seconds)
        : problem_(problem), rule_(rule), search_(search), seconds_(seconds) {}

    void run() {
        if (!go_on_()) return;
        others_ = other_kernels(problem_, rule_, considered_padding, go_on_);
        if (problem_.predict) order_ = rank(problem_, rule_, considered_padding, go_on_);
        if (const auto rules = predicted(rule_)) scale_ = search_.best_us() / rules->us;
        std::erase_if(others_, [&](const Choice& c) { return predicted(c).has_value(); });
        make_ready();
        ranked(0, before_unknown);
        for (auto& choice : others_) attempt(choice);
        neighbours();
        ranked(before_unknown, order_.size());
        neighbours();
    }

  private:
    std::optional<Prediction> predicted(const Choice& choice) const {
        return problem_.predict ? problem_.predict(choice.signature) : std::nullopt;
    }

    void attempt(const Choice& choice) { search_.attempt_within_budget(choice, seconds_); }

    void make_ready() const {
        if (!problem_.make_ready) return;
        std::vector<Choice> first = others_;
        for (std::size_t i = 0; i < std::min(before_unknown, order_.size()); ++i)
            first.push_back(order_[i].choice);
        problem_.make_ready(search_.fitting(std::move(first), seconds_),
                            [this](const Choice& c) { return search_.fits_budget(c, seconds_); });
    }

    /// But for the first few, none whose prediction is beyond what was measured by more than it
    /// errs.
    void ranked(std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < std::min(end, order_.size()); ++i) {
            const auto& [choice, prediction] = order_[i];
            if (i < always ||
                scale_ * prediction.us * std::exp(-sure * prediction.error) <= search_.best_us())
                attempt(choice);
        }
    }

    /// Of the fastest, as long as one of them is faster.
    void neighbours() {
        for (double before = 2 * search_.best_us(); search_.best_us() < before;) {
            before = search_.best_us();
            const Choice best = search_.best();
            for (auto& choice : variants_of(problem_, best, Reach::neighbours, go_on_))
                attempt(choice);
        }
    }

    const MeasureProblem& problem_;
    const Choice& rule_;
    Search& search_;
    const double seconds_;
    const GoOn go_on_ = [this] { return !search_.begins_beyond_budget(seconds_); };
    std::vector<Choice> others_;  ///< those without a prediction
    std::vector<Ranked> order_;
    double scale_ = 1;  ///< what the rule's kernel takes over what was predicted of it
};

}  // namespace

Measured measure(const MeasureProblem& problem, const Choice& rule, const TimeSignature& time) {
    Search search(problem, rule, time);
    const double seconds =
        std::clamp(problem.budget_ms / 1e3 / expected_trials, least_seconds, most_seconds);
    const bool timed = search.attempt_rule(seconds);
    if (!timed) return search.result(timed, "measured");
    Trying(problem, rule, search, seconds).run();
    search.run_off(2 * seconds, true);
    return search.result(timed, "measured");
}

}  // namespace spmvgen
