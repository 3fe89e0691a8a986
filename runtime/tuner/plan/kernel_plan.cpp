#include "tuner/plan/kernel_plan.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "spmvgen/error.hpp"

namespace spmvgen {

const KernelPlan& plan_of(std::string_view kernel) {
    static const std::map<std::string_view, KernelPlan> plans = [] {
        std::map<std::string_view, KernelPlan> all;
        for (auto& family : collected_plans())
            for (auto& plan : family) all.emplace(plan.kernel, plan);
        return all;
    }();
    static const KernelPlan none{.kernel = ""};
    const auto found = plans.find(kernel);
    return found != plans.end() ? found->second : none;
}

Params planned_params(const KernelEntry& kernel, const Situation& situation) {
    const KernelPlan& plan = plan_of(kernel.id);
    return plan.choose != nullptr ? ParamChoice::of(plan.choose, kernel, situation) : Params{};
}

std::vector<Params> all_planned_params(const KernelEntry& kernel, const Request& request,
                                       ValueType value) {
    const KernelPlan& plan = plan_of(kernel.id);
    if (plan.unlisted)
        throw Error(ErrorCode::unsupported,
                    fmt::format("what the rules choose for kernel {} depends on the matrix in too "
                                "many ways to be listed: name the kernel and its parameters",
                                kernel.id));
    if (plan.choose == nullptr) return {{}};
    return ParamChoice::all(plan.choose, kernel, request, value);
}

std::vector<Params> grid_of(const KernelEntry& kernel, const Situation& situation,
                            const BlockFill& fill) {
    const auto grid = plan_of(kernel.id).grid;
    return grid != nullptr ? grid(situation, fill) : std::vector<Params>{{}};
}

std::vector<Params> sets_beside(const KernelEntry& kernel, const Situation& situation,
                                const Params& best) {
    const auto beside = plan_of(kernel.id).beside;
    return beside != nullptr ? beside(situation, best) : std::vector<Params>{};
}

std::optional<CpuWork> cpu_work(MatrixFigures& figures, const Signature& signature, int threads) {
    const auto work = plan_of(signature.kernel).cpu_work;
    if (work == nullptr || signature.num_rhs != 1) return std::nullopt;
    return work(cpu::Problem(figures, signature, threads));
}

std::optional<GpuWork> gpu_work(MatrixFigures& figures, const Signature& signature, double units) {
    const auto work = plan_of(signature.kernel).gpu_work;
    if (work == nullptr || signature.num_rhs != 1) return std::nullopt;
    GpuWork counted = work(gpu::Problem(figures, signature, units));
    counted.beside = figures.sectors_beside();
    counted.spread = figures.spread();
    return counted;
}

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
