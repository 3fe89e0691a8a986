#include "tuner/chooser/counted_choice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <ranges>

#include "formats/format_storage.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/tiles_choice.hpp"
#include "tuner/plan/kernel_plan.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {
namespace {

constexpr double most_padding = 4;  ///< stored entries over nonzeros, for a kernel to be weighed
/// Times the least time of all kernels with the rules' parameters, from which on a kernel is not
/// weighed with others: of a GPU, and of a CPU.
constexpr double hopeless_gpu = 1.6, hopeless_cpu = 1.3;
/// Times its limit, of a GPU's kernel, the bound with the rules' parameters from which on others
/// are not looked at: they are not that much better.
constexpr double hopeless_bound = 1.6;
/// Times the least time so far, up to which sets beside the best of a kernel's are looked at.
constexpr double near_best = 1.25;
/// Of strips: what the matrix may decide.
constexpr std::int64_t least_unroll = 2, most_unroll = 8;
constexpr std::array<std::int64_t, 3> long_limits{32, 64, 256};
constexpr std::int64_t best_block = 4;  ///< rows, and columns: larger ones hardly take fewer bytes

/// What is free, last what takes long to look at: what was found until then may rule it out.
std::vector<const KernelEntry*> weighed(const Request& request) {
    std::vector<const KernelEntry*> free = candidates(request);
    std::erase_if(free, [&](const KernelEntry* entry) {
        return find_kernel(free, plan_of(entry->id).counted_as) != nullptr;
    });
    std::ranges::stable_partition(
        free, [](const KernelEntry* entry) { return entry->format != Format::strips; });
    return free;
}

/// Takes the first set out of a grid, and of blocks on a GPU the first of each size: there one size
/// says nothing of others.
std::vector<Params> take_first_sets(std::vector<Params>& grid, bool of_gpu) {
    const auto has_blocks_of = [](const Params& params, const Params& others) {
        return std::ranges::all_of(std::array{"block_rows", "block_cols"}, [&](const char* name) {
            const auto own = params.find(name), other = others.find(name);
            return own == params.end() || other == others.end() || own->second == other->second;
        });
    };
    std::vector<Params> first;
    for (const Params& params : grid)
        if (first.empty() || (of_gpu && std::ranges::none_of(first, [&](const Params& p) {
                                  return has_blocks_of(params, p);
                              })))
            first.push_back(params);
    std::erase_if(grid,
                  [&](const Params& p) { return std::ranges::find(first, p) != first.end(); });
    return first;
}

bool sorts_rows(const Params& params) {
    const auto sigma = params.find("sigma");
    return sigma != params.end() && sigma->second > 1;
}

}  // namespace

struct CountedChoice::Weighed {
    const KernelEntry* entry;
    std::vector<Params> grid;
    /// From which on a bad case is of no interest.
    double limit_us = std::numeric_limits<double>::infinity();
    std::vector<Signature> seen = {};  ///< beside those of `found`
    std::vector<Candidate> found = {};
    double least_us = std::numeric_limits<double>::infinity();  ///< of those, or bounds of others
    /// Times its limit, the least bound that was refused.
    std::optional<double> beyond = std::nullopt;
    Params nearest = {};  ///< of the grid's sets the one with the least time, or bound
    double nearest_us = std::numeric_limits<double>::infinity();

    bool has_seen(const Signature& s) const {
        return std::ranges::find(found, s, &Candidate::signature) != found.end() ||
               std::ranges::find(seen, s) != seen.end();
    }
    void note(const Params& params, const std::optional<Prediction>& time) {
        if (!time || time->bad_us() >= nearest_us) return;
        nearest = params;
        nearest_us = time->bad_us();
    }
};

// One thread: the sample is small, and starting a team takes longer than looking at it.
CountedChoice::CountedChoice(const CsrView& matrix, const RowFeatures& features,
                             const DeviceProfile& profile, int team, const CostConstants& constants,
                             const CostCorrection* correction, Chooser& chooser)
    : profile_(profile),
      team_(team),
      constants_(constants),
      correction_(correction),
      figures_(matrix, features, *chooser.sample_, 1,
               team == 0 ? CountedFor::gpu : CountedFor::cpu),
      chooser_(&chooser) {
    figures_.share({[this]() -> const BlockFill& { return chooser_->fill(); },
                    [this](const Signature& signature) -> const StripsPlan& {
                        return chooser_->strips_->sample_plan(signature);
                    },
                    [this]() -> const SampledHubs& { return chooser_->hubs(); }});
}

std::vector<double> CountedChoice::costs(const Signature& signature) {
    return team_ == 0 ? costs_of_gpu(figures_, signature, profile_)
                      : costs_of_cpu(figures_, signature, profile_, team_);
}

std::optional<CorrectionFeatures> CountedChoice::correction_features(
    const Signature& signature, const CostConstants& constants) {
    return correction_features_of(figures_, signature, profile_, constants);
}

