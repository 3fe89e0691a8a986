#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "matrix/features/block_fill.hpp"
#include "short_list.hpp"
#include "tuner/cost/work/cpu_problem.hpp"
#include "tuner/cost/work/gpu_problem.hpp"
#include "tuner/situation.hpp"

namespace spmvgen {

/// A few values of a parameter, ascending or not.
class Values : public ShortList<std::int64_t, 24> {
  public:
    using ShortList::ShortList;
    /// 2ⁿ from the least, itself one, to the most.
    static Values powers(std::int64_t least, std::int64_t most) {
        Values values;
        for (std::int64_t n = least; n <= most; n *= 2) values.push_back(n);
        return values;
    }
};

/// The parameters of a kernel as its plan sets them (KernelPlan::choose): for one matrix, or, for
/// kernels that are made ahead, all that may come out for any. Each decision gives both at once,
/// the value for a situation and the values that there may be; a list comes from making the
/// decisions again and again, each time one of them differently.
class ParamChoice {
  public:
    /// For a matrix.
    static Params of(void (*choose)(ParamChoice&), const KernelEntry& kernel, const Situation& s) {
        ParamChoice choice(kernel, s.request, s.f.value_type);
        choice.situation_ = &s;
        choose(choice);
        return std::move(choice.params_);
    }
    /// All that `of` may give for the request and matrices with values of that type, whatever the
    /// features, and perhaps more.
    static std::vector<Params> all(void (*choose)(ParamChoice&), const KernelEntry& kernel,
                                   const Request& request, ValueType value);

    const KernelEntry& kernel() const { return *kernel_; }
    const Request& request() const { return *request_; }
    /// The matrix's values.
    ValueType value_type() const { return value_type_; }
    int wavefront() const { return request_->target.wavefront; }

    /// Sets the parameter to value(situation), one of `possible` (Values, or a function that gives
    /// them), and gives what was set: the largest legal value up to it, else the least. Throws
    /// Error(internal) for a parameter that the kernel has not.
    template <typename Possible, typename Value>
    std::int64_t set(std::string_view name, const Possible& possible, const Value& value) {
        if (situation_ != nullptr) return put(name, value(*situation_));
        const Values values = values_of(possible);
        return put(name, values[decide(values.size())]);
    }
    /// A value that no feature decides.
    std::int64_t put(const ParamName& name, std::int64_t value);

    /// What a test of the situation says, or may say.
    template <typename Test>
    bool when(const Test& test) {
        return situation_ != nullptr ? test(*situation_) : decide(2) == 1;
    }

    /// Parameters that a rule may pick in their place (Pick::params): for lists.
    void may_be_picked(std::initializer_list<Params> picks);

    /// Sets all as they are: what another plan decides, of kernels that cannot be listed.
    void put_all(const Params& params) { params_.insert(params.begin(), params.end()); }
    /// The matrix; only of kernels that cannot be listed.
    const Situation& situation() const { return *situation_; }

  private:
    struct Decision {
        std::size_t taken, count;
    };

    ParamChoice(const KernelEntry& kernel, const Request& request, ValueType value)
        : kernel_(&kernel), request_(&request), value_type_(value) {}

    template <typename Possible>
    static Values values_of(const Possible& possible) {
        if constexpr (std::is_invocable_v<Possible>)
            return possible();
        else
            return possible;
    }
    /// Of a list: which of so many ways is taken this time.
    std::size_t decide(std::size_t count);

