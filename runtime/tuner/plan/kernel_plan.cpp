#include "tuner/plan/kernel_plan.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "spmvgen/error.hpp"
#include "tuner/cost/work/gpu_units.hpp"
#include "tuner/plan/cpu_figures.hpp"
#include "tuner/plan/gpu_figures.hpp"

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
    const KernelPlan& plan = plan_of(signature.kernel);
    if (plan.gpu_work == nullptr || (signature.num_rhs > 1 && !plan.counts_several))
        return std::nullopt;
    const gpu::Problem problem(figures, signature, units);
    GpuWork counted = plan.gpu_work(problem);
    counted.beside = problem.sectors_beside();
    counted.lets_begin = problem.sharing.lanes > 1;
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

std::int64_t ParamChoice::put(const ParamName& name, std::int64_t value) {
    const auto p = std::ranges::find(kernel_->params, name, &Parameter::name);
    if (p == kernel_->params.end())
        throw Error(ErrorCode::internal,
                    fmt::format("the plan of kernel {} sets parameter {}, which it has not",
                                kernel_->id, name.view()));
    std::int64_t legal = std::clamp(value, p->allowed.front(), p->allowed.back());
    if (!p->range) legal = *std::prev(std::ranges::upper_bound(p->allowed, legal));
    params_[name] = legal;
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

// Of each kernel the sets that were the fastest for some training matrix
// (docs/explanation/choice.md); more of them would take time to predict, and be chosen by mistake.

std::vector<std::int64_t> exceeded(std::vector<std::int64_t> limits, std::int64_t longest) {
    const auto first = std::ranges::lower_bound(limits, longest);
    if (first != limits.end()) limits.erase(first + 1, limits.end());
    return limits;
}

std::vector<std::int64_t> lanes_for(double mean, std::int64_t most) {
    constexpr double rounds_of_lane = 64;  // steps of a mean row that one lane may have
    std::vector<std::int64_t> lanes;
    for (std::int64_t n = 1; n <= most; n *= 2) {
        const auto count = static_cast<double>(n);
        const bool too_few = count * rounds_of_lane < mean && n < most;
        const bool too_many = n > 2 && count > 2 * mean;
        if (!too_few && !too_many) lanes.push_back(n);
    }
    return lanes;
}

std::vector<Params> with_few_blocks(const Situation& s, std::vector<Params> sets,
                                    const std::function<double(const Params&)>& blocks) {
    constexpr std::int64_t most_threads = 1024;
    // With more the multiprocessors that stay idle are missed.
    constexpr std::int64_t most_entries = 300'000;
    if (!architecture(s.request.target).gpu.overlaps_launches || s.f.nnz > most_entries)
        return sets;
    const double few = std::floor(gpu::few_blocks * units_of(s.request));
    std::set<Params> more;
    for (Params set : sets) {
        if (!set.contains("block") || blocks(set) <= few) continue;
        while (set["block"] < most_threads && blocks(set) > few) set["block"] *= 2;
        if (blocks(set) <= few) more.insert(set);
    }
    sets.insert(sets.end(), more.begin(), more.end());
    return sets;
}

std::function<double(const Params&)> blocks_of_rows(const Situation& s, const char* lanes) {
    return [rows = s.f.rows, lanes](const Params& set) {
        return static_cast<double>(rows * set.at(lanes)) / static_cast<double>(set.at("block"));
    };
}

std::vector<std::int64_t> sorting_windows(const Situation& s,
                                          const std::vector<std::int64_t>& windows) {
    const bool helps = slice_padding(s) > 1.02 * sorted_slice_padding(s);
    return helps ? windows : std::vector<std::int64_t>{1};
}

namespace cpu {

std::vector<std::int64_t> row_lanes(const Situation& s, std::int64_t least) {
    constexpr double padded_mean = 0.75;  // mean row over the lanes of a vector, for a whole one
    const std::int64_t of_row = row_register_lanes(s.request, s.f.value_type);
    const std::int64_t most =
        of_row < register_lanes(s)
            ? of_row
            : std::min<std::int64_t>(16, 2 * std::max<std::int64_t>(2, of_row));
    std::vector<std::int64_t> lanes;
    for (std::int64_t n = least; n <= most; n *= 2)
        if (n == least || padded_mean * static_cast<double>(n) <= s.f.mean_row ||
            s.f.max_row >= long_row)
            lanes.push_back(n);
    return lanes;
}

std::vector<std::int64_t> sorting_windows(const Situation& s) {
    constexpr double least_unsorted_padding = 1.02;
    constexpr std::int64_t near_window = 256;  // rows that are sorted, and stay near each other
    std::vector<std::int64_t> windows{1};
    if (s.f.sell_padding.front() <= least_unsorted_padding) return windows;
    const std::int64_t most = sorting_window(s);
    if (most > 1) windows.push_back(std::min<std::int64_t>(near_window, most));
    if (most > near_window) windows.push_back(most);
    return windows;
}

}  // namespace cpu

}  // namespace spmvgen
