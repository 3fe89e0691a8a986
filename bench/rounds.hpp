#pragma once
// What benchmarks of ratios share: quantiles, and a clock.
#include <algorithm>
#include <chrono>
#include <vector>

namespace spmvgen::bench {

inline double seconds_now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Seconds of one call, on average over `calls`.
template <typename Call>
double seconds_of(int calls, Call&& call) {
    const double start = seconds_now();
    for (int i = 0; i < calls; ++i) call();
    return (seconds_now() - start) / calls;
}

inline double quantile(std::vector<double> v, double q) {
    std::ranges::sort(v);
    return v[static_cast<std::size_t>(q * static_cast<double>(v.size() - 1) + 0.5)];
}

/// Calls that take about `seconds`, found by doubling; warms up on the way.
template <typename Call>
int calls_for(double seconds, Call&& call) {
    for (int calls = 1;; calls *= 2)
        if (const double t = calls * seconds_of(calls, call); t >= seconds || calls > (1 << 24))
            return std::max(1, static_cast<int>(calls * seconds / t));
}

}  // namespace spmvgen::bench
