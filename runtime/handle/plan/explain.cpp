#include "handle/plan/explain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "handle/plan/planning.hpp"
#include "handle/plan/request_of_options.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/records/signature_name.hpp"
#include "tuner/records/tuning_db.hpp"
#include "tuner/search/ranking.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t most_kernels = 6;  ///< that are told of

std::string explain_line(const char* name, const std::string& text) {
    return fmt::format("{:<9}{}\n", name, text);
}

/// The target of what was chosen, with the types that were asked for.
Signature asked_types(const CsrView& matrix, const Options& options, const Signature& chosen) {
    Signature types;
    types.target = chosen.target;
    set_number_types(types, options, matrix.value_type);
    return types;
}

/// All that the parts of an explanation look at.
class Explanation {
  public:
    Explanation(const CsrView& matrix, const Options& options, const Device* device,
                const Info& info, const Signature& chosen)
        : info_(info),
          chosen_(chosen),
          device_(device),
          matrix_(matrix),
          threads_(options.threads),
          features_(analyse_row_lengths(matrix, options.threads)),
          request_(request_of(options, asked_types(matrix, options, chosen))),
          chooser_(matrix, features_, options.threads) {
        request_.threads = info.threads;
        if (device != nullptr) request_.units = device->facts().units;
        if (device != nullptr) request_.device = device->facts().name;
        request_.profile = device != nullptr ? profile_to_predict(chosen.target, device)
                                             : profile_of_this_cpu(chosen.target, options);
    }

    std::string text() { return predicted() + measured() + recorded() + files() + costs(); }

  private:
    Choice choose(const Request& request) { return chooser_(request); }

    MeasureProblem problem() {
        return {.features = features_,
                .request = request_,
                .choose = [this](const Request& r) { return choose(r); },
                .now_ms = [] { return 0.0; },
                .predict = [this](const Signature& s) { return predict(s); },
                .ranked = [this](std::size_t most) { return chooser_.ranked(request_, most); }};
    }

    /// By the work that is counted, where that is known.
    std::optional<Prediction> predict(const Signature& s) { return chooser_.predict(s, request_); }

    std::string mark(const std::string& kernel) const {
        return kernel == info_.kernel ? kernel + " (this one)" : kernel;
    }

    /// The best few by counted work, and the chosen one.
    std::string predicted() {
        if (request_.profile == nullptr)
            return explain_line("counted",
                                "there is no profile of this device: spmvgen tune --calibrate");
        const auto own = predict(chosen_);
        if (!own) return explain_line("counted", "the work of this kernel is not");
        const std::vector<Ranked> order = rank(problem(), choose(request_), considered_padding);
        std::string text =
            explain_line("counted", fmt::format("{} kernels by {}, the fastest first", order.size(),
                                                request_.profile->file));
        bool told = false;
        for (std::size_t i = 0; i < std::min(order.size(), most_kernels); ++i) {
            const std::string name = kernel_name(order[i].choice.signature);
            told = told || name == info_.kernel;
            text += predicted_line(order[i].prediction, name);
        }
        return told ? text : text + predicted_line(*own, info_.kernel);
    }

    std::string predicted_line(const Prediction& p, const std::string& name) const {
        return explain_line(
            "", fmt::format("{:9.2f} µs ± {:.0f} %  {}", p.us, 100 * p.error, mark(name)));
    }

    std::string measured() const {
        if (info_.measured.empty()) return "";
        std::vector<MeasuredKernel> order = info_.measured;
        std::ranges::stable_sort(order, {}, &MeasuredKernel::us);
        std::string text = explain_line(
            "measured", fmt::format("{} kernels in {:.0f} ms, the fastest first; quartiles",
                                    order.size(), info_.measure_ms));
        for (std::size_t i = 0; i < std::min(order.size(), most_kernels); ++i)
            text += explain_line(
                "", fmt::format("{:9.2f} µs [{:.2f} {:.2f}]  {}", order[i].us, order[i].low_us,
                                order[i].high_us, mark(order[i].kernel)));
        return text;
    }

    std::string recorded() const {
        const RecordDevice device =
            record_device(chosen_.target, device_ != nullptr ? device_->facts().name : "");
        const Question question = question_of(request_, features_.value_type);
        const auto found = look_up(tuning_db(), matrix_, features_, question, device, threads_);
        if (found.empty())
            return explain_line("records", why_not_recorded(tuning_db(), found, question, device));
        const TimedKernel& best = found.front().source->record.kernels.front();
        return explain_line("records", to_string(found.front())) +
               explain_line("", fmt::format("{:9.2f} µs  {}", best.us, mark(best.kernel)));
    }

    static std::string files() { return explain_line("tuning", describe_tuning_places()); }

    /// What was spent, and from how many applies on that pays.
    std::string costs() {
        const std::string spent = fmt::format(
            "analysis {:.2f} ms, choice {:.2f} ms, kernel {:.2f} ms, conversion {:.2f} ms, "
            "measuring "
            "{:.0f} ms",
            info_.analysis_ms, info_.choice_ms, info_.kernel_ms, info_.convert_ms,
            info_.measure_ms);
        Request plain = request_;
        plain.format = "csr";
        plain.kernel = plain_kernel(device_ != nullptr).id;
        const auto plain_us = predict(choose(plain).signature);
        const auto own_us = predict(chosen_);
        if (!plain_us || !own_us || !plain_is_comparable()) return explain_line("planning", spent);
        const PlanningCost cost{.kernel_ms = info_.kernel_ms,
                                .convert_ms = info_.convert_ms,
                                .plain_us = plain_us->us,
                                .planned_us = own_us->us};
        return explain_line("planning", spent) +
               explain_line("", to_string(cost) + ", by counted work");
    }

    /// Whether plain CSR would be another kernel.
    bool plain_is_comparable() const { return !kernel_entry(chosen_.kernel).plain; }

    const Info& info_;
    const Signature chosen_;
    const Device* device_;
    const CsrView& matrix_;
    const int threads_;
    RowFeatures features_;
    Request request_;
    Chooser chooser_;
};

}  // namespace

std::string explain(const CsrView& matrix, const Options& options, const Device* device,
                    const Info& info) {
    if (matrix.nnz == 0 || info.reorder != "none" || options.op != "N") return "";
    const Target target = device != nullptr ? device->facts().target : parse_target(options.target);
    const auto chosen = parse_kernel_name(info.kernel, target);
    if (!chosen) return "";  // the generic kernel, or one with an epilogue
    return Explanation(matrix, options, device, info, *chosen).text();
}

}  // namespace spmvgen
