#include "tuner/search/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

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

/// Tries what promises most first, as far as the budget goes. A choice is by the sample until its
/// kernel is made.
class Trying {
  public:
    Trying(const MeasureProblem& problem, const Choice& rule, Search& search, double seconds)
        : problem_(without_passes(problem)),
          choose_(problem.choose),
          rule_(rule),
          search_(search),
          seconds_(seconds) {}

    /// Before the rule's kernel is tried: where that is yet to be made, and kernels are made beside
    /// trials, has it and the first others made, as many as are chosen while it is being made.
    void begin() {
        if (problem_.making == nullptr || !problem_.making->goes_beside_trials()) return;
        if (search_.rest_of_rule_ms() == 0) return;
        problem_.making->begin(rule_, 0, std::numeric_limits<double>::infinity());
        seen_.insert(kernel_name(rule_.signature));
        find_order();
        begin_making(ranked(0, before_neighbours),
                     [this] { return search_.rest_of_rule_ms() > 0; });
    }

    void run() {
        if (!go_on_()) return;
        find_order();
        if (const auto rules = predicted(rule_)) scale_ = search_.best_us() / rules->us;
        const bool knows_others = order_.size() > 1;
        if (!knows_others) unpredicted();
        pursue(ranked(0, before_neighbours));
        neighbours();
        pursue(ranked(before_neighbours, order_.size()));
        neighbours();
        if (knows_others) unpredicted();
        neighbours();
    }

  private:
    struct Wanted {
        Choice choice;
        double least_us = 0;  ///< by the prediction and what it errs; 0 = tried in any case
    };

    void find_order() {
        if (order_.empty() && problem_.predict && go_on_())
            order_ = rank(problem_, rule_, considered_padding, go_on_);
    }

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

    /// Has those made side by side that there will be time for, if they were not seen before.
    void begin_making(std::vector<Wanted> all, const GoOn& go_on) {
        if (search_.stopped()) return;
        std::erase_if(all, [&](const Wanted& wanted) {
            return seen_.contains(kernel_name(wanted.choice.signature));
        });
        std::vector<Choice> choices;
        for (auto& wanted : all) choices.push_back(wanted.choice);
        const Search::MakingPlan plan = search_.plan_making(choices, seconds_);
        for (std::size_t i = 0; i < all.size() && go_on(); ++i) {
            seen_.insert(kernel_name(all[i].choice.signature));
            if (!plan.expected_ms[i] || problem_.making == nullptr) {
                not_begun_.push_back(std::move(all[i]));
                continue;
            }
            auto of_matrix = exact(all[i].choice);
            if (!of_matrix || search_.was_tried(*of_matrix)) continue;
            problem_.making->begin(*of_matrix, *plan.expected_ms[i], plan.end_ms);
            begun_.push_back({std::move(*of_matrix), all[i].least_us});
        }
    }

    bool still_promises(const Wanted& wanted) const {
        return !search_.stopped() && scale_ * wanted.least_us <= search_.best_us();
    }

    /// Tries them when their kernels are made, then those that there was no time to make.
    void pursue(std::vector<Wanted> all) {
        begin_making(std::move(all), go_on_);
        while (!begun_.empty() && !search_.stopped()) {
            std::vector<Choice> choices;
            for (auto& wanted : begun_) choices.push_back(wanted.choice);
            const std::size_t made = problem_.making->wait_for_one(choices);
            const Wanted next = std::move(begun_[made]);
            begun_.erase(begun_.begin() + static_cast<std::ptrdiff_t>(made));
            if (still_promises(next)) search_.attempt_within_budget(next.choice, seconds_);
        }
        for (const Wanted& next : std::exchange(not_begun_, {})) {
            if (!still_promises(next) || !search_.is_within_budget(next.choice, seconds_)) continue;
            if (const auto of_matrix = exact(next.choice))
                search_.attempt_within_budget(*of_matrix, seconds_);
        }
    }

    /// But for the first few, none whose prediction is beyond what was measured by more than it
    /// errs.
    std::vector<Wanted> ranked(std::size_t begin, std::size_t end) const {
        std::vector<Wanted> found;
        for (std::size_t i = begin; i < std::min(end, order_.size()); ++i) {
            const auto& [choice, prediction] = order_[i];
            const double least_us = prediction.us * std::exp(-sure * prediction.error);
            found.push_back({choice, i < always ? 0 : least_us});
        }
        return found;
    }

    /// Of the fastest, as long as one of them is faster.
    void neighbours() {
        for (double before = 2 * search_.best_us(); search_.best_us() < before;) {
            before = search_.best_us();
            const Choice best = search_.best();
            std::vector<Wanted> found;
            for (auto& choice : variants_of(problem_, best, Reach::neighbours, go_on_))
                found.push_back({std::move(choice)});
            pursue(std::move(found));
        }
    }

    /// Kernels without a prediction: hardly ever is one of them the fastest.
    void unpredicted() {
        std::vector<Wanted> found;
        for (auto& choice : other_kernels(problem_, rule_, considered_padding, go_on_))
            if (!predicted(choice)) found.push_back({std::move(choice)});
        pursue(std::move(found));
    }

    const MeasureProblem problem_;
    const std::function<Choice(const Request&)> choose_;
    const Choice& rule_;
    Search& search_;
    const double seconds_;
    const GoOn go_on_ = [this] { return !search_.begins_beyond_budget(seconds_); };
    std::vector<Ranked> order_;
    std::set<std::string> seen_;  ///< names of kernels, by the sample
    std::vector<Wanted> begun_;   ///< whose kernels are made or being made, by all of the matrix
    std::vector<Wanted> not_begun_;
    double scale_ = 1;  ///< what the rule's kernel takes over what was predicted of it
};

}  // namespace

Measured measure(const MeasureProblem& problem, const Choice& rule, const TimeSignature& time) {
    Search search(problem, rule, time);
    const double seconds =
        std::clamp(problem.budget_ms / 1e3 / expected_trials, least_seconds, most_seconds);
    Trying trying(problem, rule, search, seconds);
    trying.begin();
    const bool timed = search.attempt_rule(seconds);
    if (!timed) return search.result(timed, "measured");
    trying.run();
    search.run_off(2 * seconds, true);
    return search.result(timed, "measured");
}

}  // namespace spmvgen
