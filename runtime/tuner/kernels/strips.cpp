#include <algorithm>
#include <cmath>

#include "matrix/reorder/reordering.hpp"
#include "tuner/plan/cpu_figures.hpp"
#include "tuner/plan/gpu_figures.hpp"
#include "tuner/plan/gpu_slices.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen {
namespace cpu {
namespace {

constexpr double long_lanes = 8;           ///< of strips' long rows
constexpr double loads_of_decoding = 0.7;  ///< of elements of x, as long as looking up a value
constexpr std::int64_t strip_lanes = 16;   ///< two AVX-512 registers of f64
constexpr std::int64_t many_lanes = 32;
constexpr double second_cached_bytes = 2.1e6;  ///< of A for each thread
constexpr double long_over_mean = 4;           ///< rows that leave the slices
const Values long_limits{64, 512, 4096};

CpuWork strips_work(const Problem& p) {
    const double lanes = p.param("lanes"), high = p.param("block_rows"),
                 wide = p.param("block_cols");
    const StripsFigures& strips = p.m.strips(p.s);
    const SlicesFigures& slices =
        p.m.slices(p.whole("lanes") * p.whole("block_rows"), p.whole("sigma"));
    const double limit = p.strips_limit(1);
    // Of block rows only the sample knows how many blocks they have.
    const bool by_sample = high > 1;
    const double long_rows = p.lengths.rows(limit);
    const double long_entries = by_sample ? strips.long_entries : p.lengths.entries(limit);
    const double apart = by_sample ? 1 : 1 - long_entries / std::max(p.nnz, 1.0);
    const double in_strips = std::max(strips.stored - strips.long_entries, 0.0) * apart;
    const double registers = in_strips / lanes * p.registers(lanes);
    const double masked = p.whole("ragged") > 0 ? 1 - slices.full : 0;
    const double affine =
        (p.whole("codes") & 1) != 0 ? strips.affine / std::max(strips.strips, 1.0) : 0;
    const double count = std::ceil(p.rows / (high * lanes));
    const bool singly = p.is_sorted() || high > 1 || p.whole("long_rows") > 0;
    CpuWork w = p.of_any(in_strips * p.value + strips.index_bytes * apart +
                         long_entries * (p.value + p.index));
    w.joins = p.whole("long_rows") > 0 ? 1 : 0;
    w.near = in_strips * (masked + (1 - masked) * (1 - affine) / high) + long_entries;
    // Elements of the dictionary are in the first cache, and few lines.
    if (p.whole("value_code") == static_cast<std::int64_t>(ValueCode::dictionary))
        w.near += loads_of_decoding * in_strips;
    w.steps = registers * p.of_sums(high * p.registers(lanes)) + (singly ? p.rows : 0) +
              long_entries / long_lanes * p.registers(long_lanes);
    w.rows = ends_of_slice * count + long_rows;
    w.turns = count * slices.turns;
    // Long rows are cut evenly.
    w.busiest = p.busiest_of(std::min(p.longest, limit) / wide,
                             (in_strips / (high * wide) + long_entries) / lanes);
    return w;
}

std::int64_t long_from(const Situation& s) {
    for (std::size_t i = 0; i < long_limits.size(); ++i)
        if (static_cast<double>(long_limits[i]) >= long_over_mean * s.f.mean_row)
            return long_limits[i];
    return long_limits[long_limits.size() - 1];
}

/// Rows sorted where slices would be padded; rows apart that would widen a slice for themselves.
void choose_strips_cpu(ParamChoice& c) {
    c.put("lanes", strip_lanes);
    c.set("sigma", Values{1, 256, 4096},
          [](const Situation& s) { return padding(s) > even_padding ? sorting_window(s) : 1; });
    c.set("long_from", long_limits, long_from);
    c.set("prefetch", Values{0, far_ahead}, prefetch_ahead);
}

/// Few: each is laid out for a sample, with blocks and without. Values that would be coded may be
/// read faster as they are, where caches hold them.
std::vector<Params> strips_cpu_grid(const Situation& s, const BlockFill&) {
    std::vector<Params> sets = ParamSets().with("sigma", sorting_windows(s)).beside_the_plan();
    const ParamSets lanes = ParamSets().with("lanes", {8, many_lanes});
    sets.insert(sets.end(), lanes.all().begin(), lanes.all().end());
    if (s.request.exact && s.request.exact->value_code > 0 && s.request.strips &&
        static_cast<double>(s.f.nnz) *
                (static_cast<double>(size_of(s.f.value_type)) + s.request.strips->index_bytes) <
            second_cached_bytes * s.request.threads)
        for (const std::int64_t number : {strip_lanes, many_lanes})
            sets.push_back({{"lanes", number}, {"value_code", 0}});
    return sets;
}

}  // namespace
}  // namespace cpu

