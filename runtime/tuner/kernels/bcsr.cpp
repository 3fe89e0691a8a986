#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tuner/cost/figures/row_steps.hpp"
#include "tuner/cost/figures/subwarp.hpp"
#include "tuner/plan/gpu_several_grids.hpp"
#include "tuner/plan/gpu_several_vectors.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen {
namespace {

/// The block size that the request's blocks say.
void choose_block_size(ParamChoice& c) {
    const auto& blocks = c.request().blocks;
    if (!blocks) return;
    c.put("block_rows", blocks->rows);
    c.put("block_cols", blocks->cols);
}

}  // namespace

namespace cpu {
namespace {

constexpr double most_cpu_fill = 1.6;       ///< stored entries over nonzeros in blocks
constexpr std::size_t most_blocks = 6;      ///< sizes of blocks, those of the fewest bytes
constexpr double index_bytes = 4;           ///< of a block, for which sizes are compared
constexpr double least_narrow_bytes = 4e6;  ///< what a core's own caches do not hold

CpuWork blocks_work(const Problem& p) {
    const double high = p.param("block_rows"), wide = p.param("block_cols");
    const double longer = std::max(high, wide), shorter = std::min(high, wide);
    const double fill =
        high * wide > 1 ? p.m.fill().at(static_cast<int>(high), static_cast<int>(wide)) : 1;
    const double blocks = p.nnz * fill / (high * wide), rows = std::ceil(p.rows / high);
    CpuWork w = p.of_any(blocks * (high * wide * p.value + p.index) + rows * p.offset);
    w.near = blocks * p.registers(wide);  // neighbours in x are loaded together
    w.steps = blocks * shorter * p.registers(longer) + p.rows;
    w.rows = rows;
    w.turns = rows * p.m.row_turns(std::max<std::int64_t>(1, std::llround(wide / fill)), 1);
    w.busiest = p.m.busiest(p.threads, false);
    return w;
}

/// Sizes of blocks that take the fewest bytes.
std::vector<Params> blocks_grid(const Situation& s, const BlockFill& fill) {
    const auto value = static_cast<double>(size_of(stored_type(s.request, s.f.value_type)));
    std::vector<std::pair<double, Params>> sizes;
    for (int rows = 1; rows <= most_block; ++rows)
        for (int cols = 1; cols <= most_block; ++cols) {
            const double ratio = fill.at(rows, cols);
            if (rows * cols > 1 && ratio > 0 && ratio <= most_cpu_fill)
                sizes.push_back({ratio * (value + index_bytes / (rows * cols)),
                                 {{"block_rows", rows}, {"block_cols", cols}}});
        }
    std::ranges::stable_sort(sizes, {}, &std::pair<double, Params>::first);
    std::vector<Params> sets{{}};
    for (auto& size : sizes)
        if (sets.size() <= most_blocks) sets.push_back(size.second);
    return sets;
}

}  // namespace
}  // namespace cpu

