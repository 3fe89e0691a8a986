#include "tuner/cost/predict.hpp"

#include <algorithm>
#include <cmath>

#include "process/log.hpp"
#include "spmvgen/error.hpp"
#include "tuner/cost/work/cpu_problem.hpp"
#include "tuner/cost/work/gpu_units.hpp"
#include "tuner/files/tuning_files.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen {
namespace {

/// What `parse` makes of the first of tuning_files() of the kind that can be read; nothing when
/// there is none.
template <typename Parse>
auto read_first(std::string_view kind, const Parse& parse)
    -> std::optional<decltype(parse(std::string_view()))> {
    Log log;
    for (auto& file : tuning_files(kind)) {
        try {
            return parse(file.readable_text());
        } catch (const Error& error) {
            log.warn("tuning file " + file.name + " is left out: " + error.what());
        }
    }
    return std::nullopt;
}

std::optional<CostConstants> read_cost_constants(const CostScheme& scheme) {
    return read_first(scheme.kind,
                      [&](std::string_view text) { return parse_cost_constants(text, scheme); });
}

/// What the vectors of an epilogue take: bytes, and where rows end in no order half a sector for
/// each element, for warps come back to some sectors.
void add_epilogue(GpuWork& work, MatrixFigures& figures, const Signature& s) {
    if (s.epilogue.empty()) return;
    const double elements =
        static_cast<double>(figures.features().rows) * figures.accesses(s.epilogue);
    work.bytes += elements * static_cast<double>(size_of(s.value));
    if (work.rows_apart) work.apart += elements / 2;
}

}  // namespace

const CostConstants* gpu_constants(int num_rhs) {
    if (num_rhs > 1) {
        static const std::optional<CostConstants> several = read_cost_constants(gpu_several_scheme);
        return several ? &*several : nullptr;
    }
    static const std::optional<CostConstants> one = read_cost_constants(gpu_scheme);
    return one ? &*one : nullptr;
}

const CostConstants* cpu_constants() {
    static const std::optional<CostConstants> constants = read_cost_constants(cpu_scheme);
    return constants ? &*constants : nullptr;
}

const CostCorrection* gpu_correction(const Target& target) {
    static const std::optional<CostCorrection> learned =
        read_first("gpu-correction", parse_cost_correction);
    return learned && learned->vendor == vendor_of(target.arch) ? &*learned : nullptr;
}

double units_of(const DeviceProfile& profile) {
    return profile.units > 0 ? profile.units : gpu::typical_units;
}

namespace {

struct Counted {
    GpuWork work;
    GpuCosts costs;
};

std::optional<Counted> count_gpu(MatrixFigures& figures, const Signature& signature,
                                 const DeviceProfile& profile) {
    auto work = gpu_work(figures, signature, units_of(profile));
    if (!work) return std::nullopt;
    add_epilogue(*work, figures, signature);
    return Counted{*work, gpu_costs(*work, figures.features(), signature, profile)};
}

CorrectionFeatures features_of(const Counted& counted, double us, const MatrixFigures& figures,
                               const Signature& signature, const DeviceProfile& profile,
                               const CostConstants& constants) {
    return correction_features_of(counted.work, counted.costs, constants, us, figures.features(),
                                  signature, units_of(profile));
}

}  // namespace

std::vector<double> costs_of_gpu(MatrixFigures& figures, const Signature& signature,
                                 const DeviceProfile& profile) {
    const auto counted = count_gpu(figures, signature, profile);
    if (!counted) return {};
    return {counted->costs.begin(), counted->costs.end()};
}

std::vector<double> costs_of_cpu(MatrixFigures& figures, const Signature& signature,
                                 const DeviceProfile& profile, int threads) {
    const auto work = cpu_work(figures, signature, threads);
    if (!work) return {};
    const CpuCosts costs = cpu_costs(*work, figures.features(), signature, profile, threads);
    return {costs.begin(), costs.end()};
}

std::optional<CorrectionFeatures> correction_features_of(MatrixFigures& figures,
                                                         const Signature& signature,
                                                         const DeviceProfile& profile,
                                                         const CostConstants& constants) {
    const auto counted = count_gpu(figures, signature, profile);
    if (!counted) return std::nullopt;
    const auto time = predict_time(gpu_scheme, constants, signature, counted->costs);
    if (!time) return std::nullopt;
    return features_of(*counted, time->us, figures, signature, profile, constants);
}

