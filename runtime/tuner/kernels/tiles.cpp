#include <algorithm>
#include <cmath>

#include "tuner/plan/gpu_figures.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen {
namespace gpu {
namespace {

constexpr double scan_waits =
    3;  ///< of a warp that joins its lanes' sums: as long as so many loads
/// An entry whose x is in shared memory: what its conflicts of banks take, in sectors of x.
constexpr double shared_sectors = 0.25;
constexpr double loaded_at_once = 8192;  ///< bytes of hubs, of a multiprocessor, in a load's time
constexpr double row_end_steps = 3;      ///< of a tile that stores rows' sums through shared memory

/// Rounds in which a tile of so many entries stores the sums of the rows that end in it, for the
/// mean tile and for the one that has the shortest rows.
struct TileWalks {
    double mean = 0, most = 1;
};

TileWalks tile_walks(const Problem& p, double tile, double staged) {
    TileWalks walks;
    double counted = 0;
    for (double length = 1; length <= p.longest; length *= 2) {
        // The mean length of a class of the histogram is 3/4 of where the next one begins.
        const double entries = p.lengths.entries(length - 1, 2 * length - 1);
        if (entries == 0) continue;
        const double rounds = std::max(1.0, std::ceil(tile / (1.5 * length) / staged));
        walks.mean += entries * rounds;
        counted += entries;
        if (entries >= tile) walks.most = std::max(walks.most, rounds);
    }
    walks.mean = counted > 0 ? walks.mean / counted : 1;
    return walks;
}

/// Bytes of y in sectors that have both rows with entries and empty ones, where each of the two is
/// written by others.
double written_twice(const Problem& p) {
    const double in_sector = sector / p.vector;
    const double empty = static_cast<double>(p.f.empty_rows) / std::max(p.rows, 1.0);
    const double both = 1 - std::pow(empty, in_sector) - std::pow(1 - empty, in_sector);
    return 2 * p.rows * p.vector * std::max(both, 0.0);
}

GpuWork tiles_work(const Problem& p) {
    const double items = p.param("items"), run = p.param("run");
    const double tiles = p.nnz / (warp * items), runs = tiles / run;
    const bool hubs = p.s.kernel == "tiles_hubs";
    const double share = hubs ? p.m.hub_share(static_cast<std::int64_t>(p.param("hubs"))) : 0;
    const TileWalks walks = tile_walks(p, warp * items, p.param("staged", 64));
    const double walked = items / 8;  // of a lane's entries, one after the other: as so many loads
    GpuWork w;
    w.launches = hubs ? 2 : 1;
    w.bytes = p.nnz * (p.value + p.index + 1.0 / 8) + 12 * runs + p.vectors_bytes();
    if (p.param("gaps", 0) > 0) {
        w.in_parts = written_twice(p);
        w.bytes += p.rows * p.index + w.in_parts;
    }
    w.near = p.nnz * (1 - share) * p.of_vector(p.m.tile_sectors(static_cast<std::int64_t>(items))) +
             p.a_near(p.nnz) + p.nnz / 8 / sector + p.dictionary_near(p.nnz);
    const double height = p.block * items * (hubs ? 1 : run) / std::max(p.f.mean_row, 0.1);
    w.far = (1 - share) * p.far(height);
    w.steps = p.nnz / warp + tiles * walks.mean + row_end_steps * p.rows / warp;
    w.waits = tiles * (1 + walks.mean) + runs * begin_waits;
    w.depth = run * (walked + walks.most) + begin_waits + scan_waits;
    w.ahead = start_waits;
    w.resident = resident_warps(p.loaded(items));
    w.warps = runs;
    w.blocks = runs * warp / p.block;
    if (hubs) {
        w.near += p.nnz * share * shared_sectors;
        w.resident = p.param("per_unit") * p.block / warp;
        // Each block loads them before anything else, and takes several runs.
        const double warps = p.param("per_unit") * p.units * p.block / warp;
        const double blocks = std::min(runs * warp / p.block, p.param("per_unit") * p.units);
        const double of_unit = std::clamp(blocks / p.units, 1.0, p.param("per_unit"));
        const double loads = p.param("hubs") * of_unit;
        w.steps += loads * p.units / warp;
        // Of so many tiles a warp has hardly only those with the shortest rows.
        const double of_run = run * (walked + walks.mean) + begin_waits;
        w.depth = std::ceil(loads * p.vector / loaded_at_once) + of_run + scan_waits;
        // The last runs of all keep as many warps waiting as if each had one.
        w.waits = std::min(runs, warps) * std::ceil(runs / warps) * of_run;
        w.blocks = std::min(runs, warps) * warp / p.block;
    }
    // The parts of a row meet in a tree, whose levels wait for each other as loads do.
    w.depth += std::log2(std::max(p.longest / (warp * items * run), 1.0));
    w.rows = p.rows;
    w.rows_apart = true;
    w.atomics = runs;
    return w;
}

constexpr std::int64_t lane_items = 8;  ///< entries of a lane in a tile
constexpr std::int64_t most_run = 4, most_run_of_hubs = 32, least_staged = 32;

/// Where the warps that are resident can take all tiles in one run of up to four each, that run;
/// else two tiles: longer runs end at more different times.
std::int64_t run_of(const Situation& s) {
    constexpr std::int64_t usual_run = 2;
    const std::int64_t tile = lane_items * s.request.target.wavefront;
    const std::int64_t fitting = architecture(s.request.target).gpu.max_wavefronts / 2;
    const auto warps = static_cast<std::int64_t>(units_of(s.request)) * fitting;
    for (std::int64_t run = 1; run <= most_run; run *= 2)
        if (s.f.nnz <= run * tile * warps) return run;
    return usual_run;
}

/// Warps of tiles_hubs, each of which takes run after run.
std::int64_t warps_of_hubs(const Situation& s) {
    const HubBlocks blocks = hub_blocks(s.request, s.f.value_type);
    const std::int64_t threads = blocks.threads * blocks.of_unit;
    return std::max<std::int64_t>(
        1, threads * static_cast<std::int64_t>(units_of(s.request)) / s.request.target.wavefront);
}

/// So many tiles that the warps end at about the same time, and begin few runs: to begin one takes
/// as long as a tile.
std::int64_t run_of_hubs(const Situation& s) {
    const std::int64_t items = given(s, "items", lane_items);
    const double tiles = static_cast<double>(s.f.nnz) /
                         static_cast<double>(items * s.request.target.wavefront * warps_of_hubs(s));
    const auto steps = [&](std::int64_t run) {
        const auto of_run = static_cast<double>(run);
        return std::ceil(tiles / of_run) * (of_run + 1);
    };
    std::int64_t best = 1;
    for (std::int64_t run = 2; run <= most_run_of_hubs; run *= 2)
        if (steps(run) < steps(best)) best = run;
    return best;
}

/// Places for about as many rows as a tile ends.
std::int64_t staged_of(const Situation& s, std::int64_t most) {
    constexpr double room = 1.25;  // for tiles with more rows than the mean
    const auto filled = static_cast<double>(s.f.rows - s.f.empty_rows);
    const double ended = room * static_cast<double>(lane_items * s.request.target.wavefront) *
                         filled / static_cast<double>(std::max<std::int64_t>(s.f.nnz, 1));
    std::int64_t staged = least_staged;
    while (staged < most && static_cast<double>(staged) < ended) staged *= 2;
    return staged;
}

void choose_staged(ParamChoice& c, std::int64_t most) {
    c.set("staged", Values::powers(least_staged, most),
          [&](const Situation& s) { return staged_of(s, most); });
}

void choose_tiles(ParamChoice& c) {
    c.set("run", Values::powers(1, most_run), run_of);
    choose_staged(c, 256);
    c.put("block", block_threads(vectors_type(c.request(), c.value_type())));
    c.may_be_picked({many_entries_params(), shared_gathers_params()});
}

std::vector<Params> tiles_grid(const Situation& s, const BlockFill&) {
    return ParamSets()
        .with("block", {128})
        .with("items", {8, 16})
        .with("run", s.f.nnz < 1'000'000 ? std::vector<std::int64_t>{1, 2}
                                         : std::vector<std::int64_t>{1, 2, 4, 8})
        .beside_the_plan();
}

void choose_tiles_hubs(ParamChoice& c) {
    const HubBlocks blocks = hub_blocks(c.request(), c.value_type());
    c.put("block", blocks.threads);
    c.put("per_unit", blocks.of_unit);
    c.set("run", Values::powers(1, most_run_of_hubs), run_of_hubs);
    choose_staged(c, most_staged_of_hubs);
    c.put("hubs", blocks.hubs);  // where nothing is known of the columns
}

}  // namespace
}  // namespace gpu

extern constexpr KernelPlans tiles_plans{
    {.kernel = "tiles",
     .choose = gpu::choose_tiles,
     .grid = gpu::tiles_grid,
     .gpu_work = gpu::tiles_work},
    {.kernel = "tiles_hubs", .choose = gpu::choose_tiles_hubs, .gpu_work = gpu::tiles_work},
};

}  // namespace spmvgen