std::optional<Prediction> CountedChoice::predict(const Signature& signature) {
    // The least that is possible is no kernel's time, of which a correction knows something.
    const CostCorrection* const correction = figures_.is_optimistic() ? nullptr : correction_;
    return team_ == 0 ? predict_gpu(figures_, signature, profile_, constants_, correction)
                      : predict_cpu(figures_, signature, profile_, team_, constants_);
}

std::optional<Prediction> CountedChoice::bound(const KernelEntry& kernel, const Params& params,
                                               const Request& asked) {
    if (asked.num_rhs > 1) return std::nullopt;
    const auto hubs = std::ranges::find(kernel.params, "hubs", &Parameter::name);
    const bool has_hubs = hubs != kernel.params.end();
    if (team_ > 0 && kernel.format != Format::strips && !sorts_rows(params)) return std::nullopt;
    Request request = asked;
    request.kernel = kernel.id;
    request.params.insert(params.begin(), params.end());
    const Params given = request.params;
    if (kernel.format == Format::bcsr)
        request.params.merge({{"block_rows", best_block}, {"block_cols", best_block}});
    Signature s;
    try {
        s = with_parameters(figures_.features(), request);
    } catch (const Error&) {  // what the caller fixed does not go with it
        return std::nullopt;
    }
    if (kernel.format == Format::strips) {
        for (const char* name : {"ragged", "fill"}) s.params[name] = 0;
        s.params["codes"] = 1;
        // Rows apart are what a plan does with those that would pad all others of their slices.
        s.params["long_rows"] = 1;
        if (team_ > 0) return bound_of_strips_cpu(std::move(s), request.params);
    }
    if (has_hubs && !request.params.contains("hubs")) s.params["hubs"] = hubs->allowed.front();
    if (kernel.format == Format::bcsr) return bound_of_blocks(std::move(s), given);
    return at_best(s, request.params);
}

std::optional<Prediction> CountedChoice::bound_of_blocks(Signature s, const Params& given) {
    constexpr std::int64_t small = 2;  // shares wide rows out better where these are few
    const bool has_size = given.contains("block_rows") || given.contains("block_cols");
    std::vector<std::int64_t> lanes{s.params.at("subwarp")};
    if (!given.contains("subwarp"))
        for (std::int64_t more = 4; more <= s.target.wavefront; more *= 2) lanes.push_back(more);
    std::optional<Prediction> least;
    for (const std::int64_t size : {best_block, small}) {
        if (!has_size) s.params["block_rows"] = s.params["block_cols"] = size;
        for (const std::int64_t of_row : lanes) {
            s.params["subwarp"] = of_row;
            const auto time = at_best(s, {});
            if (time && (!least || time->us < least->us)) least = time;
        }
        if (has_size) break;
    }
    return least;
}

std::optional<Prediction> CountedChoice::at_best(const Signature& s, const Params& given) {
    figures_.be_optimistic(true);
    const bool is_strips = kernel_entry(s.kernel).format == Format::strips && team_ == 0;
    const auto least = is_strips ? predict_strips(s, given) : predict(s);
    figures_.be_optimistic(false);
    return least;
}

std::optional<Prediction> CountedChoice::bound_of_strips_cpu(Signature s, const Params& given) {
    const auto in_blocks = [&](std::int64_t high, std::int64_t wide) {
        s.params["block_rows"] = high;
        s.params["block_cols"] = wide;
        const bool apart = figures_.features().max_row > s.params.at("long_from") * wide;
        s.params["long_rows"] = apart ? 1 : 0;
        return at_best(s, given);
    };
    if (given.contains("block_rows") || given.contains("block_cols"))
        return in_blocks(s.params.at("block_rows"), s.params.at("block_cols"));
    const auto least = in_blocks(1, 1);
    const auto [high, wide] = likely_block(chooser_->fill(), figures_.features().rows, s);
    const auto blocked = high * wide > 1 ? in_blocks(high, wide) : std::nullopt;
    return blocked && least && blocked->us < least->us ? blocked : least;
}

std::optional<Prediction> CountedChoice::predict_strips(Signature s, const Params& given) {
    const std::int64_t lanes = s.params.at("threads_per_row");
    std::vector<std::int64_t> limits{s.params.at("long_from")}, unrolls{s.params.at("unroll")};
    if (!given.contains("long_from") && figures_.features().max_row > long_limits.front() * lanes)
        limits.assign(long_limits.begin(), long_limits.end());
    const auto strips = static_cast<std::int64_t>(
        std::ceil(figures_.features().mean_row / static_cast<double>(lanes)));
    if (!given.contains("unroll"))
        unrolls = {least_unroll, std::clamp(strips, least_unroll, most_unroll), most_unroll};
    std::optional<Prediction> least;
    for (const std::int64_t limit : limits)
        for (const std::int64_t unroll : unrolls) {
            s.params["long_from"] = limit;
            s.params["unroll"] = unroll;
            const auto time = predict(s);
            if (time && (!least || time->us < least->us)) least = time;
        }
    return least;
}

