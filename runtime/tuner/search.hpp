#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/measure.hpp"

namespace spmvgen {

/// What levels `measure` and `exhaustive` have in common: which kernels were tried, which is the
/// fastest so far, and what is left of the budget.
class Search {
  public:
    Search(const MeasureProblem& problem, const Choice& rule, const TimeSignature& time);

    double elapsed_ms() const { return problem_.now_ms() - start_ms_; }
    bool stopped() const { return stopped_; }
    /// Whether one more kernel is likely to fit that share of the budget: it is expected to take as
    /// long as those before it did on average.
    bool fits_budget(double share) const;

    /// Times a kernel, unless it was tried before. Returns its microseconds; nothing when it has no
    /// time or the search was stopped.
    std::optional<double> attempt(const Choice& choice, double seconds);
    /// The same when it fits the budget, of which a part is left for the run-off; what does not is
    /// counted.
    void attempt_within_budget(const Choice& choice, double seconds);
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
    void find_best();
    void time_again(Timed& timed, double seconds);
    void leave_out(const std::string& name, const Trial& trial);
    std::string reason(bool timed, const Timed* winner, const std::string& level) const;

    const MeasureProblem& problem_;
    const Choice& rule_;
    const TimeSignature& time_;
    double start_ms_;
    bool stopped_ = false;
    std::set<std::string> over_budget_;  ///< kernels that did not fit it
    std::size_t best_ = 0;               ///< in timed_
    std::map<std::string, std::optional<double>> tried_;
    std::vector<Timed> timed_;  ///< in their order; the rule's is the first
    std::vector<std::string> left_out_, warnings_;
};

}  // namespace spmvgen
