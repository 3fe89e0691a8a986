// The threads of a CPU that take part in an apply.
#include <fmt/format.h>

#include <utility>

#include "registry.hpp"
#include "tuner/chooser/chooser.hpp"

namespace spmvgen {
namespace {

/// Times the begin of a team, of a product from which on no smaller team is weighed.
constexpr double most_regions = 20;
/// Times the least time, of the same kernel from which on no other is weighed for a smaller team.
constexpr double hopeless_team = 1.4;

}  // namespace

std::optional<Choice> Chooser::of_smaller_team(const Choice& choice, const Prediction& same,
                                               const Request& request,
                                               std::span<const CountedChoice::Candidate> others) {
    CountedChoice& counted = *predictions(request);
    const CountedChoice::Candidate* best = nullptr;
    Prediction least = same;
    for (auto& other : others) {
        const auto time = counted.predict(other.signature);
        if (!time || time->bad_us() >= least.bad_us() ||
            time->bad_us() >= counted.limit_us(other.kernel, choice.signature.kernel, same))
            continue;
        best = &other;
        least = *time;
    }
    if (best == nullptr) return choice;
    auto found = sampled_of_grid(kernel_entry(best->kernel), best->params, request);
    if (found)
        found->reason = fmt::format("predicted {:.1f} µs ± {:.0f} %, {} {:.1f} µs", least.us,
                                    100 * least.error, kernel_name(choice.signature), same.us);
    return found;
}

void Chooser::take_smaller_team(Choice& choice, Request& request, const Request& asked,
                                std::span<const CountedChoice::Candidate> others) {
    auto least = predict(choice.signature, request);
    if (!least) return;
    const double all_us = least->us, region_us = asked.profile->region_us(asked.threads);
    if (all_us > most_regions * region_us) return;
    for (const int team : asked.smaller_teams) {
        Request fewer = asked;
        fewer.threads = team;
        const auto same = predict(choice.signature, fewer);
        if (!same || same->us > hopeless_team * least->us) continue;
        auto of_team = of_smaller_team(choice, *same, fewer, others);
        if (!of_team) continue;
        const auto prediction = predict(of_team->signature, fewer);
        if (!prediction || prediction->bad_us() >= least->bad_us()) continue;
        choice = std::move(*of_team);
        choice.threads = team;
        request = std::move(fewer);
        least = prediction;
    }
    if (choice.threads > 0)
        choice.reason += fmt::format(
            "; {} of {} threads, with all of which it would be {:.1f} µs, {:.1f} of them to begin",
            choice.threads, asked.threads, all_us, region_us);
}

}  // namespace spmvgen
