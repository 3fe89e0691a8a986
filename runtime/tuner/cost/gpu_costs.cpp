#include "tuner/cost/gpu_costs.hpp"

#include <algorithm>
#include <cmath>

#include "tuner/cost/predict.hpp"
#include "tuner/cost/work/gpu_units.hpp"

namespace spmvgen {
namespace {

constexpr double of_line = 0.5;          ///< of a gather's time: the next sector of the same line
constexpr double latency_us = 0.6;       ///< of a load that the caches of a multiprocessor miss
constexpr double step_us = 1e-3;         ///< of a warp, on a multiprocessor
constexpr double own_cache = 64 * 1024;  ///< bytes: x from a multiprocessor's own cache
constexpr double shared_cache = 4e6;     ///< bytes: x from the cache that all share
constexpr double shared_share = 8;       ///< of a smaller cache: so much less than it holds
constexpr double best_share = 0.98;      ///< of the best rate: as good as it
/// How far the share of a multiprocessor that has the device for itself falls short of the whole:
/// 0 if one alone had all of the caches and memory, 1 if each had its share and no more.
constexpr double own_share = 0.41;
/// Of what short launches have done before they wait, what each doubling of their blocks takes.
constexpr double later_blocks = 0.038;

/// Bytes a second for so many: the best rate as long as the cache gives it, for the profile's rates
/// of fewer bytes are those of few threads.
double stream_rate(const DeviceProfile& profile, double bytes) {
    double best = 0, last = 0;
    for (auto& rate : profile.read) best = std::max(best, rate.per_s);
    for (auto& rate : profile.read)
        if (rate.per_s >= best_share * best) last = std::max(last, rate.bytes);
    return bytes > last ? profile.read_rate(bytes, 0) : best;
}

/// Of x what is in use at a time where all rows are walked over at one pace: the k-th of n columns
/// that are anywhere varies by about 1/√n, and by how much lengths do.
double share_in_step(const RowFeatures& f) {
    const double mean = std::max(f.mean_row, 1.0);
    return std::min(1.0, 1 / std::sqrt(mean) + std::sqrt(f.variance_row) / mean);
}

double shared_bytes(const DeviceProfile& profile) {
    const double l2 = profile.rated.l2_bytes;
    return l2 > 0 ? std::min(shared_cache, l2 / shared_share) : shared_cache;
}

}  // namespace

GpuCosts gpu_costs(const GpuWork& w, const RowFeatures& f, const Signature& s,
                   const DeviceProfile& profile) {
    const double units = units_of(profile);
    const double shared = shared_bytes(profile);
    const auto vector = static_cast<double>(size_of(s.value));
    const double x_bytes = vector * static_cast<double>(std::min(f.cols, f.nnz));
    const double y_bytes = vector * static_cast<double>(f.rows);
    // No multiprocessor asks twice for what its own cache holds of the part of x in use.
    const double in_use_bytes = (w.in_step ? share_in_step(f) : 1) * x_bytes;
    const double kept = std::min(1.0, own_cache / in_use_bytes);
    const double far = std::min(w.far, std::max(units * x_bytes / gpu::sector, (1 - kept) * w.far));
    // The first request of each sector of x is counted with the bytes. The others find it where a
    // cache keeps it until then, beside all that comes between two requests of a sector: of the
    // part of x and A that is in use at a time.
    const double once = x_bytes / gpu::sector;
    const double between = w.bytes * once / std::max(far, once);
    const double gathered = 1 - w.beside * (1 - of_line);
    const double active = std::min(units, std::max(w.blocks, 1.0)) / w.busiest;
    const double resident = std::min(units * w.resident, std::max(w.warps, 1.0));
    const double in_use = std::min(1.0, w.spread + resident / std::max({w.pieces, w.warps, 1.0}));
    const double idle = own_share * (units / active - 1);
    const bool begins_early = w.blocks <= std::floor(gpu::few_blocks * units) &&
                              architecture(s.target).gpu.overlaps_launches;
    const double ahead =
        begins_early ? w.ahead * (1 - later_blocks * std::log2(std::max(w.blocks, 1.0))) : 0;
    // Loads of warps that have no others to follow are the depth.
    const double followed = std::max(w.waits / resident - w.waits / std::max(w.warps, 1.0), 0.0);
    return {w.launches - 1,
            (w.depth - ahead) * latency_us,
            us_of(w.bytes, stream_rate(profile, w.bytes)),
            us_of(w.bytes, profile.read_rate(shared, 0)) * idle,
            us_of(w.near, profile.gather_rate(own_cache, 0)) * (1 + idle),
            us_of(gathered * std::max(far - once, 0.0),
                  profile.gather_rate(std::max(in_use * (x_bytes + between), shared), 0)) *
                    (1 + idle) +
                us_of(w.apart, profile.gather_rate(shared, 0)),
            w.steps * step_us / units * (1 + idle),
            followed * latency_us,
            w.rows * step_us / units / gpu::warp * (1 + idle),
            us_of(w.atomics, profile.atomic_rate(std::max(y_bytes, shared), 0))};
}

}  // namespace spmvgen
