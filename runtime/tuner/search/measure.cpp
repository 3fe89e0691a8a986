#include "tuner/search/measure.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>

#include "spmvgen/error.hpp"
#include "tuner/rules/rules.hpp"
#include "tuner/search/ranking.hpp"
#include "tuner/search/search.hpp"
#include "tuner/search/variants.hpp"

namespace spmvgen {
namespace {

constexpr double least_seconds = 2e-3, most_seconds = 50e-3;  ///< for one kernel
constexpr double expected_trials = 100;
constexpr double sure = 2;  ///< of a prediction's errors, beyond which a kernel is not tried
/// Of those predicted to be the best: so many before the neighbours of the fastest; their code is
/// made side by side.
constexpr std::size_t before_neighbours = 8;
constexpr std::size_t always = 4;  ///< of those predicted to be the best are tried in any case

/// The same problem, of which no choice takes a pass over the matrix.
MeasureProblem without_passes(const MeasureProblem& problem) {
    MeasureProblem sampled = problem;
    if (problem.sampled) sampled.choose = problem.sampled;
    return sampled;
}

/// Tries what promises most first, as far as the budget goes. A choice is by the sample until it is
/// tried.
class Trying {
  public:
    Trying(const MeasureProblem& problem, const Choice& rule, Search& search, double seconds)
        : problem_(without_passes(problem)),
          choose_(problem.choose),
          rule_(rule),
          search_(search),
          seconds_(seconds) {}

    void run() {
        if (!go_on_()) return;
        if (problem_.predict) order_ = rank(problem_, rule_, considered_padding, go_on_);
        if (const auto rules = predicted(rule_)) scale_ = search_.best_us() / rules->us;
        const bool knows_others = order_.size() > 1;
        if (!knows_others) unpredicted();
        std::vector<Choice> first;
        for (auto& known : order_ | std::views::take(before_neighbours))
            first.push_back(known.choice);
        make_ready(std::move(first));
        ranked(0, before_neighbours);
        neighbours();
        ranked(before_neighbours, order_.size());
        neighbours();
        if (knows_others) unpredicted();
        neighbours();
    }

  private:
    std::optional<Prediction> predicted(const Choice& choice) const {
        return problem_.predict ? problem_.predict(choice.signature) : std::nullopt;
    }

    /// The same kernel by all of the matrix; nothing where that refuses it.
    std::optional<Choice> exact(const Choice& choice) const {
        if (!problem_.sampled) return choice;
        Request request = problem_.request;
        request.kernel = choice.signature.kernel;
        request.params = without_matrix_params(choice.signature, problem_.request);
        try {
            return choose_(request);
        } catch (const Error&) {
            return std::nullopt;
        }
    }

    void attempt(const Choice& choice) {
        const std::string name = kernel_name(choice.signature);
        if (search_.stopped() || seen_.contains(name)) return;
        if (!search_.is_within_budget(choice, seconds_)) return;
        seen_.insert(name);
        if (const auto all = exact(choice)) search_.attempt_within_budget(*all, seconds_);
    }

    /// Has those made side by side that there will be time for.
    void make_ready(std::vector<Choice> choices) const {
        if (!problem_.make_ready || choices.empty()) return;
        std::vector<Choice> wanted;
        for (auto& choice : search_.fitting(std::move(choices), seconds_)) {
            if (!go_on_()) break;
            if (auto all = exact(choice)) wanted.push_back(std::move(*all));
        }
        problem_.make_ready(wanted,
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

    /// Kernels without a prediction: hardly ever is one of them the fastest.
    void unpredicted() {
        std::vector<Choice> others = other_kernels(problem_, rule_, considered_padding, go_on_);
        std::erase_if(others, [&](const Choice& c) { return predicted(c).has_value(); });
        make_ready(others);
        for (auto& choice : others) attempt(choice);
    }

    const MeasureProblem problem_;
    const std::function<Choice(const Request&)> choose_;
    const Choice& rule_;
    Search& search_;
    const double seconds_;
    const GoOn go_on_ = [this] { return !search_.begins_beyond_budget(seconds_); };
    std::vector<Ranked> order_;
    std::set<std::string> seen_;  ///< names of kernels, by the sample
    double scale_ = 1;            ///< what the rule's kernel takes over what was predicted of it
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
