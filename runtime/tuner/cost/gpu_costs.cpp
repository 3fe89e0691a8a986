#include "tuner/cost/gpu_costs.hpp"

#include <algorithm>

#include "tuner/cost/gpu_units.hpp"
#include "tuner/cost/predict.hpp"

namespace spmvgen {
namespace {

constexpr double latency_us = 0.6;           ///< of a load that the caches of a multiprocessor miss
constexpr double step_us = 1e-3;             ///< of a warp, on a multiprocessor
constexpr double own_cache = 64 * 1024;      ///< bytes: x from a multiprocessor's own cache
constexpr double shared_cache = 4e6;         ///< bytes: x from the cache that all share
constexpr double most_cached_stream = 33e6;  ///< bytes up to which the best rate counts: below it
                                             ///< the profile's rates are those of few threads

/// Bytes a second for so many.
double stream_rate(const DeviceProfile& profile, double bytes) {
    if (bytes > most_cached_stream) return profile.read_rate(bytes, 0);
    double best = 0;
    for (auto& rate : profile.read) best = std::max(best, rate.per_s);
    return best;
}

}  // namespace

GpuCosts gpu_costs(const GpuWork& w, const RowFeatures& f, const Signature& s,
                   const DeviceProfile& profile) {
    const double units = units_of(profile);
    const auto vector = static_cast<double>(size_of(s.value));
    const double x_bytes = vector * static_cast<double>(std::min(f.cols, f.nnz));
    const double y_bytes = vector * static_cast<double>(f.rows);
    // No multiprocessor asks twice for what its own cache could hold at best.
    const double far = std::min(w.far, units * x_bytes / gpu::sector);
    const double active = std::min(units, std::max(w.blocks, 1.0));
    const double resident = std::min(units * w.resident, std::max(w.warps, 1.0));
    return {w.launches - 1,
            w.depth * latency_us,
            us_of(w.bytes, stream_rate(profile, w.bytes)),
            us_of(w.bytes, profile.read_rate(shared_cache, 0)) * (units / active - 1),
            us_of(w.near, profile.gather_rate(own_cache, 0)),
            us_of(far, profile.gather_rate(std::max(x_bytes, shared_cache), 0)),
            w.steps * step_us / units,
            w.waits * latency_us / resident,
            w.rows * step_us / units / gpu::warp,
            us_of(w.atomics, profile.atomic_rate(std::max(y_bytes, shared_cache), 0))};
}

}  // namespace spmvgen
