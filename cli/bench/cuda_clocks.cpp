#include "bench/cuda_clocks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bench/vector_update.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::cli {
namespace {

/// Right after a compilation, with 1 ms of warm-up, products of 3 µs took up to 1.5 times as long
/// as in the middle of a run.
constexpr double least_warm_up_s = 0.02;

}  // namespace

CudaClocks::CudaClocks(int device)
    : driver_(device),
      stream_(driver_.make_stream()),
      begin_(driver_.make_event()),
      end_(driver_.make_event()) {}

double CudaClocks::batch_seconds(const Work& work, std::int64_t calls) const {
    driver_.synchronize(stream());
    driver_.record(begin_, stream());
    for (std::int64_t i = 0; i < calls; ++i) work();
    driver_.record(end_, stream());
    return 1e-3 * driver_.milliseconds(begin_, end_) / static_cast<double>(calls);
}

Timing CudaClocks::sampled(const TimingPlan& plan, int applies,
                           const std::function<Batch(std::int64_t)>& batch) const {
    const double start = now_s();
    double shortest = batch(1).whole_s;
    const double warm_up_s = std::max(plan.warm_up_s, least_warm_up_s);
    while (now_s() - start < warm_up_s)
        shortest = std::min(shortest, batch(applies == 1 ? 4 : 1).whole_s);
    constexpr std::int64_t most_calls = 1000;
    const auto calls =
        shortest > 0
            ? std::clamp<std::int64_t>(
                  static_cast<std::int64_t>(std::ceil(plan.sample_s / shortest)), 1, most_calls)
            : most_calls;
    std::vector<double> samples;
    const double begin = now_s();
    while (std::ssize(samples) < plan.min_samples ||
           (std::ssize(samples) < plan.max_samples && now_s() - begin < plan.budget_s))
        samples.push_back(batch(calls).counted_s / applies);
    return summarise(std::move(samples), calls * applies);
}

Timing CudaClocks::back_to_back(const Work& work, const TimingPlan& plan) const {
    return sampled(plan, 1, [&](std::int64_t calls) -> Batch {
        const double seconds = batch_seconds(work, calls);
        return {seconds, seconds};
    });
}

CudaDriver::Owned CudaClocks::captured(const Work& work) const {
    driver_.begin_capture(stream());
    try {
        for (int i = 0; i < graph_applies; ++i) work();
    } catch (...) {
        driver_.drop_capture(stream());
        throw;
    }
    return driver_.end_capture(stream());
}

Timing CudaClocks::in_graph(const Work& work, const TimingPlan& plan) const {
    const CudaDriver::Owned graph = captured(work);
    const Work launch = [&] { driver_.launch(graph, stream()); };
    return sampled(plan, graph_applies, [&](std::int64_t calls) -> Batch {
        const double seconds = batch_seconds(launch, calls);
        return {seconds, seconds};
    });
}

Timing CudaClocks::with_other(const Work& work, const Work& other, const TimingPlan& plan,
                              double& alone_s) const {
    std::vector<double> alone;
    const Work both = [&] {
        work();
        other();
    };
    const Timing timing = sampled(plan, 1, [&](std::int64_t calls) -> Batch {
        const double pair = batch_seconds(both, calls);
        alone.push_back(batch_seconds(other, calls));
        return {pair, pair - alone.back()};
    });
    alone_s = summarise(std::move(alone), timing.calls_per_sample).median_s;
    if (timing.low_s <= 0)
        throw Error(ErrorCode::io,
                    "no time is left when that of the update is taken off: try again, with more "
                    "--budget");
    return timing;
}

double CudaClocks::after_fill(const Work& work, void* memory, std::size_t bytes) {
    driver_.fill(memory, ++fills_, bytes, stream());
    driver_.record(begin_, stream());
    work();
    driver_.record(end_, stream());
    return 1e-3 * driver_.milliseconds(begin_, end_);
}

void CudaClocks::update(void* x, std::size_t x_bytes, const void* y, std::size_t y_bytes,
                        const void* z) {
    if (update_ == nullptr) {
        update_module_ = driver_.load(vector_update_ptx);
        update_ = driver_.function(update_module_, vector_update_name);
    }
    launch_vector_update(driver_, update_, stream(), {x, y, z, x_bytes / 4, y_bytes / 4});
}

}  // namespace spmvgen::cli