namespace gpu {
namespace {

GpuWork strips_work(const Problem& p) {
    constexpr double most_unrolled = 192;  // bytes
    const double high = p.param("block_rows"), wide = p.param("block_cols");
    const double lanes = p.param("threads_per_row");
    const double unroll = std::clamp(std::floor(most_unrolled / (wide * (high + 1) * p.vector)),
                                     1.0, p.param("unroll"));
    const StripsFigures& strips = p.m.strips(p.s);
    const double limit = p.strips_limit(lanes);
    const double long_rows = p.lengths.rows(limit), long_entries = p.lengths.entries(limit);
    const double apart = 1 - long_entries / std::max(p.nnz, 1.0);
    const double chunks = long_entries / (warp * warp) + 0.5 * long_rows;
    const double in_strips = std::max(strips.stored - strips.long_entries, 0.0);
    GpuWork w;
    w.bytes = in_strips * apart * p.value + strips.index_bytes * apart +
              long_entries * (p.value + p.index) + p.vectors_bytes();
    w.near = apart * p.nnz * p.x_near(lanes) / high + long_entries * p.x_near(warp) +
             (w.bytes - p.vectors_bytes()) / sector + p.dictionary_near(in_strips * apart);
    w.far = p.far(p.block / lanes * high);
    const double groups = p.rows / high * lanes / warp;
    const double rounds = strips.strips * apart;
    // Strips of a slice beyond a multiple of unroll.
    const double whole = p.lengths.rounds(lanes * wide);
    const double rounded = whole > 0 ? p.lengths.rounds(lanes * wide * unroll) / whole : 1 / unroll;
    w.steps = rounds * high * wide * (1 + unroll * rounded) / 2 + long_entries / warp + groups;
    w.waits = rounds * rounded + groups * begin_waits + chunks * (warp / unroll + begin_waits);
    w.resident =
        resident_warps(unroll * (high * wide * std::max(p.value, 4.0) + p.index + wide * p.vector) +
                       high * p.vector);
    w.depth = std::ceil(std::min(p.longest, limit) / wide / lanes / unroll) + begin_waits +
              (long_rows > 0 ? 2 : 0);
    w.ahead = start_waits;
    w.warps = groups + chunks;
    w.blocks = w.warps * warp / p.block;
    w.rows = p.rows;
    w.atomics = chunks;
    w.rows_apart = p.is_sorted() || p.param("any_order", 0) == 1;
    if (p.param("any_order", 0) == 1) {
        w.bytes += p.rows * p.index;
        w.near += p.rows;
        w.far += p.rows;
    }
    return w;
}

constexpr std::int64_t narrow_sorting_window = 256;  ///< of strips of few rows,
constexpr std::int64_t most_narrow_rows = 1 << 18;   ///< these

/// Whether neighbouring rows are those of a cluster, which sorting more of them would undo.
bool has_clusters(const Situation& s) {
    const auto any_order = s.request.params.find("any_order");
    return any_order != s.request.params.end() && any_order->second == 1;
}

void choose_strips(ParamChoice& c) {
    choose_slices(c, false);
    c.put("block", block_threads(vectors_type(c.request(), c.value_type())));
    if (c.when(sorting_saves))
        c.set("sigma", Values{narrow_sorting_window, gpu_sorting_window}, [](const Situation& s) {
            return s.f.rows < most_narrow_rows || has_clusters(s) ? narrow_sorting_window
                                                                  : gpu_sorting_window;
        });
}

std::vector<Params> strips_grid(const Situation& s, const BlockFill&) {
    const std::vector<std::int64_t> windows =
        has_clusters(s) ? std::vector<std::int64_t>{1, cluster_rows}
                        : std::vector<std::int64_t>{1, narrow_sorting_window, 4096};
    return ParamSets()
        .with("threads_per_row", lanes_for(s.f.mean_row, 32))
        .with("sigma", spmvgen::sorting_windows(s, windows))
        .beside_the_plan();
}

}  // namespace
}  // namespace gpu

extern constexpr KernelPlans strips_plans{
    {.kernel = "strips_cpu",
     .choose = cpu::choose_strips_cpu,
     .grid = cpu::strips_cpu_grid,
     .cpu_work = cpu::strips_work},
    {.kernel = "strips",
     .choose = gpu::choose_strips,
     .grid = gpu::strips_grid,
     .gpu_work = gpu::strips_work},
};

}  // namespace spmvgen
