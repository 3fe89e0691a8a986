#include "tuner/cost/gpu_work.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "tuner/cost/figures/row_steps.hpp"
#include "tuner/cost/gpu_problem.hpp"

namespace spmvgen {
namespace {

using gpu::Problem, gpu::resident_warps, gpu::begin_waits, gpu::sector, gpu::warp;

constexpr double scan_waits =
    3;  ///< of a warp that joins its lanes' sums: as long as so many loads
/// An entry whose x is in shared memory: what its conflicts of banks take, in sectors of x.
constexpr double shared_sectors = 0.25;
constexpr double row_end_steps = 3;  ///< of a tile that stores rows' sums through shared memory

/// A subwarp a row, as CSR's kernels have it.
GpuWork rows_work(const Problem& p) {
    const double lanes = p.param("subwarp"), unroll = p.param("unroll");
    const double neighbours = warp / lanes, groups = p.rows / neighbours;
    const double uneven = longest_over_mean(p.f, static_cast<int>(neighbours));
    GpuWork w;
    w.bytes = p.csr_bytes();
    w.near = p.nnz * p.x_near(lanes) + p.row_near(lanes);
    w.far = p.far(p.block / lanes);
    w.steps = p.steps(lanes, unroll) / neighbours * uneven + groups;
    w.waits = p.lengths.rounds(lanes * unroll) / neighbours * uneven + groups * begin_waits;
    w.depth = std::ceil(p.longest / lanes / unroll) + begin_waits;
    w.warps = groups;
    w.blocks = p.rows * lanes / p.block;
    w.resident = resident_warps(p.loaded(unroll));
    w.rows = p.rows;
    return w;
}

GpuWork by_length_work(const Problem& p) {
    const double lanes = p.param("subwarp"), unroll = p.param("unroll");
    const double most_short = p.param("most_short"), share = p.param("share");
    const double most_middle = std::max(most_short, p.param("most_middle"));
    const double long_rows = p.lengths.rows(most_middle);
    const double long_entries = p.lengths.entries(most_middle);
    const double parts = long_entries / share + 0.5 * long_rows;
    const double middle_rows = p.lengths.rows(most_short, most_middle);
    const double middle_entries = p.lengths.entries(most_short, most_middle);
    const double groups = p.rows * lanes / warp;
    const double short_entries = p.nnz - middle_entries - long_entries;
    // Rows that are not short have no entries here.
    const double uneven =
        std::min(longest_over_mean(p.f, static_cast<int>(warp / lanes)),
                 p.lengths.longest_over_mean(warp / lanes, most_short,
                                             p.rows - p.lengths.rows(0, most_short)));
    GpuWork w;
    w.bytes = p.csr_bytes() + middle_rows * (p.index + 2 * p.offset) +
              parts * (3 * p.index + 2 * p.offset);
    const double wide = middle_entries + long_entries;
    w.near = short_entries * p.x_near(lanes) + wide * p.x_near(warp) +
             p.row_near(lanes) * short_entries / std::max(p.nnz, 1.0) + p.a_near(wide);
    w.far = p.far(p.block / lanes) * short_entries / std::max(p.nnz, 1.0) +
            p.far(p.block / warp) * wide / std::max(p.nnz, 1.0);
    const auto steps = [&](const auto& of) {
        return of(lanes, 0.0, most_short) * lanes / warp * uneven +
               of(warp, most_short, most_middle);
    };
    const double part_warps = parts * p.block / warp;
    w.warps = groups + middle_rows + part_warps;
    w.steps = steps([&](double n, double above, double most) {
                  return p.steps(n, unroll, above, most);
              }) +
              long_entries / warp + w.warps;
    w.waits = steps([&](double n, double above, double most) {
                  return p.lengths.rounds(n * unroll, above, most);
              }) +
              long_entries / warp / unroll + begin_waits * w.warps;
    w.resident = resident_warps(p.loaded(unroll));
    const double part = std::min(p.longest, share) / p.block / unroll;
    const double middle = std::min(p.longest, most_middle) / warp / unroll;
    w.depth = begin_waits + std::max({std::ceil(std::min(p.longest, most_short) / lanes / unroll),
                                      std::ceil(middle), long_rows > 0 ? std::ceil(part) + 2 : 0});
    w.blocks = w.warps * warp / p.block;
    w.rows = p.rows;
    w.atomics = 2 * parts;
    return w;
}

GpuWork sell_work(const Problem& p) {
    const double lanes = p.param("threads_per_row"), unroll = p.param("unroll");
    const double padding = p.slice_padding(p.param("slice", warp));
    const double groups = p.rows * lanes / warp;
    GpuWork w;
    w.bytes = p.nnz * padding * (p.value + p.index) + p.rows / warp * p.offset +
              (p.is_sorted() ? p.rows * p.index : 0) + p.vectors_bytes();
    w.near = p.nnz * p.x_near(lanes) + p.a_near(p.nnz * padding);
    w.far = p.far(p.block / lanes);
    w.steps = p.steps(lanes, unroll) * lanes / warp * padding + groups;
    w.resident = resident_warps(p.loaded(unroll));
    w.waits = p.lengths.rounds(lanes * unroll) * lanes / warp * padding + groups * begin_waits;
    w.depth = std::ceil(p.longest / lanes / unroll) + begin_waits;
    w.warps = groups;
    w.blocks = p.rows * lanes / p.block;
    w.rows = p.rows;
    return w;
}

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
    w.warps = groups + chunks;
    w.blocks = w.warps * warp / p.block;
    w.rows = p.rows;
    w.atomics = chunks;
    if (p.param("any_order", 0) == 1) {
        w.bytes += p.rows * p.index;
        w.near += p.rows;
        w.far += p.rows;
    }
    return w;
}

GpuWork blocks_work(const Problem& p) {
    const double high = p.param("block_rows"), wide = p.param("block_cols");
    constexpr double most_unrolled = 256;  // bytes
    const double lanes = p.param("subwarp");
    const double unroll =
        std::clamp(std::floor(most_unrolled / (high * wide * p.value)), 1.0, p.param("unroll"));
    const double fill =
        high * wide > 1 ? p.m.fill().at(static_cast<int>(high), static_cast<int>(wide)) : 1;
    const double stored = p.nnz * fill, blocks = stored / (high * wide);
    const double groups = p.rows / high * lanes / warp, neighbours = warp / lanes;
    const double uneven =
        longest_over_mean(p.f, static_cast<int>(std::min(warp, neighbours * high)));
    GpuWork w;
    w.bytes = stored * p.value + blocks * p.index + p.rows / high * p.offset + p.vectors_bytes();
    w.near = p.nnz * fill * p.x_near(std::min(lanes * wide, warp)) / high +
             (wide > 1 ? p.a_near(stored) : p.row_near(lanes));
    w.far = p.far(p.block / lanes * high);
    const double a_row = wide * fill;  // entries of a row that a block takes, fill left out
    w.steps =
        p.steps(std::max(1.0, lanes * wide / fill), unroll) / neighbours * uneven * wide + groups;
    w.resident = resident_warps(unroll * (high * wide * p.value + p.index + wide * p.vector) +
                                high * p.vector);
    w.waits =
        p.lengths.rounds(std::max(1.0, lanes * unroll * wide / fill)) / high / neighbours * uneven +
        groups * begin_waits;
    w.depth = std::ceil(p.longest / a_row / lanes / unroll) + begin_waits;
    w.warps = groups;
    w.blocks = p.rows / high * lanes / p.block;
    w.rows = p.rows;
    return w;
}

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
    w.bytes = p.nnz * (p.value + p.index + 1.0 / 8) + 12 * runs + p.vectors_bytes() +
              (p.param("gaps", 0) > 0 ? p.rows * p.index + written_twice(p) : 0);
    w.near = p.nnz * (1 - share) * p.of_vector(p.m.tile_sectors(static_cast<std::int64_t>(items))) +
             p.a_near(p.nnz) + p.nnz / 8 / sector + p.dictionary_near(p.nnz);
    const double height = p.block * items * (hubs ? 1 : run) / std::max(p.f.mean_row, 0.1);
    w.far = (1 - share) * p.far(height);
    w.steps = p.nnz / warp + tiles * walks.mean + row_end_steps * p.rows / warp;
    w.waits = tiles * (1 + walks.mean) + runs * begin_waits;
    w.depth = run * (walked + walks.most) + begin_waits + scan_waits;
    w.resident = resident_warps(p.loaded(items));
    w.warps = runs;
    w.blocks = runs * warp / p.block;
    if (hubs) {
        w.near += p.nnz * share * shared_sectors;
        w.resident = p.param("per_unit") * p.block / warp;
        // Each block loads them, and takes several runs.
        const double loads = p.param("hubs") * p.param("per_unit") * p.units;
        w.near += loads * p.vector / sector;
        w.far += loads * p.vector / sector;
        w.steps += loads / warp;
        const double warps = p.param("per_unit") * p.units * p.block / warp;
        w.depth = std::ceil(p.param("hubs") / p.block / 4) +
                  std::ceil(runs / warps) * run * (walked + walks.most) + begin_waits + scan_waits;
        w.warps = std::min(runs, warps);
        w.blocks = w.warps * warp / p.block;
    }
    w.rows = p.rows;
    w.atomics = runs;
    return w;
}

