#include "tuner/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace spmvgen {
namespace {

constexpr double nearly_as_fast = 1.04;  ///< of kernels that are timed once more
constexpr std::size_t most_finalists = 4;
constexpr double before_run_off = 0.85;  ///< of the budget
/// Of what a trial takes beside the applies that are timed: the warm-up, over these, and applies
/// that are not timed.
constexpr double warm_up = 0.25, more_applies = 3;

double predicted_us(const MeasureProblem& problem, const Signature& signature) {
    if (!problem.predict) return 0;
    const auto prediction = problem.predict(signature);
    return prediction ? prediction->us : 0;
}

}  // namespace

Search::Search(const MeasureProblem& problem, const Choice& rule, const TimeSignature& time)
    : problem_(problem), rule_(rule), time_(time), start_ms_(problem.now_ms()) {
    if (problem_.cost) rule_kernel_ms_ = problem_.cost(rule.signature).kernel_ms;
}

double Search::timing_ms(const Signature& signature, double seconds) const {
    const double fastest_us = timed_.empty() ? 0 : best_us();
    const double apply_us = std::max(fastest_us, predicted_us(problem_, signature));
    return (1 + warm_up) * 1e3 * seconds + more_applies * apply_us / 1e3;
}

Search::Expected Search::expected(const Choice& choice, double seconds) const {
    if (!problem_.cost) {
        const auto tried = static_cast<double>(std::max<std::size_t>(tried_.size(), 1));
        return {.timing_ms = elapsed_ms() / tried};
    }
    const TrialCost cost = problem_.cost(choice.signature);
    return {cost.kernel_ms, cost.convert_ms, cost.check_ms, timing_ms(choice.signature, seconds)};
}

std::string Search::to_string(const Expected& e) {
    return fmt::format("kernel {:.1f} ms, conversion {:.1f} ms, check {:.1f} ms, timing {:.1f} ms",
                       e.kernel_ms, e.convert_ms, e.check_ms, e.timing_ms);
}

double Search::trials_ms() const {
    return before_run_off * problem_.budget_ms + rule_kernel_ms_;
}

Search::MakingPlan Search::plan_making(std::span<const Choice> choices, double seconds) const {
    const int at_a_time = problem_.making != nullptr ? problem_.making->at_a_time() : 1;
    const double side = at_a_time > 1 ? problem_.side_by_side : 1;
    MakingPlan plan;
    double all_kernels_ms = 0, longest_ms = 0, all_others_ms = 0;
    for (auto& choice : choices) {
        const Expected one = expected(choice, seconds);
        const double kernels_ms = all_kernels_ms + one.kernel_ms;
        const double longest = std::max(longest_ms, one.kernel_ms);
        const double making_ms =
            at_a_time == 1 ? kernels_ms : side * (longest + kernels_ms / at_a_time);
        const double others_ms = all_others_ms + one.all_but_kernel();
        if (elapsed_ms() + making_ms + others_ms > trials_ms()) {
            plan.expected_ms.emplace_back();
            continue;
        }
        plan.expected_ms.emplace_back(side * one.kernel_ms);
        all_kernels_ms = kernels_ms;
        all_others_ms = others_ms;
        longest_ms = longest;
    }
    plan.end_ms = start_ms_ + trials_ms() - all_others_ms;
    return plan;
}

double Search::rest_of_rule_ms() const {
    return std::max(0.0, rule_kernel_ms_ - elapsed_ms());
}

bool Search::begins_beyond_budget(double seconds) {
    if (!problem_.cost) return false;
    const double least_ms = elapsed_ms() + timing_ms(rule_.signature, seconds);
    return out_of_time_ = least_ms > trials_ms();
}

bool Search::was_tried(const Choice& choice) const {
    return tried_.contains(kernel_name(choice.signature));
}

std::optional<double> Search::attempt(const Choice& choice, double seconds) {
    const std::string name = kernel_name(choice.signature);
    if (const auto before = tried_.find(name); before != tried_.end()) return before->second;
    if (stopped_) return std::nullopt;
    std::optional<double>& us = tried_[name];
    const Trial trial = time_(choice.signature, seconds);
    last_kernel_ms_ = trial.kernel_ms;
    if (!trial.trouble.empty()) {
        leave_out(name, trial);
        return us;
    }
    us = trial.us;
    timed_.push_back(
        {choice,
         {name, trial.us, trial.low_us, trial.high_us, predicted_us(problem_, choice.signature)}});
    find_best();
    if (problem_.go_on) stopped_ = !problem_.go_on(timed_.back().kernel);
    return us;
}

