#include "tuner/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "registry.hpp"
#include "tuner/candidates.hpp"
#include "tuner/variants.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t varied_again = 3;  ///< of the best
constexpr std::size_t most_ranked = 12;  ///< of those whose predictions were sorted before

/// Collects what the model knows, each signature once.
class Ranking {
  public:
    Ranking(const MeasureProblem& problem, const GoOn& go_on) : problem_(problem), go_on_(go_on) {}

    void add(const Choice& choice) {
        if (!seen_.insert(kernel_name(choice.signature)).second) return;
        if (const auto prediction = problem_.predict(choice.signature))
            ranked_.push_back({choice, *prediction});
    }
    void add_variants(const Choice& choice) {
        for (auto& variant : variants_of(problem_, choice, Reach::all, go_on_)) add(variant);
    }
    void sort() {
        std::ranges::stable_sort(ranked_, {}, [](const Ranked& r) { return r.prediction.us; });
    }
    std::vector<Ranked>& all() { return ranked_; }

  private:
    const MeasureProblem& problem_;
    const GoOn& go_on_;
    std::set<std::string> seen_;
    std::vector<Ranked> ranked_;
};

}  // namespace

std::vector<Choice> other_kernels(const MeasureProblem& problem, const Choice& rule,
                                  double most_padding, const GoOn& go_on) {
    std::vector<Choice> found;
    const double most = most_padding * padding_of(problem.features, rule.signature);
    for (const KernelEntry* entry : candidates(problem.request)) {
        if (entry->id == rule.signature.kernel) continue;
        if (!go_on()) break;  // the kernel's parameters may take a pass over the matrix
        for (auto& choice : choice_of(problem, *entry))
            if (padding_of(problem.features, choice.signature) <= most)
                found.push_back(std::move(choice));
    }
    return found;
}

std::vector<Ranked> rank(const MeasureProblem& problem, const Choice& rule, double most_padding,
                         const GoOn& go_on) {
    Ranking ranking(problem, go_on);
    ranking.add(rule);
    if (problem.ranked) {
        for (auto& known : problem.ranked(most_ranked, go_on)) ranking.add(known.choice);
        if (ranking.all().size() > 1) {
            ranking.sort();
            return std::move(ranking.all());
        }
    }
    ranking.add_variants(rule);
    for (auto& choice : other_kernels(problem, rule, most_padding, go_on)) {
        ranking.add(choice);
        ranking.add_variants(choice);
    }
    ranking.sort();
    std::vector<Choice> best;
    for (auto& ranked : ranking.all())
        if (best.size() < varied_again) best.push_back(ranked.choice);
    for (auto& choice : best) ranking.add_variants(choice);
    ranking.sort();
    return std::move(ranking.all());
}

Choice choose_by_model(const MeasureProblem& problem, const Choice& rule) {
    Choice kept = rule;
    const auto rules = problem.predict ? problem.predict(rule.signature) : std::nullopt;
    if (!rules) {
        kept.reason += "; level model: there is no model of this kernel on this device";
        return kept;
    }
    const std::vector<Ranked> order = rank(problem, rule, considered_padding);
    const Ranked& first = order.front();
    if (first.choice.signature == rule.signature ||
        first.prediction.us >= (1 - model_margin) * rules->us) {
        kept.reason += fmt::format(
            "; predicted {:.2f} µs ± {:.0f} %, none of {} others less by more than {:.0f} %",
            rules->us, 100 * rules->error, order.size() - 1, 100 * model_margin);
        return kept;
    }
    Choice choice = first.choice;
    choice.reason = fmt::format(
        "predicted {:.2f} µs ± {:.0f} %, the least of {} kernels; the rule's {} {:.2f} µs ({})",
        first.prediction.us, 100 * first.prediction.error, order.size(),
        kernel_name(rule.signature), rules->us, rule.reason);
    return choice;
}

}  // namespace spmvgen
