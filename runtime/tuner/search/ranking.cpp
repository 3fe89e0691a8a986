#include "tuner/search/ranking.hpp"

#include <algorithm>
#include <set>

#include "formats/format_storage.hpp"
#include "registry.hpp"
#include "tuner/rules/choose.hpp"
#include "tuner/search/variants.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t varied_again = 3;  ///< of the best
constexpr std::size_t most_ranked = 32;  ///< of those whose predictions were sorted before

/// Collects what has a prediction, each signature once.
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
        for (auto& known : problem.ranked(most_ranked)) ranking.add(known.choice);
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

}  // namespace spmvgen
