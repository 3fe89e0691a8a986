#include "tuner/cost/cpu_costs.hpp"

#include <algorithm>

#include "tuner/cost/work/cpu_problem.hpp"

namespace spmvgen {
namespace {

constexpr double cpu_step_us = 1e-3;  ///< on a thread
using cpu::first_cache, cpu::second_cache;

/// Whether cores begin and end short loops, of lengths that are hard to foresee, in a third of the
/// time that others take: AMD's with AVX-512 (Zen 4) do.
bool ends_loops_cheaply(const Target& target) {
    constexpr int longest = 64;  // bytes of a vector
    return architecture(target).vector_bytes == longest && target.tune.starts_with("znver");
}

}  // namespace

CpuCosts cpu_costs(const CpuWork& w, const RowFeatures& f, const Signature& s,
                   const DeviceProfile& profile, int threads) {
    const double team = std::max(threads, 1);
    const double x_bytes =
        static_cast<double>(size_of(s.value)) * static_cast<double>(std::min(f.cols, f.nnz));
    const double start = profile.region_us(threads);
    const auto gathers = [&](double lines, double least) {
        return us_of(w.busiest * lines, profile.gather_rate(std::max(x_bytes, least), threads));
    };
    const double middle_rate =
        profile.gather_rate(std::clamp(x_bytes, first_cache, second_cache), threads);
    // The busiest thread cannot read faster than alone.
    const double stream = std::max(
        us_of(w.bytes, profile.read_rate(w.bytes, threads)),
        us_of(w.bytes * w.busiest / team, profile.read_rate(w.bytes * w.busiest / team, 1)));
    const bool cheap = ends_loops_cheaply(s.target);
    const double each = w.busiest * cpu_step_us / team;
    return {start,
            w.joins * start,
            stream,
            us_of(w.busiest * w.near, profile.gather_rate(first_cache, threads)),
            us_of(w.busiest * w.middle, middle_rate),
            gathers(w.far, second_cache),
            w.steps * each,
            cheap ? 0 : w.rows * each,
            cheap ? 0 : w.turns * each,
            cheap ? w.rows * each : 0,
            cheap ? w.turns * each : 0};
}

}  // namespace spmvgen