std::optional<Prediction> predict_gpu(MatrixFigures& figures, const Signature& signature,
                                      const DeviceProfile& profile, const CostConstants& constants,
                                      const CostCorrection* correction) {
    if (!constants.kernels.contains(signature.kernel)) return std::nullopt;
    const auto counted = count_gpu(figures, signature, profile);
    if (!counted) return std::nullopt;
    auto time = predict_time(gpu_scheme, constants, signature, counted->costs);
    if (time && correction != nullptr)
        time->us *= std::exp(correction->of(
            features_of(*counted, time->us, figures, signature, profile, constants)));
    return time;
}

std::optional<Prediction> predict_cpu(MatrixFigures& figures, const Signature& signature,
                                      const DeviceProfile& profile, int threads,
                                      const CostConstants& constants) {
    if (!constants.kernels.contains(signature.kernel)) return std::nullopt;
    return predict_time(cpu_scheme, constants, signature,
                        costs_of_cpu(figures, signature, profile, threads));
}

namespace {

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

/// Bytes that memory moves for sectors which leave the cache before their second part is written:
/// for each part, what they had is read, in twice as large pieces.
double rest_of_sectors(const GpuWork& w, double y_bytes, const DeviceProfile& profile) {
    const double l2 = profile.rated.l2_bytes;
    const double left = l2 > 0 ? std::max(0.0, 1 - l2 / std::max(y_bytes, 1.0)) : 0;
    return 2 * w.in_parts * left;
}

}  // namespace

GpuCosts gpu_costs(const GpuWork& w, const RowFeatures& f, const Signature& s,
                   const DeviceProfile& profile) {
    const double units = units_of(profile);
    const double shared = shared_bytes(profile);
    const double vector = static_cast<double>(s.num_rhs) * static_cast<double>(size_of(s.value));
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
    const double gathered = 1 - w.beside * (1 - gpu::next_sector);
    const double active = std::min(units, std::max(w.blocks, 1.0)) / w.busiest;
    const double resident = std::min(units * w.resident, std::max(w.warps, 1.0));
    const double in_use = std::min(1.0, w.spread + resident / std::max(w.warps, 1.0));
    const double idle = own_share * (units / active - 1);
    const bool begins_early = (w.lets_begin || w.blocks <= std::floor(gpu::few_blocks * units)) &&
                              architecture(s.target).gpu.overlaps_launches;
    const double ahead =
        begins_early ? w.ahead * (1 - later_blocks * std::log2(std::max(w.blocks, 1.0))) : 0;
    // Loads of warps that have no others to follow are the depth.
    const double followed = std::max(w.waits / resident - w.waits / std::max(w.warps, 1.0), 0.0);
    return {w.launches - 1,
            (w.depth - ahead) * latency_us,
            us_of(w.bytes + rest_of_sectors(w, y_bytes, profile), stream_rate(profile, w.bytes)),
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

namespace {

constexpr double cpu_step_us = 1e-3;  ///< on a thread of a usual core
/// By how much longer A takes from memory where only a core's own prefetcher asks for it early:
/// that begins anew at each page.
constexpr double own_prefetcher = 1.3;
/// Loads of x beyond a core's caches that are not under way together, for a row that ends among
/// them.
constexpr double lost_at_ends = 8;
using cpu::first_cache, cpu::second_cache;

bool is_prefetched(const Signature& s) {
    const auto ahead = s.params.find("prefetch");
    return ahead != s.params.end() && ahead->second > 0;
}

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
    if (w.bytes / team >= cpu::from_memory && !is_prefetched(s)) stream *= own_prefetcher;
    const double ends = w.rows / std::max(static_cast<double>(f.nnz), 1.0);
    const bool cheap = ends_loops_cheaply(s.target);
    const double each = w.busiest * cpu_step_us / profile.core_speed() / team;
    return {start,
            w.joins * start,
            stream,
            gathers(w.near, first_cache),
            gathers(w.middle, std::clamp(x_bytes, first_cache, second_cache)),
            gathers(w.far * (1 + lost_at_ends * ends), std::max(x_bytes, second_cache)),
            w.steps * each,
            cheap ? 0 : w.rows * each,
            cheap ? 0 : w.turns * each,
            cheap ? w.rows * each : 0,
            cheap ? w.turns * each : 0};
}

}  // namespace spmvgen
