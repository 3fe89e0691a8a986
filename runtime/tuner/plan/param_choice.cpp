#include "tuner/plan/param_choice.hpp"

#include <fmt/format.h>

#include <set>

#include "spmvgen/error.hpp"

namespace spmvgen {

std::vector<Params> ParamChoice::all(void (*choose)(ParamChoice&), const KernelEntry& kernel,
                                     const Request& request, ValueType value) {
    std::set<Params> found;
    ParamChoice choice(kernel, request, value);
    do {
        choice.depth_ = 0;
        choice.params_.clear();
        choose(choice);
        found.insert(choice.params_);
        auto& path = choice.path_;
        while (!path.empty() && path.back().taken + 1 == path.back().count) path.pop_back();
        if (!path.empty()) ++path.back().taken;
    } while (!choice.path_.empty());
    return {found.begin(), found.end()};
}

std::int64_t ParamChoice::put(std::string_view name, std::int64_t value) {
    const auto p = std::ranges::find(kernel_->params, name, &Parameter::name);
    if (p == kernel_->params.end())
        throw Error(ErrorCode::internal,
                    fmt::format("the plan of kernel {} sets parameter {}, which it has not",
                                kernel_->id, name));
    std::int64_t legal = std::clamp(value, p->allowed.front(), p->allowed.back());
    if (!p->range) legal = *std::prev(std::ranges::upper_bound(p->allowed, legal));
    params_[std::string(name)] = legal;
    return legal;
}

void ParamChoice::may_be_picked(std::initializer_list<Params> picks) {
    if (situation_ != nullptr) return;
    const std::size_t pick = decide(picks.size() + 1);
    if (pick == 0) return;
    for (auto& [name, value] : *(picks.begin() + pick - 1)) put(name, value);
}

std::size_t ParamChoice::decide(std::size_t count) {
    if (depth_ == path_.size()) path_.push_back({0, count});
    return path_[depth_++].taken;
}

}  // namespace spmvgen
