// Choices that are taken as they were made before.
#include <algorithm>
#include <utility>

#include "formats/layout.hpp"
#include "registry.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/recall/situation.hpp"

namespace spmvgen {

std::optional<ChoiceKey> Chooser::key_of(Request& request) {
    const bool is_open = request.kernel == "auto" && !request.blocks && !request.strips &&
                         !request.hubs && !request.saved_gathers;
    // What is to give the same bits each time does not depend on what came before.
    if (memory_ == nullptr || !is_open || !is_weighed(request) || request.profile == nullptr ||
        request.deterministic)
        return std::nullopt;
    take_sample(request);
    look_at_values(request);
    return choice_key(matrix_, features_, *sample_, request,
                      situation_of(*request.profile, is_host(request)));
}

Choice Chooser::sampled(Request& request) {
    recalled_.reset();
    key_ = key_of(request);
    if (key_)
        if (auto known = memory_->find(*key_, request.target))
            return recalled(std::move(*known), request);
    return weighed(request);
}

Choice Chooser::recalled(KnownChoice known, Request& request) {
    recalled_ = std::move(known);
    Choice choice = recalled_->choice;
    if (choice.threads > 0) request.threads = choice.threads;
    choice.reason += "; recalled";
    return choice;
}

bool Chooser::is_recalled(const Signature& signature) const {
    if (!recalled_) return false;
    const Signature& known = recalled_->choice.signature;
    return signature.kernel == known.kernel &&
           std::ranges::all_of(kernel_entry(known.kernel).params, [&](const Parameter& parameter) {
               return parameter.of_matrix ||
                      param(signature, parameter.name, 0) == param(known, parameter.name, 0);
           });
}

std::optional<Prediction> Chooser::predict(const Signature& signature, const Request& request) {
    if (predictions_ == nullptr && is_recalled(signature)) return recalled_->prediction;
    CountedChoice* const all = predictions(request);
    return all != nullptr ? all->predict(signature) : std::nullopt;
}

const KnownOrder* Chooser::known_order() const {
    return recalled_ && recalled_->order ? &*recalled_->order : nullptr;
}

void Chooser::note_order(const KnownOrder& order) {
    if (key_) memory_->note_order(*key_, order);
}

}  // namespace spmvgen