/// Entries in equal shares, rows ended by atomic additions.
GpuWork shared_entries(const Problem& p, double chunk, double bytes, double atomics) {
    GpuWork w;
    w.launches = 2;
    w.bytes = bytes + p.vectors_bytes() + p.rows * p.vector;
    w.near = p.nnz * p.of_vector(p.f.run_sectors) + p.a_near(p.nnz);
    w.far = p.far(chunk * p.block / warp / std::max(p.f.mean_row, 0.1));
    w.steps = p.nnz / warp;
    w.warps = p.nnz / chunk;
    w.waits = w.warps * (begin_waits + 1);
    w.depth = begin_waits + 2;
    w.blocks = w.warps * warp / p.block;
    w.rows = p.rows;
    w.atomics = atomics;
    return w;
}

GpuWork load_balance_work(const Problem& p) {
    const double chunk = warp * p.param("entries");
    return shared_entries(p, chunk, p.nnz * (p.value + p.index) + p.rows * p.offset,
                          2 * p.nnz / chunk);
}

/// Rows are stored once more behind the launch that clears y; those that warps cut, added.
GpuWork coo_work(const Problem& p) {
    constexpr double scaled_rows = 4;  // of a thread that clears y
    const double chunk = warp * p.param("entries");
    const double filled = p.rows - static_cast<double>(p.f.empty_rows);
    GpuWork w = shared_entries(p, chunk, p.nnz * (p.value + 2 * p.index), 2 * p.nnz / chunk);
    w.bytes -= (p.rows - filled) * p.vector;
    w.rows = filled + p.rows / scaled_rows;
    return w;
}

struct KernelWork {
    std::string_view kernel;
    GpuWork (*work)(const Problem&);
};

constexpr KernelWork works[] = {{"csr_classical", rows_work},
                                {"csr_by_length", by_length_work},
                                {"csr_load_balance", load_balance_work},
                                {"coo", coo_work},
                                {"sell_slices", sell_work},
                                {"bcsr_fused", blocks_work},
                                {"strips", strips_work},
                                {"tiles", tiles_work},
                                {"tiles_hubs", tiles_work}};

}  // namespace

std::optional<GpuWork> gpu_work(MatrixFigures& figures, const Signature& signature, double units) {
    const auto found = std::ranges::find(works, signature.kernel, &KernelWork::kernel);
    if (found == std::end(works) || signature.num_rhs != 1) return std::nullopt;
    return found->work(Problem(figures, signature, units));
}

}  // namespace spmvgen
