// The rules' choice beside the kernels that are predicted to be faster.
#include <fmt/format.h>

#include <utility>

#include "registry.hpp"
#include "tuner/chooser/break_even.hpp"
#include "tuner/chooser/chooser.hpp"

namespace spmvgen {

void Chooser::unless_plain_is_cheaper(Choice& choice, const Request& request,
                                      std::vector<CountedChoice::Candidate>& others) {
    const auto rules = predict(choice.signature, request);
    if (!rules) return;
    const bool many = request.applies == 0 && architecture(request.target).kind == TargetKind::host;
    if (!counting_repays(many ? many_on_cpus : request.applies, rules->us, sample_->view().nnz)) {
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

}  // namespace spmvgen
