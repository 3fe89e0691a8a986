#include "tuner/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/candidates.hpp"

namespace spmvgen {
namespace {

constexpr double most_padding = 2;  ///< stored entries over the rule's, for a kernel to be tried
constexpr double least_seconds = 2e-3, most_seconds = 50e-3;  ///< for one kernel
constexpr int expected_neighbours = 6;

/// Stored entries over nonzeros, as far as row lengths tell.
double padding_of(const RowFeatures& f, const Signature& s) {
    const Format format = kernel_entry(s.kernel).format;
    if (format == Format::ell) return std::max(f.ell_padding, 1.0);
    if (format != Format::sell) return 1;
    const auto sigma = s.params.find("sigma");
    const bool sorted = sigma != s.params.end() && sigma->second > 1;
    return std::max((sorted ? f.sell_sorted_padding : f.sell_padding).back(), 1.0);
}

/// What decides the values of the product rather than how it is had.
bool is_meaning(std::string_view parameter) {
    return parameter == "deterministic" || parameter == "conjugate";
}

/// The next value above and below that the parameter may have; numbers of a range are doubled and
/// halved.
std::vector<std::int64_t> neighbours_of(const Parameter& p, std::int64_t value) {
    if (p.range)
        return {std::clamp(value / 2, p.allowed.front(), p.allowed.back()),
                std::clamp(value * 2, p.allowed.front(), p.allowed.back())};
    std::vector<std::int64_t> found;
    const auto at = std::ranges::lower_bound(p.allowed, value);
    if (at != p.allowed.begin()) found.push_back(*std::prev(at));
    const auto above = std::ranges::upper_bound(p.allowed, value);
    if (above != p.allowed.end()) found.push_back(*above);
    return found;
}

/// One measurement: which kernels were tried, which is the best so far, what is left of the budget.
class Measurement {
  public:
    Measurement(const MeasureProblem& problem, const Choice& rule, const TimeSignature& time)
        : problem_(problem), rule_(rule), time_(time), best_(rule), start_ms_(problem.now_ms()) {}

    Measured run() {
        const auto others = other_kernels();
        seconds_ = std::clamp(problem_.budget_ms / 1e3 / 2 /
                                  static_cast<double>(1 + others.size() + expected_neighbours),
                              least_seconds, most_seconds);
        const bool timed = attempt(rule_);
        if (timed) {
            for (auto& choice : others) attempt_within_budget(choice);
            for (auto& choice : neighbours()) attempt_within_budget(choice);
        }
        best_.reason = reason(timed);
        return {best_, best_us_, kernels_, left_out_, warnings_};
    }

  private:
    double elapsed_ms() const { return problem_.now_ms() - start_ms_; }

    /// As the rules choose when the request is that one; nothing when they refuse it.
    std::vector<Choice> chosen(Request request) const {
        try {
            return {problem_.choose(request)};
        } catch (const Error&) {  // parameters or determinism that this kernel does not have
            return {};
        }
    }

    std::vector<Choice> other_kernels() const {
        std::vector<Choice> found;
        const double most = most_padding * padding_of(problem_.features, rule_.signature);
        for (const KernelEntry* entry : candidates(problem_.request)) {
            if (entry->id == rule_.signature.kernel) continue;
            Request request = problem_.request;
            request.kernel = entry->id;
            for (auto& choice : chosen(request))
                if (padding_of(problem_.features, choice.signature) <= most)
                    found.push_back(std::move(choice));
        }
        return found;
    }

    /// The best kernel so far with one parameter changed.
    std::vector<Choice> neighbours() const {
        std::vector<Choice> found;
        const Signature& best = best_.signature;
        for (auto& parameter : kernel_entry(best.kernel).params) {
            const std::string name(parameter.name);
            if (is_meaning(name) || problem_.request.params.contains(name)) continue;
            for (const std::int64_t value : neighbours_of(parameter, best.params.at(name))) {
                Request request = problem_.request;
                request.kernel = best.kernel;
                request.params = best.params;
                request.params[name] = value;
                for (auto& choice : chosen(request)) found.push_back(std::move(choice));
            }
        }
        return found;
    }

    /// The next kernel is expected to take as long as those before it did on average.
    void attempt_within_budget(const Choice& choice) {
        const double spent = elapsed_ms();
        if (tried_.contains(kernel_name(choice.signature))) return;
        if (spent + spent / static_cast<double>(tried_.size()) > problem_.budget_ms)
            ++over_budget_;
        else
            attempt(choice);
    }

    bool attempt(const Choice& choice) {
        const std::string name = kernel_name(choice.signature);
        tried_.insert(name);
        const Trial trial = time_(choice.signature, seconds_);
        if (!trial.trouble.empty()) {
            left_out_.push_back(name + ": " + trial.trouble);
            if (trial.defect) warnings_.push_back("level measure left out " + left_out_.back());
            return false;
        }
        const bool is_rule = kernels_.empty();
        kernels_.push_back({name, trial.us});
        if (is_rule || (trial.us < best_us_ && trial.us < (1 - measure_margin) * rule_us())) {
            best_ = choice;
            best_us_ = trial.us;
        }
        return true;
    }

    double rule_us() const { return kernels_.front().us; }

    std::string reason(bool timed) const {
        if (!timed) return rule_.reason + "; not measured: " + left_out_.front();
        const std::string cut =
            over_budget_ == 0
                ? ""
                : fmt::format(", {} not measured, for the budget of {:.0f} ms was spent",
                              over_budget_, problem_.budget_ms);
        if (kernels_.size() == 1)
            return fmt::format("{}; measured {:.2f} µs, no other kernel was{}", rule_.reason,
                               best_us_, cut);
        if (best_.signature == rule_.signature)
            return fmt::format(
                "{}; measured {:.2f} µs, none of {} others is faster by more than "
                "{:.0f} %{}",
                rule_.reason, best_us_, kernels_.size() - 1, 100 * measure_margin, cut);
        return fmt::format(
            "measured {:.2f} µs, the fastest of {} kernels{}; the rule's {} takes {:.2f} µs ({})",
            best_us_, kernels_.size(), cut, kernels_.front().kernel, rule_us(), rule_.reason);
    }

    const MeasureProblem& problem_;
    const Choice& rule_;
    const TimeSignature& time_;
    Choice best_;
    double best_us_ = 0;
    double start_ms_;
    double seconds_ = 0;  ///< for one kernel
    int over_budget_ = 0;
    std::set<std::string> tried_;
    std::vector<MeasuredKernel> kernels_;
    std::vector<std::string> left_out_, warnings_;
};

}  // namespace

Measured measure(const MeasureProblem& problem, const Choice& rule, const TimeSignature& time) {
    return Measurement(problem, rule, time).run();
}

}  // namespace spmvgen
