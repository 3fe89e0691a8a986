// What predicted times decide: the kernel in place of the rules' one, and the threads of a CPU that
// take part in an apply.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "registry.hpp"
#include "tuner/chooser/break_even.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/counted_choice.hpp"

namespace spmvgen {
namespace {

/// Times the begin of a team, of a product from which on no smaller team is weighed.
constexpr double most_regions = 20;
/// Times the least time, of the same kernel from which on no other is weighed for a smaller team.
constexpr double hopeless_team = 1.4;

}  // namespace

CountedChoice* Chooser::predictions(const Request& request) {
    const bool host = is_host(request);
    const CostConstants* constants = host ? cpu_constants() : gpu_constants(request.num_rhs);
    const bool plain = (request.num_rhs == 1 || !host) && request.op == Op::none &&
                       !request.batch && !is_complex(vectors_type(request, features_.value_type));
    if (request.profile == nullptr || constants == nullptr || !plain || matrix_.nnz == 0)
        return nullptr;
    const CostCorrection* correction =
        host || request.num_rhs > 1 ? nullptr : gpu_correction(request.target);
    const int team = host ? request.threads : 0;
    take_sample(request);
    if (predictions_ == nullptr || !predictions_->is_of(*request.profile, *constants))
        predictions_ = std::make_unique<CountedChoice>(matrix_, features_, *request.profile, team,
                                                       *constants, correction, *this);
    predictions_->set_team(team);
    return predictions_.get();
}

std::optional<double> Chooser::most_sectors_of_blocks(const Request& request) {
    CountedChoice* const all = predictions(request);
    if (all == nullptr) return std::nullopt;
    return all->sectors_of_blocks();
}

std::vector<Ranked> Chooser::ranked(const Request& asked, std::size_t most) {
    std::vector<Ranked> found;
    CountedChoice* const all = predictions(asked);
    if (all == nullptr) return found;
    Request request = asked;
    look_at_values(request);
    for (auto& candidate : all->ranked(request)) {
        if (found.size() == most) break;
        if (auto choice =
                sampled_of_grid(kernel_entry(candidate.kernel), candidate.params, request))
            found.push_back({std::move(*choice), candidate.prediction});
    }
    return found;
}

void Chooser::unless_plain_is_cheaper(Choice& choice, const Request& request,
                                      std::vector<CountedChoice::Candidate>& others) {
    const auto rules = predict(choice.signature, request);
    if (!rules) return;
    const bool many = request.applies == 0 && is_host(request);
    const double speed = is_host(request) ? request.profile->core_speed() : 1;
    if (!counting_repays(many ? many_on_cpus : request.applies, rules->us, sample_->view().nnz,
                         speed)) {
        if (many)
            choice.reason +=
                fmt::format("; predicted {:.1f} µs, of which {} do not repay predicting others",
                            rules->us, many_on_cpus);
        return;
    }
    CountedChoice& counted = *predictions(request);
    const std::string of_rules = choice.signature.kernel;
    others = counted.better(request, choice.signature, *rules);
    for (auto& candidate : others) {
        if (candidate.prediction.bad_us() >= counted.limit_us(candidate.kernel, of_rules, *rules))
            continue;
        auto better = sampled_of_grid(kernel_entry(candidate.kernel), candidate.params, request);
        if (!better) continue;
        better->reason = fmt::format("predicted {:.1f} µs ± {:.0f} %, the rules' {} {:.1f} µs ({})",
                                     candidate.prediction.us, 100 * candidate.prediction.error,
                                     kernel_name(choice.signature), rules->us, choice.reason);
        choice = std::move(*better);
        return;
    }
    choice.reason += fmt::format("; predicted {:.1f} µs, and of no other enough less", rules->us);
}

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
