#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "matrix/features/features.hpp"
#include "registry.hpp"
#include "spmvgen/spmvgen.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/cost/prediction.hpp"

/// Levels `measure` and `exhaustive`: time kernels on the handle's device with the real matrix.
/// What runs them is the handle; this decides which, for how long, and which one wins.
namespace spmvgen {

/// A kernel that was run on the matrix.
struct Trial {
    double us = 0;                   ///< median of an apply
    double low_us = 0, high_us = 0;  ///< quartiles
    std::string trouble = {};  ///< why there is no time: no kernel, no memory, a wrong product
    bool defect = true;        ///< of the trouble: it should not have happened
    double kernel_ms = 0;      ///< that making or finding the kernel took
};

/// What a trial is expected to take beside the timing.
struct TrialCost {
    double kernel_ms = 0;   ///< making or finding the kernel
    double convert_ms = 0;  ///< converting the matrix
    double check_ms = 0;    ///< making the vectors, and checking the product
};

/// Times a kernel on the matrix for about so many seconds. The product of the first signature it is
/// given is what the others are held against.
using TimeSignature = std::function<Trial(const Signature&, double seconds)>;

/// Makes kernels on threads of its own, each once. For one thread.
class Making {
  public:
    virtual ~Making() = default;
    /// Whether kernels may be made while others are timed: on a GPU they hardly disturb each other.
    virtual bool goes_beside_trials() const = 0;
    /// Has the kernel of a choice made, after those before it, where its turn comes so early that
    /// it will be made by `end_ms` of the problem's clock when it takes `expected_ms`. Returns at
    /// once. What goes wrong shows when it is timed.
    virtual void begin(const Choice& choice, double expected_ms, double end_ms) = 0;
    /// Waits until the kernel of one of these is made or will not be, and where kernels are not
    /// made beside trials for all. Returns the first such one's index.
    virtual std::size_t wait_for_one(std::span<const Choice> choices) = 0;
    virtual void wait_for_all() = 0;
    /// Kernels that are made at a time.
    virtual int at_a_time() const = 0;
};

/// Whether there is time to look at one kernel more, which may take a pass over the matrix.
using GoOn = std::function<bool()>;

/// What the measurement needs to know of its caller.
struct MeasureProblem {
    const RowFeatures& features;
    const Request& request;
    std::function<Choice(const Request&)> choose;  ///< Chooser of the matrix
    double budget_ms = 0;                          ///< of level measure
    std::function<double()> now_ms;                ///< a steady clock
    /// What a kernel is predicted to take; absent = nothing is predicted.
    std::function<std::optional<Prediction>(const Signature&)> predict = {};
    /// Of the kernels that the request leaves free, so many with the least predicted times, the
    /// least first: Chooser::ranked(). May be empty.
    std::function<std::vector<Ranked>(std::size_t most)> ranked = {};
    /// `choose` without a pass over the matrix: what only all of it tells may yet be another.
    /// Absent = `choose` itself.
    std::function<Choice(const Request&)> sampled = {};
    /// What a choice weighs of one kernel: Chooser::grid(). May be empty.
    std::function<std::vector<Choice>(const KernelEntry&)> grid = {};
    /// Told of each kernel that was timed; false = no more. May be empty.
    std::function<bool(const MeasuredKernel&)> go_on = {};
    /// Makes kernels before they are timed; null = each is made when it is timed.
    Making* making = nullptr;
    /// What kernels that are made side by side take, over what each takes alone.
    double side_by_side = 1.5;
    /// What a trial of it would cost; absent = as much as those before it on average.
    std::function<TrialCost(const Signature&)> cost = {};
};

struct Measured {
    Choice choice;                        ///< the fastest, or the rule's
    double us = 0;                        ///< of an apply of it; 0 = it could not be measured
    std::vector<MeasuredKernel> kernels;  ///< all that was timed, the rule's first
    std::vector<std::string> left_out;    ///< kernels without a time, and why
    std::vector<std::string> warnings;    ///< of these, what should not have happened
};

/// Times the rule's choice first, then others as far as the budget goes: of those that are
/// predicted and the neighbours of the fastest one's parameters (one changed at a time to the next
/// value above and below) always the one that promises most, until what it erred of each kernel so
/// far rules out the rest; then kernels of which nothing is predicted, with the parameters that the
/// rules give them. Where nothing is predicted of any, these come first. Last, the few that are
/// nearly as fast as the fastest once more. What was measured by then counts. Nothing is
/// begun that is expected to end beyond the budget; where that is so of the rule's choice, it
/// stands without a time. Making the rule's kernel does not count, for whoever asks needs it
/// anyway; where kernels may be made beside trials, the first others are made at the same time. Of
/// kernels that are made side by side the one that is there is tried first. A kernel wins over the
/// rule's only if it is faster by more than `measure_margin`; else the rule's is kept. Kernels that
/// would store more than twice as many entries as the rule's are left out.
Measured measure(const MeasureProblem& problem, const Choice& rule, const TimeSignature& time);

/// Times every kernel that the request leaves free with the parameters that the rules give it. Then
/// on a GPU: all that the problem's grid has of those that are not more than three times as slow as
/// the fastest so far, and the fastest of all with every value of each parameter, one changed at a
/// time, until nothing gets better. On a CPU: in that way each that is not more than twice as slow.
/// No budget. Kernels that would store more than four times as many entries as there are nonzeros
/// are left out.
Measured measure_all(const MeasureProblem& problem, const Choice& rule, const TimeSignature& time);

/// Within this share two times are the same.
inline constexpr double measure_margin = 0.01;

}  // namespace spmvgen
