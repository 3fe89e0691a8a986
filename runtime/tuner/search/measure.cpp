#include "tuner/search/measure.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <set>
#include <utility>

#include "spmvgen/error.hpp"
#include "tuner/rules/rules.hpp"
#include "tuner/search/prediction_errors.hpp"
#include "tuner/search/ranking.hpp"
#include "tuner/search/search.hpp"
#include "tuner/search/variants.hpp"

namespace spmvgen {
namespace {

constexpr double least_seconds = 2e-3, most_seconds = 50e-3;  ///< for one kernel
constexpr double expected_trials = 100;
constexpr std::size_t abreast = 8;  ///< kernels whose code is made side by side
/// The same problem, of which no choice takes a pass over the matrix.
MeasureProblem without_passes(const MeasureProblem& problem) {
    MeasureProblem sampled = problem;
    if (problem.sampled) sampled.choose = problem.sampled;
    return sampled;
}

/// Tries what promises most first, as far as the budget goes: by the predictions, and by what they
/// erred of the kernels that were tried. A choice is by the sample until its kernel is made.
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
        begin_making([this] { return search_.rest_of_rule_ms() > 0; });
    }

    void run() {
        if (!go_on_()) return;
        seen_.insert(kernel_name(rule_.signature));
        find_order();
        const auto rules = predicted(rule_);
        if (rules) errors_.add(rule_.signature.kernel, search_.best_us(), *rules);
        const bool knows_others = !waiting_.empty() || !begun_.empty();
        if (!knows_others) want_unpredicted();
        pursue();
        if (knows_others) want_unpredicted();
        pursue();
    }

  private:
    struct Wanted {
        Choice choice;
        std::optional<Prediction> prediction = {};
    };

    void find_order() {
        if (has_order_ || !problem_.predict || !go_on_()) return;
        has_order_ = true;
        for (auto& known : rank(problem_, rule_, considered_padding, go_on_))
            want(std::move(known.choice), known.prediction);
    }

    void want(Choice choice, const std::optional<Prediction>& prediction) {
        if (seen_.insert(kernel_name(choice.signature)).second)
            waiting_.push_back({std::move(choice), prediction});
    }

    std::optional<Prediction> predicted(const Choice& choice) const {
        return problem_.predict ? problem_.predict(choice.signature) : std::nullopt;
    }

    /// Kernels without a prediction: hardly ever is one of them the fastest.
    void want_unpredicted() {
        for (auto& choice : other_kernels(problem_, rule_, considered_padding, go_on_))
            if (!predicted(choice)) want(std::move(choice), std::nullopt);
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

    /// What is not known is in nobody's way.
    double promise(const Wanted& wanted) const {
        if (!wanted.prediction) return std::numeric_limits<double>::infinity();
        return errors_.promise_us(wanted.choice.signature.kernel, *wanted.prediction);
    }
    bool is_hopeless(const Wanted& wanted) const {
        return wanted.prediction && errors_.least_us(wanted.choice.signature.kernel,
                                                     *wanted.prediction) > search_.best_us();
    }
    void sort(std::vector<Wanted>& all) const {
        std::ranges::stable_sort(all, {}, [this](const Wanted& w) { return promise(w); });
    }

    /// Has those made side by side that promise most and that there will be time for.
    void begin_making(const GoOn& go_on) {
        if (begun_.size() >= abreast || waiting_.empty()) return;
        sort(waiting_);
        const std::size_t most = std::min(abreast - begun_.size(), waiting_.size());
        std::vector<Choice> choices;
        for (std::size_t i = 0; i < most; ++i) choices.push_back(waiting_[i].choice);
        const Search::MakingPlan plan = search_.plan_making(choices, seconds_);
        std::size_t done = 0;
        for (; done < most && go_on(); ++done) {
            Wanted& next = waiting_[done];
            if (!plan.expected_ms[done] || problem_.making == nullptr) {
                not_begun_.push_back(std::move(next));
                continue;
            }
            auto of_matrix = exact(next.choice);
            if (!of_matrix || search_.was_tried(*of_matrix)) continue;
            problem_.making->begin(*of_matrix, *plan.expected_ms[done], plan.end_ms);
            begun_.push_back({std::move(*of_matrix), next.prediction});
        }
        waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(done));
    }

    /// Of those that are made, the one that promises most.
    Wanted next_made() {
        sort(begun_);
        std::vector<Choice> choices;
        for (auto& wanted : begun_) choices.push_back(wanted.choice);
        const std::size_t made = problem_.making->wait_for_one(choices);
        Wanted next = std::move(begun_[made]);
        begun_.erase(begun_.begin() + static_cast<std::ptrdiff_t>(made));
        return next;
    }

    void attempt(const Wanted& wanted) {
        if (!search_.is_within_budget(wanted.choice, seconds_)) return;
        const auto us = search_.attempt(wanted.choice, seconds_);
        if (us && wanted.prediction)
            errors_.add(wanted.choice.signature.kernel, *us, *wanted.prediction);
    }

    /// What changes one parameter of the fastest, if that is another one than the last time.
    void want_neighbours() {
        const std::string best = kernel_name(search_.best().signature);
        if (std::exchange(had_neighbours_, best) == best) return;
        const Choice around = search_.best();
        for (auto& choice : variants_of(problem_, around, Reach::neighbours, go_on_)) {
            const auto prediction = predicted(choice);
            want(std::move(choice), prediction);
        }
    }

    /// Tries all that promises enough, and the neighbours of the fastest.
    void pursue() {
        const bool beside = problem_.making != nullptr && problem_.making->goes_beside_trials();
        while (!search_.stopped()) {
            want_neighbours();
            std::erase_if(waiting_, [this](const Wanted& w) { return is_hopeless(w); });
            std::erase_if(begun_, [this](const Wanted& w) { return is_hopeless(w); });
            if (beside || begun_.empty()) begin_making(go_on_);
            if (!begun_.empty()) {
                attempt(next_made());
            } else if (!not_begun_.empty()) {
                const Wanted next = std::move(not_begun_.front());
                not_begun_.pop_front();
                if (is_hopeless(next) || !search_.is_within_budget(next.choice, seconds_)) continue;
                if (auto of_matrix = exact(next.choice))
                    attempt({std::move(*of_matrix), next.prediction});
            } else if (waiting_.empty() || !go_on_()) {
                break;
            }
        }
    }

    const MeasureProblem problem_;
    const std::function<Choice(const Request&)> choose_;
    const Choice& rule_;
    Search& search_;
    const double seconds_;
    const GoOn go_on_ = [this] { return !search_.begins_beyond_budget(seconds_); };
    bool has_order_ = false;
    PredictionErrors errors_;
    std::set<std::string> seen_;    ///< names of kernels, by the sample
    std::vector<Wanted> waiting_;   ///< not looked at yet
    std::vector<Wanted> begun_;     ///< made or being made, by all of the matrix
    std::deque<Wanted> not_begun_;  ///< for which there was no time beside others
    std::string had_neighbours_;    ///< the kernel whose neighbours were wanted last
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
