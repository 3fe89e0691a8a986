#include "tuner/cost/counted_choice.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <ranges>
#include <set>

#include "registry.hpp"
#include "tuner/candidates.hpp"
#include "tuner/chooser.hpp"
#include "tuner/cost/cpu_work.hpp"
#include "tuner/variants.hpp"

namespace spmvgen {
namespace {

constexpr double most_padding = 4;  ///< stored entries over nonzeros, for a kernel to be weighed
/// Times the least time of all kernels with the rules' parameters, from which on a kernel is not
/// weighed with others.
constexpr double hopeless = 1.6;

}  // namespace

struct CountedChoice::Weighed {
    const KernelEntry* entry;
    std::vector<Params> grid;
    std::set<std::string> seen = {};  ///< names
    std::vector<Candidate> found = {};
};

// One thread: the sample is small, and starting a team takes longer than looking at it.
CountedChoice::CountedChoice(const CsrView& matrix, const RowFeatures& features,
                             const DeviceProfile& profile, int team, const CostConstants& constants,
                             std::function<const BlockFill&()> fill)
    : profile_(profile),
      team_(team),
      constants_(constants),
      figures_(matrix, features, 1, team == 0 ? CountedFor::gpu : CountedFor::cpu),
      sampled_(std::make_unique<Chooser>(figures_.sample(), figures_.features(), 1)) {
    figures_.share({std::move(fill), [this](const Signature& signature) -> const StripsPlan& {
                        return sampled_->strips_plan(signature);
                    }});
}

CountedChoice::~CountedChoice() = default;

std::optional<Prediction> CountedChoice::predict(const Signature& signature) {
    return team_ == 0 ? predict_gpu(figures_, signature, profile_, constants_)
                      : predict_cpu(figures_, signature, profile_, team_, constants_);
}

void CountedChoice::add(Weighed& kernel, const Params& params, const Request& request) {
    const std::optional<Choice> choice = sampled_->of_grid(*kernel.entry, params, request);
    if (!choice || padding_of(figures_.features(), choice->signature) > most_padding ||
        !kernel.seen.insert(kernel_name(choice->signature)).second)
        return;
    if (const auto prediction = predict(choice->signature))
        kernel.found.push_back({std::string(kernel.entry->id), params, *prediction});
}

std::vector<CountedChoice::Candidate> CountedChoice::ranked(const Request& asked) {
    Request request = asked;
    request.profile = nullptr;                   // the sample's chooser is not to ask in turn,
    request.encode = request.exact.has_value();  // nor to look at values, which it has not
    std::vector<Weighed> kernels;
    double least = std::numeric_limits<double>::infinity();
    for (const KernelEntry* entry : candidates(request)) {
        if (!constants_.kernels.contains(std::string(entry->id))) continue;
        kernels.push_back({entry, sampled_->grid_params(*entry, request)});
        if (kernels.back().grid.empty()) continue;
        add(kernels.back(), kernels.back().grid.front(), request);
        for (auto& candidate : kernels.back().found)
            least = std::min(least, candidate.prediction.us);
    }
    std::vector<Candidate> all;
    for (auto& kernel : kernels) {
        const bool hopes = std::ranges::any_of(
            kernel.found, [&](const Candidate& c) { return c.prediction.us <= hopeless * least; });
        if (hopes)
            for (auto& params : kernel.grid | std::views::drop(1)) add(kernel, params, request);
        std::ranges::move(kernel.found, std::back_inserter(all));
    }
    std::ranges::stable_sort(all, {}, [](const Candidate& c) { return c.prediction.us; });
    return all;
}

}  // namespace spmvgen