bool CountedChoice::may_have_blocks(const Weighed& kernel, const Request& request) {
    if (team_ > 0 || kernel.entry->format != Format::bcsr ||
        kernel.limit_us == std::numeric_limits<double>::infinity())
        return true;
    const auto least = bound(*kernel.entry, {}, request);
    return !least || least->bad_us() < kernel.limit_us;
}

bool CountedChoice::is_beyond(Weighed& kernel, const std::optional<Prediction>& least,
                              double best_us) {
    if (!least || least->bad_us() < std::min(kernel.limit_us, best_us)) return false;
    kernel.least_us = std::min(kernel.least_us, least->us);
    const double beyond = least->bad_us() / kernel.limit_us;
    kernel.beyond = std::min(kernel.beyond.value_or(beyond), beyond);
    return true;
}

bool CountedChoice::has_few_hubs(const Signature& s) {
    const auto hubs = s.params.find("hubs");
    return hubs != s.params.end() &&
           figures_.hub_share(hubs->second) < nearly_all_hubs * few_hub_entries;
}

void CountedChoice::add(Weighed& kernel, const Params& params, const Request& request,
                        double& best_us) {
    const bool is_limited = kernel.limit_us < std::numeric_limits<double>::infinity();
    // Of a CPU's other kernels the signature, which a bound needs, is all that a choice takes.
    const bool is_laid_out = team_ == 0 || kernel.entry->format == Format::strips;
    if (is_limited && is_laid_out) {
        const auto least = bound(*kernel.entry, params, request);
        kernel.note(params, least);
        if (is_beyond(kernel, least, best_us)) return;
    }
    std::optional<Choice> choice = chooser_->sampled_of_grid(*kernel.entry, params, request);
    if (!choice || padding_of(figures_.features(), choice->signature) > most_padding ||
        kernel.has_seen(choice->signature))
        return;
    Signature& s = choice->signature;
    if (is_limited && has_few_hubs(s)) return kernel.seen.push_back(std::move(s));
    const bool beyond = is_limited && !is_laid_out && sorts_rows(s.params) &&
                        is_beyond(kernel, at_best(s, {}), best_us);
    const auto prediction = beyond ? std::nullopt : predict(s);
    if (!prediction) return kernel.seen.push_back(std::move(s));
    kernel.note(params, prediction);
    kernel.least_us = std::min(kernel.least_us, prediction->us);
    if (prediction->bad_us() < kernel.limit_us) best_us = std::min(best_us, prediction->bad_us());
    kernel.found.push_back({std::string(kernel.entry->id), params, std::move(s), *prediction});
}

void CountedChoice::look_beside(Weighed& kernel, const Request& request, double& best_us) {
    if (plan_of(kernel.entry->id).beside == nullptr || kernel.nearest_us > near_best * best_us)
        return;
    const auto best = chooser_->sampled_of_grid(*kernel.entry, kernel.nearest, request);
    if (!best) return;
    for (auto& params : chooser_->params_beside(*kernel.entry, best->signature.params, request))
        add(kernel, params, request, best_us);
}

std::vector<CountedChoice::Candidate> CountedChoice::ranked(const Request& request) {
    return better(request, {}, {.us = std::numeric_limits<double>::infinity()});
}

std::vector<CountedChoice::Candidate> CountedChoice::better(const Request& asked,
                                                            const Signature& rules,
                                                            const Prediction& by_rules) {
    Request request = asked;
    request.encode = request.exact.has_value();
    std::vector<Weighed> kernels;
    double least = by_rules.us, best_us = std::numeric_limits<double>::infinity();
    for (const KernelEntry* entry : weighed(request)) {
        if (!constants_.kernels.contains(std::string(entry->id))) continue;
        Weighed kernel{entry, {}, limit_us(entry->id, rules.kernel, by_rules)};
        // Of the rules' kernel other parameters may do where its blocks are as full as can be.
        if (entry->id == rules.kernel || may_have_blocks(kernel, request))
            kernel.grid = chooser_->grid_params(*entry, request);
        if (kernel.grid.empty()) continue;
        for (auto& params : take_first_sets(kernel.grid, team_ == 0))
            add(kernel, params, request, best_us);
        least = std::min(least, kernel.least_us);
        kernels.push_back(std::move(kernel));
    }
    std::vector<Candidate> all;
    for (auto& kernel : kernels) {
        const bool is_far = kernel.found.empty() && kernel.beyond.value_or(0) > hopeless_bound;
        if (team_ == 0 && is_far && kernel.entry->id != rules.kernel) continue;
        if (kernel.least_us <= (team_ > 0 ? hopeless_cpu : hopeless_gpu) * least)
            for (auto& params : kernel.grid) add(kernel, params, request, best_us);
        look_beside(kernel, request, best_us);
        std::ranges::move(kernel.found, std::back_inserter(all));
    }
    std::ranges::stable_sort(all, {}, [](const Candidate& c) { return c.prediction.bad_us(); });
    return all;
}

}  // namespace spmvgen
