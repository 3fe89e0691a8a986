#include "measure/bandwidth.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <string>

#include "matrix/buffer.hpp"
#include "matrix/memory_limit.hpp"
#include "measure/streaming.hpp"
#include "measure/timing.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t mega = 1'000'000;
constexpr double seconds_per_loop = 0.08;
constexpr int least_passes = 3;

using streaming::line, streaming::Range, streaming::share, streaming::sum;

void triad(double* __restrict__ a, const double* __restrict__ b, const double* __restrict__ c,
           double s, Range r) {
    for (std::size_t i = r.begin; i < r.end; ++i) a[i] = b[i] + s * c[i];
}

/// Runs `body(thread, threads)` in parallel until the time is spent; seconds of the fastest pass.
template <typename Body>
double fastest_pass(int threads, int& passes, Body body) {
    double fastest = std::numeric_limits<double>::infinity();
    const double start = now_s();
    for (passes = 0; passes < least_passes || now_s() - start < seconds_per_loop; ++passes) {
        const double pass_start = now_s();
#pragma omp parallel num_threads(threads)
        body(omp_get_thread_num(), omp_get_num_threads());
        fastest = std::min(fastest, now_s() - pass_start);
    }
    return fastest;
}

std::int64_t sensible_bytes() {
    const std::int64_t bytes = std::clamp(2 * last_level_cache_bytes(), 256 * mega, 1000 * mega);
    return std::max<std::int64_t>(std::min(bytes, available_memory() / 4), mega);
}

/// "480M" or "32K", as sysfs writes sizes.
std::int64_t parse_cache_size(const std::string& text) {
    std::int64_t value = 0;
    for (char c : text) {
        if (c >= '0' && c <= '9') value = 10 * value + (c - '0');
        if (c == 'K') value <<= 10;
        if (c == 'M') value <<= 20;
        if (c == 'G') value <<= 30;
    }
    return value;
}

}  // namespace

std::int64_t last_level_cache_bytes() {
    std::int64_t largest = 0;
    for (int index = 0; index < 8; ++index) {
        std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) +
                           "/size");
        std::string text;
        if (std::getline(file, text)) largest = std::max(largest, parse_cache_size(text));
    }
    return largest;
}

Bandwidth measure_bandwidth(int threads, std::int64_t bytes) {
    Bandwidth result;
    const double start = now_s();
    result.threads = threads > 0 ? threads : omp_get_max_threads();
    const std::int64_t wanted = bytes > 0 ? bytes : sensible_bytes();
    const std::size_t third = static_cast<std::size_t>(wanted) / 3 / sizeof(double) / line * line;
    const std::size_t count = 3 * std::max(third, line);
    Buffer memory(count * sizeof(double));
    double* const a = static_cast<double*>(memory.data());
    double* const b = a + count / 3;
    double* const c = b + count / 3;
    result.bytes = static_cast<std::int64_t>(memory.bytes());
    result.cached = result.bytes <= last_level_cache_bytes();

    // The thread that walks over a page touches it first, so that it lies on its NUMA node.
#pragma omp parallel num_threads(result.threads)
    for (double* part : {a, b, c}) {
        const Range r = share(count / 3, omp_get_thread_num(), omp_get_num_threads());
        std::fill(part + r.begin, part + r.end, 1.0);
    }

    double total = 0;
    const double read_s = fastest_pass(result.threads, result.passes, [&](int thread, int team) {
        double mine = 0;
        for (const double* part : {a, b, c}) mine += sum(part, share(count / 3, thread, team));
#pragma omp atomic
        total += mine;
    });
    // The sum must have a use, or the loop is no measurement.
    const volatile double used = total;
    (void)used;
    int triad_passes = 0;
    const double triad_s = fastest_pass(result.threads, triad_passes, [&](int thread, int team) {
        triad(a, b, c, 0.5, share(count / 3, thread, team));
    });
    result.passes = std::min(result.passes, triad_passes);
    result.read = static_cast<double>(result.bytes) / read_s;
    result.triad = static_cast<double>(result.bytes) / triad_s;
    result.seconds = now_s() - start;
    return result;
}

}  // namespace spmvgen
