#include <algorithm>
#include <cmath>

#include "tuner/cost/figures/subwarp.hpp"
#include "tuner/plan/cpu_figures.hpp"
#include "tuner/plan/gpu_slices.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen {
namespace cpu {
namespace {

constexpr std::int64_t slices_of_window = 256;  ///< of RowFeatures::sell_sorted_padding

/// Columns of slices: SELL and ELL.
CpuWork slices_work(const Problem& p) {
    const double lanes = p.param("lanes"), height = lanes * p.param("unroll");
    const bool is_ell = p.s.kernel == "ell";
    const auto rows_of_slice = static_cast<std::int64_t>(height);
    const SlicesFigures& slices = p.m.slices(rows_of_slice, is_ell ? 1 : p.whole("sigma"));
    // Long rows are few, so the sample knows little of them; of other slices and windows than the
    // features', only the sample knows.
    const auto known = std::clamp<std::int64_t>(rows_of_slice, 8, 32);
    const double sampled = p.m.slices(known, p.is_sorted() ? known * slices_of_window : 1).padding;
    const double stored =
        p.nnz * std::max(1.0, p.slice_padding(height) * slices.padding / std::max(sampled, 1.0));
    const double count = std::ceil(p.rows / height);
    CpuWork w = p.of_any(stored * (p.value + p.index) + 2 * count * p.offset +
                         (p.is_sorted() ? p.rows * p.index : 0));
    w.near = stored;
    w.steps = stored / lanes * p.registers(lanes) + (p.is_sorted() ? p.rows : 0);
    w.rows = ends_of_slice * count;
    w.turns = count * slices.turns;
    w.busiest = is_ell ? p.m.busiest(p.threads, true) : p.busiest_of(p.longest, stored / height);
    return w;
}

/// Sorted where that pads less; prefetched from memory.
void choose_sell(ParamChoice& c) {
    if (c.when([](const Situation& s) {
            return padding(s) > even_padding && sorted_padding(s) < padding(s);
        }))
        c.set("sigma", Values{1, 256, 4096}, sorting_window);
    if (c.request().num_rhs == 1) c.set("prefetch", Values{0, far_ahead}, prefetch_ahead);
}

std::vector<Params> ell_grid(const Situation& s, const BlockFill&) {
    return ParamSets()
        .with("lanes", {std::max<std::int64_t>(2, register_lanes(s))})
        .with("unroll", {1, 2, 4})
        .beside_the_plan();
}

std::vector<Params> sell_grid(const Situation& s, const BlockFill&) {
    const std::int64_t lanes = std::max<std::int64_t>(2, register_lanes(s));
    const std::vector<std::int64_t> windows = sorting_windows(s);
    std::vector<Params> sets = ParamSets()
                                   .with("lanes", {lanes})
                                   .with("unroll", {1, 2, 4})
                                   .with("sigma", windows)
                                   .beside_the_plan();
    const ParamSets high = ParamSets()
                               .with("lanes", {std::min<std::int64_t>(2 * lanes, 16)})
                               .with("unroll", {1, 2})
                               .with("sigma", windows);
    sets.insert(sets.end(), high.all().begin(), high.all().end());
    return sets;
}

}  // namespace
}  // namespace cpu