    const KernelEntry* kernel_;
    const Request* request_;
    ValueType value_type_;
    const Situation* situation_ = nullptr;  ///< null in a list
    std::vector<Decision> path_;            ///< of a list: what was decided, in order
    std::size_t depth_ = 0;
    Params params_;
};

/// All that the tuner knows of a kernel. Each file NAME.cpp of runtime/tuner/kernels gives the
/// plans of a family of kernels in a constant `KernelPlans NAME_plans`; the build finds the files
/// by their folder. A kernel without a plan keeps its presets, and no prediction leads to it.
struct KernelPlan {
    std::string_view kernel;  ///< its id
    /// Sets the parameters that features decide; null = none: the presets.
    void (*choose)(ParamChoice&) = nullptr;
    /// What is chosen depends on the matrix in too many ways to be listed.
    bool unlisted = false;
    /// The parameter sets that a choice by predicted times compares, of which an empty one stands
    /// for what `choose` says; parameters that are in none keep what it says. Null = the empty one
    /// alone. The fill is of blocks of all sizes, as far as it is known; only for kernels of
    /// blocks.
    std::vector<Params> (*grid)(const Situation&, const BlockFill&) = nullptr;
    /// More sets for a choice to compare: neighbours of `best`, all parameters of the best set of
    /// the grid, where that is near the fastest of all kernels. Null = none.
    std::vector<Params> (*beside)(const Situation&, const Params& best) = nullptr;
    /// Another kernel whose work is counted alike: beside it this one is not weighed. "" = none.
    std::string_view counted_as = {};
    /// What the kernel does for an apply; null = not counted, and so never predicted.
    CpuWork (*cpu_work)(const cpu::Problem&) = nullptr;
    GpuWork (*gpu_work)(const gpu::Problem&) = nullptr;
    bool counts_several = false;  ///< whether gpu_work counts several right-hand sides, too
    /// Bytes of the values as they are given, for each thread, from which on it is faster to read
    /// them in a narrower type that is exact.
    double least_narrow_bytes = 0;
    /// Of a CPU: whether its time grows without a bound with pieces of diagonals. Then a sample
    /// does not suffice: far more of the matrix is looked at before it is taken.
    bool needs_diagonals = false;
};
using KernelPlans = ShortList<KernelPlan, 8>;

/// The plan of the kernel; one without anything for a kernel that has none.
const KernelPlan& plan_of(std::string_view kernel);

/// The parameters that features decide, what the request fixes not looked at.
Params planned_params(const KernelEntry& kernel, const Situation& situation);

/// All that planned_params may give, whatever the features, and what rules may pick instead. Throws
/// Error(unsupported) for a kernel whose parameters are too many to be listed.
std::vector<Params> all_planned_params(const KernelEntry& kernel, const Request& request,
                                       ValueType value);

/// KernelPlan::grid of the kernel.
std::vector<Params> grid_of(const KernelEntry& kernel, const Situation& situation,
                            const BlockFill& fill);

/// KernelPlan::beside of the kernel.
std::vector<Params> sets_beside(const KernelEntry& kernel, const Situation& situation,
                                const Params& best);

/// What an apply takes. Nothing for a kernel that has no such count (kernels of batches,
/// transposing ones), or none for several vectors. `signature` is complete; `threads` take part,
/// `units` are the device's multiprocessors.
std::optional<CpuWork> cpu_work(MatrixFigures& figures, const Signature& signature, int threads);
std::optional<GpuWork> gpu_work(MatrixFigures& figures, const Signature& signature, double units);

/// The list that the build makes of the files; for plan_of().
std::vector<KernelPlans> collected_plans();

/// Sets of parameters, one parameter added at a time: at first one empty set.
class ParamSets {
  public:
    /// Each of the sets with each of the values.
    ParamSets& with(const char* name, const std::vector<std::int64_t>& values) {
        std::vector<Params> more;
        for (auto& set : sets_)
            for (const std::int64_t value : values) {
                more.push_back(set);
                more.back()[name] = value;
            }
        sets_ = std::move(more);
        return *this;
    }
    const std::vector<Params>& all() const { return sets_; }
    /// The empty set, which stands for what the plan chooses, and these.
    std::vector<Params> beside_the_plan() const {
        std::vector<Params> all{{}};
        all.insert(all.end(), sets_.begin(), sets_.end());
        return all;
    }

  private:
    std::vector<Params> sets_{{}};
};

/// Of ascending limits of row lengths those that some rows exceed, and the first that none does.
std::vector<std::int64_t> exceeded(std::vector<std::int64_t> limits, std::int64_t longest);

/// Numbers of lanes of a GPU for a row (or a block row) of `mean` elements: from those whose steps
/// are too many for one lane down to those of which half are idle.
std::vector<std::int64_t> lanes_for(double mean, std::int64_t most);

/// Where a GPU's launches overlap and the matrix is small: these sets, and of those with more than
/// few blocks (cost/work/gpu_units.hpp) others with as large blocks, up to 1024 threads, that a
/// grid has few. `blocks` tells how many a set has; one without "block" stands for another.
std::vector<Params> with_few_blocks(const Situation& situation, std::vector<Params> sets,
                                    const std::function<double(const Params&)>& blocks);

/// Blocks of kernels in which each row has as many lanes as the parameter `lanes` says.
std::function<double(const Params&)> blocks_of_rows(const Situation& situation, const char* lanes);

/// `windows` where sorting pads less in slices of a GPU, else none but 1.
std::vector<std::int64_t> sorting_windows(const Situation& situation,
                                          const std::vector<std::int64_t>& windows);

namespace cpu {

/// Lanes that entries of one row are put into: as many as a mean row fills, up to two registers,
/// and fewer where x is loaded singly into long ones.
std::vector<std::int64_t> row_lanes(const Situation& situation, std::int64_t least);

/// Unsorted, and where rows differ in length the largest window and one of its size at most that
/// keeps neighbours near.
std::vector<std::int64_t> sorting_windows(const Situation& situation);

}  // namespace cpu

}  // namespace spmvgen
