#include "handle/plan/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <thread>
#include <vector>

#include "handle/kernels/stopwatch.hpp"
#include "handle/plan/trial_parts.hpp"
#include "matrix/memory_limit.hpp"
#include "measure/random_vector.hpp"
#include "measure/timing.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Products that take less are timed in a graph: a launch takes a host 2 to 5 µs.
constexpr double most_launched_s = 20e-6;
constexpr int graph_applies = 50;

}  // namespace

TrialTerms trial_terms(const Options& options) {
    return {.memory_limit = options.memory_limit, .threads = options.threads};
}

Trial Trials::time(const Signature& signature, double seconds) {
    kernel_ms_ = 0;
    last_conversion_.reset();
    last_check_.reset();
    Trial trial = tried(signature, seconds);
    trial.kernel_ms = kernel_ms_;
    return trial;
}

Trial Trials::tried(const Signature& signature, double seconds) {
    try {
        const Check check = next_check(signature);
        const Stopwatch making;
        if (x_.bytes() == 0) {
            check_vectors_fit(signature.value, static_cast<double>(matrix_.cols) * num_rhs_,
                              static_cast<double>(matrix_.rows) * num_rhs_);
            x_ = elements(matrix_.cols * num_rhs_, signature.value);
            fill_random(signature.value, x_.data(), matrix_.cols * num_rhs_, 1);
        }
        const double made_ms = making.ms();
        const std::unique_ptr<Run> run = prepare(signature, x_);
        const Stopwatch checking;
        const double first_ms = once_ms(*run);
        if (std::string wrong = difference(*run, signature); !wrong.empty())
            return {.trouble = std::move(wrong)};
        last_check_ = {check, made_ms + checking.ms()};
        return timed(*run, first_ms, seconds);
    } catch (const std::bad_alloc&) {
        return {.trouble = "there is not enough memory", .defect = false};
    } catch (const Error& error) {
        return {.trouble = error.what(), .defect = is_defect(error)};
    }
}

Check Trials::next_check(const Signature& s) const {
    const auto element = static_cast<double>(size_of(s.value));
    const auto columns = static_cast<double>(matrix_.cols * num_rhs_);
    const auto rows = static_cast<double>(matrix_.rows * num_rhs_);
    Check check{.written_bytes = rows * element};  // y of this kernel
    if (x_.bytes() == 0) check.written_bytes += columns * element;
    if (expected_.bytes() == 0) {
        check.written_bytes += rows * element;
    } else if (!agreement_) {  // bounds of errors, and where products are copied to
        check.written_bytes += rows * (sizeof(double) + element);
        check.read_bytes +=
            static_cast<double>(matrix_.nnz) *
            static_cast<double>(size_of(matrix_.value_type) + size_of(matrix_.index_type));
    }
    return check;
}

bool Trials::is_defect(const Error& error) const {
    // A matrix need not suit every kernel, and a cache that is only loaded from need not have it.
    return error.code() != ErrorCode::invalid_argument &&
           !(error.code() == ErrorCode::compile && policy_.mode == CacheMode::load);
}

std::unique_ptr<DeviceGraph> Trials::recorded(Run& run) {
    constexpr int applies = 10;
    run.finish();
    const Stopwatch watch;
    for (int i = 0; i < applies; ++i) run.apply();
    run.finish();
    if (1e-3 * watch.ms() > applies * most_launched_s) return nullptr;
    try {
        return run.record(graph_applies);
    } catch (const Error& error) {  // drivers before CUDA 12.3 do not capture what overlaps
        provider_.warn(
            fmt::format("kernels are timed one after another, not in graphs: {}", error.what()),
            "graphs");
        return nullptr;
    }
}

double Trials::once_ms(Run& run) {
    const Stopwatch watch;
    run.apply();
    run.finish();
    return watch.ms();
}

Trial Trials::timed(Run& run, double first_ms, double seconds) {
    // The first apply may have met caches, or a machine, that were busy with something else.
    if (first_ms > 1e3 * seconds) first_ms = std::min(first_ms, once_ms(run));
    if (first_ms > 1e3 * seconds) {
        const double us = 1e3 * std::min(first_ms, once_ms(run));
        return {us, us, us};
    }
    const TimingPlan plan{.warm_up_s = seconds / 4,
                          .sample_s = std::min(1e-3, seconds / 5),
                          .budget_s = seconds,
                          .min_samples = 3,
                          .most_s = 2 * seconds};
    const auto told = [](const Timing& t, double applies) -> Trial {
        const double us = 1e6 / applies;
        return {us * t.median_s, us * t.low_s, us * t.high_s};
    };
    const bool may_be_short = run.has_graphs() && first_ms < 1e3 * 10 * most_launched_s;
    if (const auto graph = may_be_short ? recorded(run) : nullptr)
        return told(time_apply([&] { graph->launch(); }, plan, [&] { graph->synchronize(); }),
                    graph_applies);
    return told(time_apply([&] { run.apply(); }, plan, [&] { run.finish(); }), 1);
}

Making& Trials::making(std::function<double()> now_ms) {
    if (makers_) return *makers_;
    // Of two threads of a core the second makes little, and a trial has work for this CPU, too.
    const bool beside = are_made_beside_trials();
    const int all =
        terms_.threads > 0 ? terms_.threads : static_cast<int>(std::thread::hardware_concurrency());
    makers_ = std::make_unique<KernelMakers>(
        KernelMakers::Terms{std::max(beside ? all / 2 : all, 1), beside, std::move(now_ms)},
        [this](const Signature& s) { return pieces_of(s); });
    return *makers_;
}

std::string Trials::difference(const Run& run, const Signature& signature) {
    if (expected_.bytes() == 0) {
        expected_ = elements(matrix_.rows * num_rhs_, signature.value);
        run.fetch(expected_.data());
        return "";
    }
    if (!agreement_)
        agreement_.emplace(matrix_, x_.data(), signature.value, num_rhs_, terms_.threads);
    if (product_.bytes() == 0) product_ = elements(matrix_.rows * num_rhs_, signature.value);
    run.fetch(product_.data());
    return agreement_->difference(expected_.data(), product_.data());
}

}  // namespace spmvgen