namespace gpu {
namespace {

/// What lanes do, of which `lanes` share a row of slices of `height` rows, without sectors of x.
GpuWork padded_rows(const Problem& p, double lanes, double height) {
    const double unroll = p.param("unroll"), padding = p.slice_padding(height);
    const double groups = p.rows * lanes / warp;
    GpuWork w;
    w.bytes = p.nnz * padding * (p.value + p.index) + p.vectors_bytes();
    w.near = p.a_near(p.nnz * padding);
    w.steps = p.steps(lanes, unroll) * lanes / warp * padding + groups;
    w.resident = resident_warps(p.loaded(unroll));
    w.waits = p.lengths.rounds(lanes * unroll) * lanes / warp * padding + groups * begin_waits;
    w.depth = std::ceil(p.longest / lanes / unroll) + begin_waits;
    w.warps = groups;
    w.blocks = p.rows * lanes / p.block;
    w.rows = p.rows;
    return w;
}

GpuWork sell_work(const Problem& p) {
    const double lanes = p.param("threads_per_row");
    GpuWork w = padded_rows(p, lanes, p.param("slice", warp));
    w.bytes += p.rows / warp * p.offset + (p.is_sorted() ? p.rows * p.index : 0);
    w.near += p.nnz * p.x_near(lanes);
    w.far = p.far(p.block / lanes);
    w.in_step = lanes == 1;
    w.busiest = p.busiest_of(w.blocks, p.block / lanes);
    w.rows_apart = p.is_sorted();
    w.ahead = p.begun_ahead(p.param("unroll"));
    return w;
}

/// Groups of a block's threads share a row, and several blocks may; neighbouring lanes have
/// neighbouring rows, whose sums a warp adds at once.
GpuWork ell_groups_work(const Problem& p) {
    const double groups = p.param("groups"), sharing = p.param("blocks_per_row");
    GpuWork w = padded_rows(p, groups * sharing, warp);
    w.launches = sharing > 1 ? 2 : 1;
    w.near += p.nnz * p.x_near(1);
    w.far = p.far(p.block / groups);
    w.in_step = groups * sharing == 1;
    w.atomics = sharing > 1 ? p.rows * sharing / warp : 0;
    return w;
}

/// Of kernels that are never the fastest by much, and hard to predict.
std::vector<Params> no_grid(const Situation&, const BlockFill&) {
    return {};
}

/// Groups for wide rows, and more blocks where there are few of them: Algorithm 5 of Tsai, Cojean &
/// Anzt, ISC 2020.
void choose_ell_groups(ParamChoice& c) {
    constexpr std::int64_t most_groups = 16;
    // Unless ELL is asked for, rules lead to it for few long rows only.
    const bool any_width = c.request().format != "auto" || c.request().kernel != "auto";
    const auto wanted = [](const Situation& s) {
        const std::int64_t width = s.f.max_row, rows = std::max<std::int64_t>(s.f.rows, 1);
        std::int64_t groups = 1;
        if (static_cast<double>(width) / static_cast<double>(rows) <= 1e-2) return groups;
        while (groups < most_groups && groups < width) groups *= 2;
        return groups;
    };
    const std::int64_t groups =
        c.set("groups", any_width ? Values::powers(1, most_groups) : Values{most_groups}, wanted);
    if (groups < most_groups) return;
    c.set("blocks_per_row", Values::powers(1, 512), [](const Situation& s) {
        const std::int64_t wavefronts =
            std::int64_t{s.request.units} * architecture(s.request.target).gpu.max_wavefronts;
        return std::max<std::int64_t>(
            1,
            std::min(s.f.max_row / most_groups, wavefronts / std::max<std::int64_t>(s.f.rows, 1)));
    });
}

void choose_ell_shuffle(ParamChoice& c) {
    c.set("group", Values::powers(1, c.wavefront()), [](const Situation& s) {
        const int wavefront = s.request.target.wavefront;
        return std::min<std::int64_t>(wavefront, subwarp_of_longest_row(s.f, wavefront));
    });
}

void choose_sell_slices(ParamChoice& c) {
    choose_slices(c, true);
    if (c.when(sorting_saves)) c.put("sigma", gpu_sorting_window);
}

std::vector<Params> sell_slices_grid(const Situation& s, const BlockFill&) {
    constexpr std::int64_t small_blocks_below = 50'000;  // entries: each multiprocessor has one
    const std::int64_t block = s.f.nnz < small_blocks_below ? 128 : 256;
    std::vector<Params> sets{{}};
    for (const std::int64_t lanes : lanes_for(s.f.mean_row, 32)) {
        std::vector<std::int64_t> unrolls{4, 8};
        if (lanes > 2) unrolls = {slice_unroll_of_lanes(s.request, true)};
        if (lanes == 1 && s.f.mean_row < 4) unrolls = {2, 4, 8};
        const ParamSets more =
            ParamSets()
                .with("block", {block})
                .with("threads_per_row", {lanes})
                .with("unroll", unrolls)
                .with("sigma", spmvgen::sorting_windows(s, {1, gpu_sorting_window}));
        sets.insert(sets.end(), more.all().begin(), more.all().end());
    }
    return with_few_blocks(s, std::move(sets), blocks_of_rows(s, "threads_per_row"));
}

/// Many threads with few entries for a COO part that is small.
void choose_hyb(ParamChoice& c) {
    constexpr std::int64_t small_tail = 4'000'000;  // entries, on an H200
    c.set("per_thread", Values{4, 16},
          [](const Situation& s) { return s.f.nnz < small_tail ? 4 : 16; });
}

}  // namespace
}  // namespace gpu

extern constexpr KernelPlans padded_plans{
    {.kernel = "ell", .grid = cpu::ell_grid, .counted_as = "sell", .cpu_work = cpu::slices_work},
    {.kernel = "sell",
     .choose = cpu::choose_sell,
     .grid = cpu::sell_grid,
     .cpu_work = cpu::slices_work},
    {.kernel = "ell_groups",
     .choose = gpu::choose_ell_groups,
     .grid = gpu::no_grid,
     .gpu_work = gpu::ell_groups_work},
    {.kernel = "ell_shuffle", .choose = gpu::choose_ell_shuffle},
    {.kernel = "sell_slices",
     .choose = gpu::choose_sell_slices,
     .grid = gpu::sell_slices_grid,
     .gpu_work = gpu::sell_work},
    {.kernel = "hyb", .choose = gpu::choose_hyb, .grid = gpu::no_grid},
};

}  // namespace spmvgen