namespace gpu {
namespace {

constexpr double most_fill = 1.6;              ///< stored entries over nonzeros in blocks
constexpr double further_column = 0.3;         ///< of a block, of the step of its first column
constexpr double further_row = 0.25;           ///< of a block that lanes share, of a step's loads
constexpr double values_under_way = 12;        ///< of a lane's blocks: the others wait for these
constexpr std::int64_t least_block_lanes = 4;  ///< for a row of blocks of several elements: with
                                               ///< fewer, too many of them are on their way at once

/// What memory moves of blocks' values over what is asked for. The k-th values of neighbouring
/// blocks lie together. Where a row has more blocks than its lanes load at a time, they ask for a
/// piece, and for the next one later. What a piece begins and ends in has left the caches by then.
double bytes_of_pieces(const Problem& p, double blocks_a_row, double unroll) {
    constexpr double burst = 64;  // bytes that memory moves at a time
    const double at_a_time = p.param("subwarp") * unroll;
    if (blocks_a_row <= at_a_time) return 1;
    return 1 + (burst - p.value) / (at_a_time * p.value);
}

/// Where lanes share blocks: each has sums of all rows of a block, and hands on its values.
GpuWork shared_blocks_work(const Problem& p) {
    const double high = p.param("block_rows"), wide = p.param("block_cols");
    const double lanes = p.param("subwarp"), unroll = p.param("unroll");
    const double fill = p.m.fill().at(static_cast<int>(high), static_cast<int>(wide));
    const double stored = p.nnz * fill, blocks = stored / (high * wide);
    const double block_rows = std::ceil(p.rows / high);
    const double neighbours = std::max(1.0, warp / lanes), groups = block_rows * lanes / warp;
    const double uneven =
        longest_over_mean(p.f, static_cast<int>(std::min(warp, neighbours * high)));
    const SharedOut shared = p.shared_out(lanes, unroll);
    // Blocks of a row of blocks, over its mean row's entries.
    const double a_row = wide / fill;
    const double side = shared.side * a_row;
    const double of_warp = std::max(1.0, lanes / warp) / neighbours / high;
    GpuWork w;
    w.bytes = p.vectors_bytes() +
              p.sharing.parts * (stored * p.value + blocks * p.index + block_rows * p.offset);
    w.near = blocks * wide * p.x_near(lanes) + p.sharing.parts * p.a_near(stored);
    w.far = std::min(p.far(p.block / lanes * high), w.near);
    w.steps = p.sharing.parts * (wide * (p.sharing.loads + further_row * (high - 1)) *
                                     p.steps(side, shared.turns) * of_warp * uneven +
                                 groups);
    w.waits = p.sharing.parts *
              (p.lengths.rounds(side * shared.turns) * of_warp * uneven + groups * begin_waits);
    w.depth = shared.waits(p.longest / a_row, high) + begin_waits;
    w.ahead = start_waits + begin_waits;
    w.warps = p.sharing.parts * groups;
    w.blocks = p.sharing.parts * block_rows * lanes / p.block;
    w.busiest = p.busiest_of(w.blocks, p.block / lanes * high);
    w.resident = p.resident(unroll);
    w.rows = p.rows;
    return w;
}

GpuWork blocks_work(const Problem& p) {
    if (p.s.num_rhs > 1) return shared_blocks_work(p);
    const double high = p.param("block_rows"), wide = p.param("block_cols");
    constexpr double most_unrolled = 256;  // bytes
    const double lanes = p.param("subwarp");
    const double block_bytes = high * wide * p.value + wide * p.vector;
    const double unroll =
        std::clamp(std::floor(most_unrolled / block_bytes), 1.0, p.param("unroll"));
    const double fill =
        high * wide > 1 ? p.m.fill().at(static_cast<int>(high), static_cast<int>(wide)) : 1;
    const double stored = p.nnz * fill, blocks = stored / (high * wide);
    const double groups = p.rows / high * lanes / warp, neighbours = warp / lanes;
    const double uneven =
        longest_over_mean(p.f, static_cast<int>(std::min(warp, neighbours * high)));
    GpuWork w;
    const double pieces = high * wide > 1 ? bytes_of_pieces(p, blocks * high / p.rows, unroll) : 1;
    w.bytes =
        stored * p.value * pieces + blocks * p.index + p.rows / high * p.offset + p.vectors_bytes();
    w.near = p.nnz * fill * p.x_near(std::min(lanes * wide, warp)) / high +
             (wide > 1 ? p.a_near(stored) : p.row_near(lanes));
    w.far = p.far(p.block / lanes * high);
    const double a_row = wide * fill;  // entries of a row that a block takes, fill left out
    const double columns = 1 + further_column * (wide - 1);
    w.steps = p.steps(std::max(1.0, lanes * wide / fill), unroll) / neighbours * uneven * columns +
              groups;
    w.resident = resident_warps(unroll * (high * wide * p.value + p.index + wide * p.vector) +
                                high * p.vector);
    // With one block at a time its column comes first, and then x.
    const double turns =
        std::max(1.0, unroll * high * wide / values_under_way) + (unroll < 2 ? 1 : 0);
    w.waits = turns * p.lengths.rounds(std::max(1.0, lanes * unroll * wide / fill)) / high /
                  neighbours * uneven +
              groups * begin_waits;
    w.depth = turns * std::ceil(p.longest / a_row / lanes / unroll) + begin_waits;
    w.ahead = start_waits + 1;
    w.warps = groups;
    w.blocks = p.rows / high * lanes / p.block;
    w.rows = p.rows;
    return w;
}

/// The block size, and so many lanes that each has two to four of the blocks that lie in a row.
void choose_blocks(ParamChoice& c) {
    choose_block_size(c);
    const Situation& s = c.situation();
    if (!s.request.blocks) {
        c.put("subwarp", choose_subwarp(s.f, c.wavefront()));
        return;
    }
    if (c.kernel().shares_entries != nullptr && s.request.num_rhs > 1 && shares_entries(s)) {
        c.put("subwarp", subwarp_of_blocks(s));
        c.put("unroll", pieces_of_blocks(s));
        return;
    }
    const double blocks =
        s.f.mean_row * s.request.blocks->fill / static_cast<double>(s.request.blocks->cols);
    std::int64_t lanes = 1;
    while (lanes < c.wavefront() && 4.0 * static_cast<double>(lanes) <= blocks) lanes *= 2;
    c.put("subwarp", lanes);
}

/// Sizes of blocks whose fill is low, and 1x1.
std::vector<Params> fused_grid(const Situation& s, const BlockFill& fill) {
    if (s.request.num_rhs > 1) return blocks_grid_of_many(s, fill);
    std::set<std::pair<int, int>> sizes{{1, 1}};
    if (s.request.blocks && s.request.blocks->fill <= most_fill)
        sizes.insert({s.request.blocks->rows, s.request.blocks->cols});
    for (const int n : {2, 3, 4})
        if (fill.at(n, n) > 0 && fill.at(n, n) <= most_fill) sizes.insert({n, n});
    std::vector<Params> sets;
    for (auto& [rows, cols] : sizes) {
        const double ratio = std::max(fill.at(rows, cols), 1.0);
        for (const std::int64_t lanes :
             lanes_for(s.f.mean_row * ratio / cols, s.request.target.wavefront))
            for (const std::int64_t unroll : {4, 8}) {
                const bool several = rows * cols > 1;
                if (several && (unroll == 8 || lanes < least_block_lanes)) continue;
                sets.push_back({{"block", 128},
                                {"block_rows", rows},
                                {"block_cols", cols},
                                {"subwarp", lanes},
                                {"unroll", unroll}});
            }
    }
    return sets;
}

}  // namespace
}  // namespace gpu

extern constexpr KernelPlans bcsr_plans{
    {.kernel = "bcsr",
     .choose = choose_block_size,
     .unlisted = true,
     .grid = cpu::blocks_grid,
     .cpu_work = cpu::blocks_work,
     .least_narrow_bytes = cpu::least_narrow_bytes},
    {.kernel = "bcsr_fused",
     .choose = gpu::choose_blocks,
     .unlisted = true,
     .grid = gpu::fused_grid,
     .gpu_work = gpu::blocks_work,
     .counts_several = true},
    {.kernel = "bcsr_split", .choose = gpu::choose_blocks, .unlisted = true},
};

}  // namespace spmvgen