bool Search::attempt_rule(double seconds) {
    if (problem_.cost) {
        Expected e = expected(rule_, seconds);
        e.kernel_ms = 0;
        if (std::max(0.0, elapsed_ms() - rule_kernel_ms_) + e.sum() > problem_.budget_ms) {
            left_out_.push_back(fmt::format(
                "{}: the budget of {:.0f} ms has no room for it: {:.1f} ms spent, {} expected",
                kernel_name(rule_.signature), problem_.budget_ms, elapsed_ms(), to_string(e)));
            return false;
        }
    }
    // What was done while it was being made does not count, either.
    const double before_ms = std::min(elapsed_ms(), rule_kernel_ms_);
    const bool timed = attempt(rule_, seconds).has_value();
    start_ms_ += last_kernel_ms_ + before_ms;
    rule_kernel_ms_ = 0;
    return timed;
}

bool Search::is_within_budget(const Choice& choice, double seconds) {
    const Expected e = expected(choice, seconds);
    if (elapsed_ms() + e.sum() <= trials_ms()) return true;
    if (over_budget_.empty() && problem_.cost)
        over_budget_why_ = fmt::format(" (the first of them after {:.1f} ms; expected of it: {})",
                                       elapsed_ms(), to_string(e));
    over_budget_.insert(kernel_name(choice.signature));
    return false;
}

void Search::run_off(double seconds, bool within_budget) {
    std::vector<std::size_t> order;
    for (std::size_t i = 1; i < timed_.size(); ++i)
        if (timed_[i].kernel.us < nearly_as_fast * best_us()) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return timed_[i].kernel.us; });
    if (order.size() > most_finalists) order.resize(most_finalists);
    if (order.empty()) return;
    order.insert(order.begin(), 0);  // the rule's, which all are held against
    for (const std::size_t i : order) {
        const double expected_ms = expected(timed_[i].choice, seconds).sum();
        if (stopped_ || (within_budget && elapsed_ms() + expected_ms > problem_.budget_ms)) break;
        time_again(timed_[i], seconds);
    }
    find_best();
}

void Search::time_again(Timed& timed, double seconds) {
    const Trial again = time_(timed.choice.signature, seconds);
    MeasuredKernel& kernel = timed.kernel;
    if (!again.trouble.empty() || again.us >= kernel.us) return;
    kernel.us = again.us;
    kernel.low_us = again.low_us;
    kernel.high_us = again.high_us;
}

void Search::find_best() {
    const auto best =
        std::ranges::min_element(timed_, {}, [](const Timed& t) { return t.kernel.us; });
    best_ = static_cast<std::size_t>(best - timed_.begin());
}

void Search::leave_out(const std::string& name, const Trial& trial) {
    left_out_.push_back(name + ": " + trial.trouble);
    if (trial.defect) warnings_.push_back("measuring left out " + left_out_.back());
}

Measured Search::result(bool timed, const std::string& level) const {
    Measured result{rule_, 0, {}, left_out_, warnings_};
    for (auto& t : timed_) result.kernels.push_back(t.kernel);
    const Timed* winner = nullptr;
    if (timed) {
        const double rule_us = timed_.front().kernel.us;
        winner = best_us() < (1 - measure_margin) * rule_us ? &timed_[best_] : &timed_.front();
        result.choice = winner->choice;
        result.us = winner->kernel.us;
    }
    result.choice.reason = reason(timed, winner, level);
    return result;
}

std::string Search::reason(bool timed, const Timed* winner, const std::string& level) const {
    if (!timed) return rule_.reason + "; not measured: " + left_out_.front();
    const std::string spent =
        fmt::format("for the budget of {:.0f} ms was spent", problem_.budget_ms);
    std::string cut;
    if (out_of_time_) cut = ", " + spent;
    if (!over_budget_.empty())
        cut = fmt::format(", {} not measured, {}{}", over_budget_.size(), spent, over_budget_why_);
    if (stopped_) cut += ", stopped by the caller";
    if (timed_.size() == 1)
        return fmt::format("{}; {} {:.2f} µs, no other kernel was{}", rule_.reason, level,
                           winner->kernel.us, cut);
    const MeasuredKernel& rule = timed_.front().kernel;
    if (winner == &timed_.front())
        return fmt::format("{}; {} {:.2f} µs, none of {} others is faster by more than {:.0f} %{}",
                           rule_.reason, level, rule.us, timed_.size() - 1, 100 * measure_margin,
                           cut);
    return fmt::format(
        "{} {:.2f} µs, the fastest of {} kernels{}; the rule's {} takes {:.2f} µs "
        "({})",
        level, winner->kernel.us, timed_.size(), cut, rule.kernel, rule.us, rule_.reason);
}

}  // namespace spmvgen
