#include "measure/timing.hpp"

#include <dlfcn.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <string_view>

#include "measure/streaming.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {

double now_s() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

namespace {

/// What is timed, and what waits for its end.
struct Work {
    const std::function<void()>& call;
    const std::function<void()>& finish;
};

double seconds_of(const Work& work, std::int64_t times) {
    const double start = now_s();
    for (std::int64_t i = 0; i < times; ++i) work.call();
    if (work.finish) work.finish();
    return now_s() - start;
}

/// The p-quantile of ascending samples, interpolated between neighbours.
double quantile(const std::vector<double>& samples, double p) {
    const double position = p * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, samples.size() - 1);
    const double weight = position - static_cast<double>(below);
    return samples[below] + weight * (samples[above] - samples[below]);
}

/// Warms up, and tells how many calls fill one sample.
std::int64_t warm_up(const Work& work, const TimingPlan& plan) {
    const double start = now_s();
    double shortest = seconds_of(work, 1);
    while (now_s() - start < plan.warm_up_s) shortest = std::min(shortest, seconds_of(work, 1));
    // A call below the clock's resolution is measured in growing batches.
    std::int64_t calls = 1;
    while (shortest * static_cast<double>(calls) < plan.sample_s) {
        const double wanted =
            shortest > 0 ? std::ceil(plan.sample_s / shortest) : static_cast<double>(2 * calls);
        calls = std::max(calls + 1, std::min(static_cast<std::int64_t>(wanted), 1000 * calls));
        shortest = seconds_of(work, calls) / static_cast<double>(calls);
    }
    return calls;
}

}  // namespace

Timing summarise(std::vector<double> samples, std::int64_t calls_per_sample) {
    if (samples.empty())
        throw Error(ErrorCode::invalid_argument, "no samples: a timing needs at least one");
    std::ranges::sort(samples);
    Timing t;
    t.median_s = quantile(samples, 0.5);
    t.min_s = samples.front();
    t.max_s = samples.back();
    t.low_s = quantile(samples, 0.25);
    t.high_s = quantile(samples, 0.75);
    t.spread = t.median_s > 0 ? (t.high_s - t.low_s) / t.median_s : 0;
    t.samples = static_cast<int>(samples.size());
    t.calls_per_sample = calls_per_sample;
    return t;
}

Timing time_apply(const std::function<void()>& call, const TimingPlan& plan,
                  const std::function<void()>& finish) {
    const Work work{call, finish};
    const std::int64_t calls = warm_up(work, plan);
    std::vector<double> samples;
    const double start = now_s();
    const auto goes_on = [&] {
        const auto taken = static_cast<int>(samples.size());
        const double spent_s = now_s() - start;
        return taken < plan.max_samples && spent_s < plan.most_s &&
               (taken < plan.min_samples || spent_s < plan.budget_s);
    };
    do {
        samples.push_back(seconds_of(work, calls) / static_cast<double>(calls));
    } while (goes_on());
    return summarise(std::move(samples), calls);
}

double median_us_of_a_few(const std::function<void()>& call) {
    constexpr int warm_up = 4;
    constexpr std::size_t most = 16;
    constexpr double budget_s = 1e-3;
    const double start = now_s();
    call();
    std::vector<double> times;
    double end = now_s();
    for (int called = 1; times.empty() || (times.size() < most && end - start < budget_s);
         ++called) {
        const double begin = now_s();
        call();
        end = now_s();
        if (called >= warm_up || end - start >= budget_s) times.push_back(end - begin);
    }
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    return 1e6 * *middle;
}

double parallel_region_us_now(int threads) {
    return median_us_of_a_few([threads] {
#pragma omp parallel num_threads(threads)
        asm volatile("" ::: "memory");
    });
}

double parallel_region_us(int threads) {
    static std::mutex mutex;
    static std::map<int, double> known;
    const std::scoped_lock lock(mutex);
    const auto found = known.find(threads);
    if (found != known.end()) return found->second;
    return known.emplace(threads, parallel_region_us_now(threads)).first->second;
}

double cached_loads_per_s() {
    static const double known = [] {
        constexpr std::size_t elements = 4096;
        constexpr std::uint64_t loads = 4096;
        constexpr int runs = 8;
        const std::vector<double> array(elements, 1.0);
        double least_s = std::numeric_limits<double>::infinity();
        for (int run = 0; run < runs; ++run) {
            const double begin = now_s();
            const double sum = streaming::scattered_sum(array.data(), elements - 1, 0, loads);
            asm volatile("" : : "m"(sum) : "memory");
            least_s = std::min(least_s, now_s() - begin);
        }
        return static_cast<double>(loads) / least_s;
    }();
    return known;
}

bool keeps_idle_threads() {
    Dl_info info;
    if (dladdr(reinterpret_cast<const void*>(&omp_get_max_threads), &info) == 0 ||
        info.dli_fname == nullptr)
        return false;
    return std::string_view(info.dli_fname).find("gomp") == std::string_view::npos;
}

}  // namespace spmvgen
