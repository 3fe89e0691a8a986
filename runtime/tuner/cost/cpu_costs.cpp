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
    const auto gathers = [&](double lines, double bytes) {
        return lines == 0 ? 0 : us_of(w.busiest * lines, profile.gather_rate(bytes, threads));
    };
    const auto read = [&](double bytes, int readers) {
        return us_of(bytes, profile.read_rate(bytes, readers));
    };
    double stream = read(w.bytes, threads);
    // The busiest thread cannot read faster than alone.
    if (team > 1 || w.busiest > 1) stream = std::max(stream, read(w.bytes * w.busiest / team, 1));
    const bool cheap = ends_loops_cheaply(s.target);
    const double each = w.busiest * cpu_step_us / team;
    return {start,
            w.joins * start,
            stream,
            gathers(w.near, first_cache),
            gathers(w.middle, std::clamp(x_bytes, first_cache, second_cache)),
            gathers(w.far, std::max(x_bytes, second_cache)),
            w.steps * each,
            cheap ? 0 : w.rows * each,
            cheap ? 0 : w.turns * each,
            cheap ? w.rows * each : 0,
            cheap ? w.turns * each : 0};
}

}  // namespace spmvgen
