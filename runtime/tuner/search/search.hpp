#pragma once
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tuner/search/measure.hpp"

namespace spmvgen {

/// What levels `measure` and `exhaustive` have in common: which kernels were tried, which is the
/// fastest so far, and what is left of the budget.
class Search {
  public:
    Search(const MeasureProblem& problem, const Choice& rule, const TimeSignature& time);

    double elapsed_ms() const { return problem_.now_ms() - start_ms_; }
    bool stopped() const { return stopped_; }
    /// Whether not even a kernel that is there and reads what the rule's does fits any more; told
    /// in the result.
    bool begins_beyond_budget(double seconds);
    /// For how long making the rule's kernel is expected to go on; 0 = it is there, or was tried.
    double rest_of_rule_ms() const;
    /// What making the kernels of the choices side by side is expected to take.
    struct MakingPlan {
        /// Of each; nothing where there is no time for it beside those before it.
        std::vector<std::optional<double>> expected_ms;
        double end_ms = 0;  ///< of the problem's clock; later there is no time to try them
    };
    MakingPlan plan_making(std::span<const Choice> choices, double seconds) const;

    /// Times a kernel, unless it was tried before. Returns its microseconds; nothing when it has no
    /// time or the search was stopped.
    std::optional<double> attempt(const Choice& choice, double seconds);
    /// The same of the rule's choice when that fits the budget, to which making its kernel does not
    /// count. Whether it has a time.
    bool attempt_rule(double seconds);
    /// Whether another one fits the budget, of which a part is left for the run-off. What does not
    /// is counted.
    bool is_within_budget(const Choice& choice, double seconds);
    /// Times the fastest few, which differ by less than they vary, once more: the mean of both
    /// times then counts.
    void run_off(double seconds, bool within_budget);

    bool was_tried(const Choice& choice) const;
    const Choice& best() const { return timed_.at(best_).choice; }
    double best_us() const { return timed_.at(best_).kernel.us; }

    /// The fastest, unless the rule's is within the margin; `timed` = the rule's choice has a time.
    Measured result(bool timed, const std::string& level) const;

  private:
    struct Timed {
        Choice choice;
        MeasuredKernel kernel;
    };
    /// What a trial is expected to take, in ms.
    struct Expected {
        double kernel_ms = 0, convert_ms = 0, check_ms = 0, timing_ms = 0;
        double all_but_kernel() const { return convert_ms + check_ms + timing_ms; }
        double sum() const { return kernel_ms + all_but_kernel(); }
    };
    Expected expected(const Choice& choice, double seconds) const;
    double timing_ms(const Signature& signature, double seconds) const;
    /// Of the budget, what is there for all but the run-off.
    double trials_ms() const;
    static std::string to_string(const Expected& expected);
    void find_best();
    void time_again(Timed& timed, double seconds);
    void leave_out(const std::string& name, const Trial& trial);
    std::string reason(bool timed, const Timed* winner, const std::string& level) const;

    const MeasureProblem& problem_;
    const Choice& rule_;
    const TimeSignature& time_;
    double start_ms_;
    bool stopped_ = false, out_of_time_ = false;
    double last_kernel_ms_ = 0;          ///< of the last trial
    double rule_kernel_ms_ = 0;          ///< expected of making the rule's, until it is made
    std::set<std::string> over_budget_;  ///< kernels that did not fit it
    std::string over_budget_why_;        ///< what the first of them was expected to take
    std::size_t best_ = 0;               ///< in timed_
    std::map<std::string, std::optional<double>> tried_;
    std::vector<Timed> timed_;  ///< in their order; the rule's is the first
    std::vector<std::string> left_out_, warnings_;
};

}  // namespace spmvgen
