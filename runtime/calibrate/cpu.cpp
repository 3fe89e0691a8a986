#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <vector>

#include "calibrate/parts.hpp"
#include "matrix/buffer.hpp"
#include "matrix/memory_limit.hpp"
#include "measure/streaming.hpp"

namespace spmvgen::calibration {
namespace {

constexpr double bytes_a_call = 16e6;  // of reading and copying, at least
constexpr std::int64_t gathers_a_call = 1 << 20, atomics_a_call = 1 << 18;
constexpr double memory_share = 0.25;

using streaming::line, streaming::Pack, streaming::Range, streaming::scattered, streaming::share,
    streaming::sum;

/// A team of this CPU's threads with an array that they touched first, each its part.
class CpuBench {
  public:
    CpuBench(const CalibrationPlan& plan, int threads) : plan_(plan), threads_(threads) {}

    Figure launch_us() const {
        const Timing t = time([](int, int) {});
        return {1e6 * t.median_s, t.spread};
    }

    DeviceRate read_rate(double bytes) const {
        const Buffer array = zeros(bytes);
        const double* a = static_cast<const double*>(array.data());
        const std::size_t count = array.bytes() / sizeof(double);
        const int passes = passes_for(bytes);
        const Timing t = time([&](int thread, int team) {
            double mine = 0;
            for (int pass = 0; pass < passes; ++pass) {
                mine += sum(a, share(count, thread, team));
                again();
            }
            use(mine);
        });
        return rate_of(t, threads_, bytes, bytes * passes);
    }

    DeviceRate copy_rate(double bytes) const {
        const Buffer from = zeros(bytes / 2);
        Buffer to = zeros(bytes / 2);
        const double* a = static_cast<const double*>(from.data());
        double* b = static_cast<double*>(to.data());
        const std::size_t count = from.bytes() / sizeof(double);
        const int passes = passes_for(bytes);
        const Timing t = time([&](int thread, int team) {
            const Range r = share(count, thread, team);
            for (int pass = 0; pass < passes; ++pass) {
                std::memcpy(b + r.begin, a + r.begin, (r.end - r.begin) * sizeof(double));
                again();
            }
        });
        return rate_of(t, threads_, bytes, bytes * passes);
    }

    DeviceRate gather_rate(double bytes) const {
        const Buffer array = zeros(bytes);
        const double* a = static_cast<const double*>(array.data());
        const std::uint64_t mask = static_cast<std::uint64_t>(bytes / 8) - 1;
        const std::int64_t each = gathers_a_call / threads_;
        const Timing t = time([&](int thread, int) {
            use(streaming::scattered_sum(a, mask, static_cast<std::uint64_t>(thread * each),
                                         static_cast<std::uint64_t>(each)));
        });
        return rate_of(t, threads_, bytes, static_cast<double>(each * threads_));
    }

    DeviceRate atomic_rate(double bytes) const {
        Buffer array = zeros(bytes);
        double* a = static_cast<double*>(array.data());
        const std::uint64_t mask = static_cast<std::uint64_t>(bytes / 8) - 1;
        const std::int64_t each = atomics_a_call / threads_;
        const Timing t = time([&](int thread, int) {
            const auto first = static_cast<std::uint64_t>(thread * each);
            for (std::int64_t i = 0; i < each; ++i)
                std::atomic_ref(a[scattered(first + static_cast<std::uint64_t>(i)) & mask])
                    .fetch_add(1, std::memory_order_relaxed);
        });
        return rate_of(t, threads_, bytes, static_cast<double>(each * threads_));
    }

  private:
    /// What is computed must have a use, or the loop is no measurement.
    static void use(double number) { asm volatile("" : : "m"(number)); }
    /// Memory may have changed: the next pass must look again.
    static void again() { asm volatile("" : : : "memory"); }

    static int passes_for(double bytes) {
        return std::max(1, static_cast<int>(bytes_a_call / bytes));
    }

    Buffer zeros(double bytes) const {
        const auto count = static_cast<std::size_t>(std::max(bytes, 64.0)) / sizeof(double);
        Buffer array(count * sizeof(double));
        double* a = static_cast<double*>(array.data());
#pragma omp parallel num_threads(threads_)
        {
            const Range r = share(count, omp_get_thread_num(), omp_get_num_threads());
            std::fill(a + r.begin, a + r.end, 0.0);
        }
        return array;
    }

    /// A call is one parallel region.
    template <typename Body>
    Timing time(const Body& body) const {
        return time_apply(
            [&] {
#pragma omp parallel num_threads(threads_)
                {
                    asm volatile("");  // an empty region is left out
                    body(omp_get_thread_num(), omp_get_num_threads());
                }
            },
            timing_plan(plan_));
    }

    CalibrationPlan plan_;
    int threads_;
};

/// 1, 2, 4, … and the most.
std::vector<int> teams_up_to(int most) {
    std::vector<int> teams;
    for (int threads = 1; threads < most; threads *= 2) teams.push_back(threads);
    teams.push_back(most);
    return teams;
}

}  // namespace

std::vector<CalibrationStep> cpu_steps(const CalibrationPlan& plan) {
    constexpr double k = 1 << 10, m = 1 << 20;
    const std::vector<double> streams{256 * k, m, 4 * m, 16 * m, 64 * m, 256 * m, 1024 * m};
    const std::vector<double> gathers{32 * k, 512 * k, 2 * m, 8 * m, 32 * m, 128 * m, 512 * m};
    const std::vector<double> atomics{8, 512 * k, 32 * m};
    std::vector<CalibrationStep> steps;
    add_kernel_steps(plan, steps);
    const int most = plan.threads > 0 ? plan.threads : omp_get_max_threads();
    const std::vector<int> teams = teams_up_to(most);
    steps.push_back({"parallel regions", [plan, most, teams](DeviceProfile& p) {
                         p.launch_us = CpuBench(plan, most).launch_us();
                         for (const int team : teams | std::views::drop(1)) {
                             const Figure us =
                                 team == most ? p.launch_us : CpuBench(plan, team).launch_us();
                             p.regions.push_back({team, us.value, us.spread});
                         }
                     }});
    const double memory =
        std::min(plan.most_bytes, memory_share * static_cast<double>(available_memory()));
    for (const int threads : teams) {
        const CpuBench bench(plan, threads);
        const auto add = [&](const char* what, const std::vector<double>& amounts,
                             DeviceRate (CpuBench::*measure)(double) const,
                             std::vector<DeviceRate> DeviceProfile::* list) {
            for (const double bytes : amounts)
                if (bytes <= memory)
                    steps.push_back(
                        {fmt::format("{}, {}, {} threads", what, amount_text(bytes), threads),
                         [bench, bytes, measure, list](DeviceProfile& p) {
                             (p.*list).push_back((bench.*measure)(bytes));
                         }});
        };
        add("reading", streams, &CpuBench::read_rate, &DeviceProfile::read);
        add("copying", streams, &CpuBench::copy_rate, &DeviceProfile::copy);
        add("gathers", gathers, &CpuBench::gather_rate, &DeviceProfile::gather);
        add("atomics", atomics, &CpuBench::atomic_rate, &DeviceProfile::atomics);
    }
    steps.push_back(conversion_step(plan));
    return steps;
}

}  // namespace spmvgen::calibration
