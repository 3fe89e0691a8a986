#include "handle/plan/levels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/planning.hpp"
#include "handle/plan/trial_costs.hpp"
#include "handle/plan/trials.hpp"
#include "kernel/refuse.hpp"
#include "measure/timing.hpp"
#include "spmvgen/error.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/records/record.hpp"
#include "tuner/records/tuning_db.hpp"
#include "tuner/rules/paper_rules.hpp"
#include "tuner/search/ranking.hpp"

namespace spmvgen {
namespace {

/// What compilers that run side by side take, over what one takes alone, before any have run.
constexpr double least_side_by_side = 1.5;

/// One handle's level at work.
class LevelWork {
  public:
    LevelWork(const LevelProblem& problem, const Choice& rule, const MakeTrials& make_trials)
        : p_(problem),
          rule_(rule),
          make_trials_(make_trials),
          request_(problem.request),
          speed_(problem.request.target, problem.device.get(), problem.request.threads) {
        // A product that is not stored as it is cannot be held against another's.
        request_.epilogue.clear();
        rule_.signature.epilogue.clear();
    }

    LevelChoice run() {
        const std::string& level = p_.options.level;
        LevelChoice result =
            unless_plain_is_cheaper(p_, level == "recorded" ? by_record() : rule_, speed_);
        result.analysis_ms = record_ms_;
        if (measures(level)) {
            if (const std::string why = why_not_measured(result); !why.empty())
                result.choice.reason += "; " + why;
            else
                measure_into(result);
        }
        if (!result.plain && (measures(level) || p_.chooser.has_predicted()))
            if (const auto prediction = predict(result.choice.signature)) {
                result.predicted_us = prediction->us;
                result.profile = request_.profile->file;
            }
        result.choice.signature.epilogue = p_.request.epilogue;
        return result;
    }

  private:
    MeasureProblem problem() {
        return {.features = p_.features,
                .request = request_,
                .choose = [this](const Request& r) { return p_.chooser(r); },
                .budget_ms = p_.options.budget_ms,
                .now_ms = [this] { return watch_.ms(); },
                .predict = [this](const Signature& s) { return predict(s); },
                .ranked = [this](std::size_t most) { return p_.chooser.ranked(request_, most); },
                .sampled = [this](Request r) { return p_.chooser.sampled(r); },
                .grid = [this](const KernelEntry& k) { return p_.chooser.grid(k, request_); },
                .go_on = p_.options.on_measured,
                .making = &trials_->making([this] { return watch_.ms(); }),
                .side_by_side = std::max(least_side_by_side,
                                         p_.provider.compile_times(p_.device).recent_slowness()),
                .cost = [this](const Signature& s) { return costs_->of(s); }};
    }

    /// By the work that is counted, where that is known.
    std::optional<Prediction> predict(const Signature& s) {
        return p_.chooser.predict(s, request_);
    }

    Choice by_record() {
        const RecordDevice device =
            record_device(p_.request.target, p_.device != nullptr ? p_.device->facts().name : "");
        const Question question = question_of(request_, p_.features.value_type);
        const Stopwatch analysis;
        const auto found =
            look_up(tuning_db(), p_.matrix, p_.features, question, device, p_.options.threads);
        record_ms_ = analysis.ms();
        const auto choose = [this](const Request& r) { return p_.chooser(r); };
        if (auto choice = choose_recorded(found, request_, choose)) return std::move(*choice);
        Choice choice = rule_;
        choice.reason += "; " + why_not_recorded(tuning_db(), found, question, device);
        return choice;
    }

    /// "" = it measures.
    std::string why_not_measured(const LevelChoice& weighed) {
        if (weighed.plain) return "not measured, for planning does not pay";
        if (p_.request.op != Op::none) return "not measured: the transposing kernel has no others";
        // Whoever asks for all of them wants to know.
        return p_.options.level == "exhaustive" ? "" : why_not_repaid(p_, speed_);
    }

    void measure_into(LevelChoice& result) {
        const double start_ms = watch_.ms();
        double rule_kernel_ms = -1;
        trials_ = make_trials_();
        // A GPU's trials have hardly any work for this CPU's team.
        const double region_us =
            p_.device == nullptr ? parallel_region_us_now(p_.request.threads) : 0;
        costs_.emplace(p_, speed_, *trials_, region_us / 1e3);
        const TimeSignature time = [&](const Signature& signature, double seconds) {
            Trial trial = trials_->time(signature, seconds);
            costs_->learn(signature);
            if (rule_kernel_ms < 0) rule_kernel_ms = trial.kernel_ms;
            return trial;
        };
        const bool all = p_.options.level == "exhaustive";
        const MeasureProblem asked = problem();
        const Choice first = result.choice;
        Measured measured = all ? measure_all(asked, first, time) : measure(asked, first, time);
        result.choice = std::move(measured.choice);
        if (p_.options.device.starts_with("simt"))
            result.choice.reason += "; times of the SIMT executor say nothing about a GPU";
        result.measured_us = measured.us;
        result.measured = std::move(measured.kernels);
        for (auto& warning : measured.warnings)
            result.warning += (result.warning.empty() ? "" : "; ") + warning;
        result.kernel_ms = std::max(rule_kernel_ms, 0.0);
        costs_.reset();
        trials_.reset();  // waits for kernels that are still being made
        result.measure_ms = watch_.ms() - start_ms - result.kernel_ms;
    }

    const LevelProblem& p_;
    Choice rule_;
    const MakeTrials& make_trials_;
    Request request_;
    DeviceSpeed speed_;
    std::unique_ptr<Trials> trials_;  ///< null where nothing is measured
    std::optional<TrialCosts> costs_;
    Stopwatch watch_;
    double record_ms_ = 0;  ///< looking records up, with the analysis for it
};

}  // namespace

bool measures(std::string_view level) {
    return level == "measure" || level == "exhaustive";
}

bool is_level(std::string_view name) {
    return name == "rule" || name == "lazy" || name == "recorded" || measures(name);
}

namespace {

void check_rule(const Options& o) {
    paper_rule(o.rule);
    if (o.level != "rule")
        refuse(
            fmt::format("options.rule is {}, of which level {} knows nothing: leave out one of "
                        "them",
                        o.rule, o.level));
    if (o.kernel != "auto")
        refuse(fmt::format("options.rule is {}, which chooses the kernel: leave out kernel {}",
                           o.rule, o.kernel));
}

}  // namespace

void check_level(const Options& o) {
    if (!is_level(o.level))
        refuse(fmt::format("options.level is '{}': use {}", o.level, level_names));
    if (!o.rule.empty()) check_rule(o);
    if (!(o.budget_ms >= 0) || !std::isfinite(o.budget_ms))
        refuse(fmt::format("options.budget_ms is {}: use milliseconds, 0 or more", o.budget_ms));
    if (o.expected_applies < 0)
        refuse(fmt::format("options.expected_applies is {}: use 0 (many) or their number",
                           o.expected_applies));
}

LevelChoice apply_level(const LevelProblem& problem, const Choice& rule,
                        const MakeTrials& make_trials) {
    return LevelWork(problem, rule, make_trials).run();
}

}  // namespace spmvgen
