#pragma once
#include <algorithm>
#include <map>
#include <set>

#include "registry.hpp"
#include "tuner/rules/rules.hpp"
#include "tuner/search/measure.hpp"
#include "tuner/search/ranking.hpp"
#include "tuner/search/variants.hpp"

/// Levels that measure, on a device that is only told of.
namespace spmvgen {

/// Rows of very different lengths: ELL would store 50 times the entries.
inline RowFeatures uneven() {
    RowFeatures f;
    f.rows = f.cols = 100'000;
    f.mean_row = 10;
    f.nnz = 1'000'000;
    f.max_row = 500;
    f.sell_padding = {1.8, 2.1, 2.5};
    f.sell_sorted_padding = {1.2, 1.3, 1.4};
    f.ell_padding = 50;
    return f;
}

/// A device of which it is given how long each kernel takes, and a clock that only kernels move.
struct Scripted : Making {
    RowFeatures features = uneven();
    Request request{.target = parse_target("x86-64-v4"), .threads = 4};
    std::map<std::string, double> us;  ///< by kernel id, or by id and " name=value"
    double otherwise_us = 100;
    std::map<std::string, Trial> troubles;  ///< by kernel id
    double cost_ms = 1;                     ///< of each trial
    double now = 0;
    /// What making a kernel really takes, which it is told once `costs`, unless it was made ready.
    double kernel_ms = 0, told_kernel_ms = 0, convert_ms = 0;
    double first_check_ms = 0, check_ms = 0;  ///< of the first trial, and of each further one
    bool costs = false;
    double look_ms = 0;              ///< of each choice of parameters
    std::set<std::string> made;      ///< kernel names
    std::vector<std::string> order;  ///< kernel names that were run

    bool goes_beside_trials() const override { return beside_trials; }
    /// Makes it at once, and takes no time for that beside trials.
    void begin(const Choice& choice, double expected_ms, double end_ms) override {
        ++made_ready;
        if (now + std::max(expected_ms, told_kernel_ms) > end_ms) return;
        if (beside_trials)
            made.insert(kernel_name(choice.signature));
        else
            make(choice.signature);
    }
    std::size_t wait_for_one(std::span<const Choice> choices) override {
        return last_is_first ? choices.size() - 1 : 0;
    }
    void wait_for_all() override {}
    int at_a_time() const override { return makers; }

    Measured run(double budget_ms = 1000) {
        const MeasureProblem problem = problem_of(budget_ms);
        return measure(problem, choose(features, request),
                       [&](const Signature& s, double) { return trial(s); });
    }

    Measured run_all() {
        const MeasureProblem problem = problem_of(0);
        return measure_all(problem, choose(features, request),
                           [&](const Signature& s, double) { return trial(s); });
    }

    /// What may be measured beside the rules' choice while nothing is faster: other kernels, and
    /// its own with other parameters.
    std::size_t others() {
        const Choice rule = choose(features, request);
        const MeasureProblem problem = problem_of(0);
        return other_kernels(problem, rule, considered_padding, [] { return true; }).size() +
               variants_of(problem, rule, Reach::neighbours).size();
    }

    std::function<std::optional<Prediction>(const Signature&)> predict;
    int stop_after = 1000;  ///< kernels
    int makers = 1;
    bool beside_trials = false;         ///< kernels are made while others are timed
    std::size_t made_ready = 0;         ///< kernels that were to be made side by side
    bool last_is_first = false;         ///< of these the last one is there first
    std::size_t made_before_first = 0;  ///< kernels that were made before the first trial
    bool samples = false;               ///< choices are by a sample until a kernel is tried
    int passes = 0;                     ///< choices by all of the matrix

  private:
    double next_check_ms() const { return order.empty() ? first_check_ms : check_ms; }

    MeasureProblem problem_of(double budget_ms) {
        MeasureProblem problem{.features = features,
                               .request = request,
                               .choose =
                                   [this](const Request& r) {
                                       now += look_ms;
                                       ++passes;
                                       return choose(features, r);
                                   },
                               .budget_ms = budget_ms,
                               .now_ms = [this] { return now; },
                               .predict = predict,
                               .go_on = [this](const MeasuredKernel&) { return --stop_after > 0; }};
        if (samples) problem.sampled = [this](const Request& r) { return choose(features, r); };
        if (!costs) return problem;
        problem.cost = [this](const Signature& s) {
            return TrialCost{made.contains(kernel_name(s)) ? 0 : told_kernel_ms, convert_ms,
                             next_check_ms()};
        };
        problem.making = this;
        return problem;
    }

    /// Returns what it took. What it took then is told of others.
    double make(const Signature& s) {
        if (!made.insert(kernel_name(s)).second) return 0;
        now += kernel_ms;
        told_kernel_ms = kernel_ms;
        return kernel_ms;
    }

    Trial trial(const Signature& s) {
        if (order.empty()) made_before_first = made.size();
        const double making_ms = costs ? make(s) : 0;
        now += cost_ms + convert_ms + next_check_ms();
        order.push_back(kernel_name(s));
        if (troubles.contains(s.kernel)) return troubles[s.kernel];
        for (auto& [name, value] : s.params) {
            const std::string exact = s.kernel + " " + name.str() + "=" + std::to_string(value);
            if (us.contains(exact)) return {.us = us[exact], .kernel_ms = making_ms};
        }
        return {.us = us.contains(s.kernel) ? us[s.kernel] : otherwise_us, .kernel_ms = making_ms};
    }
};

}  // namespace spmvgen
