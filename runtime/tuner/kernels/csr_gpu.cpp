#include <algorithm>
#include <cmath>

#include "tuner/cost/figures/row_steps.hpp"
#include "tuner/cost/figures/subwarp.hpp"
#include "tuner/csr_k/csr_k.hpp"
#include "tuner/plan/gpu_figures.hpp"
#include "tuner/plan/gpu_several_grids.hpp"
#include "tuner/plan/gpu_several_vectors.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen {
namespace gpu {
namespace {

/// A subwarp a row, as CSR's kernels have it.
GpuWork rows_work(const Problem& p) {
    const double lanes = p.param("subwarp"), unroll = p.param("unroll");
    const double neighbours = warp / lanes, groups = p.rows / neighbours;
    const double uneven = longest_over_mean(p.f, static_cast<int>(neighbours));
    const SharedOut shared = p.shared_out(lanes, unroll);
    GpuWork w;
    w.bytes = p.csr_bytes() + (p.sharing.parts - 1) * p.a_bytes();
    w.near = p.nnz * p.x_near(lanes) + p.sharing.parts * p.row_near(lanes);
    w.far = p.far(p.block / lanes);
    w.steps = p.sharing.parts *
              (p.sharing.loads * p.steps(shared.side, shared.turns) / neighbours * uneven + groups);
    w.waits = p.sharing.parts * (p.waits(shared) / neighbours * uneven + groups * begin_waits);
    w.depth = shared.waits(p.longest) + begin_waits;
    w.ahead = p.begun_ahead(unroll);
    w.warps = p.sharing.parts * groups;
    w.blocks = p.sharing.parts * p.rows * lanes / p.block;
    w.busiest = p.busiest_of(w.blocks, p.block / lanes);
    w.resident = p.resident(unroll);
    w.rows = p.rows;
    return w;
}

/// Loads that wait for each other, of the longest row of each class of lengths that has rows at
/// all. Only parts of a row that several blocks take meet.
double by_length_depth(const Problem& p, double lanes, double most_short, double most_middle) {
    constexpr double meeting_waits = 2;
    const double share = p.param("share");
    const auto rounds_of = [&](double entries, double all) {
        return p.shared_out(all, p.param("unroll")).waits(entries);
    };
    const double middle = p.lengths.longest(most_middle);
    double rounds = rounds_of(p.lengths.longest(most_short), lanes);
    if (middle > most_short) rounds = std::max(rounds, rounds_of(middle, warp));
    if (p.longest > most_middle) {
        const double of_part = rounds_of(std::min(p.longest, share), p.block);
        rounds = std::max(rounds, of_part + (p.longest > share ? meeting_waits : 0));
    }
    return begin_waits + rounds;
}

/// What csr_by_length's threads share out: rows that are not short, to warps, and parts of long
/// rows, to blocks.
struct LengthClasses {
    double middle_rows, cut_parts, parts;  ///< of parts those of rows that several blocks share

    LengthClasses(const LengthHistogram& lengths, double most_short, double most_middle,
                  double share) {
        // Above it several blocks share a row; up to it a block takes it whole.
        const double cut = std::max(most_middle, share);
        middle_rows = lengths.rows(most_short, most_middle);
        cut_parts = lengths.entries(cut) / share + 0.5 * lengths.rows(cut);
        parts = lengths.rows(most_middle, cut) + cut_parts;
    }
    /// Of the launch, with `groups` warps of short rows.
    double warps(double groups, double block) const {
        return groups + middle_rows + parts * block / warp;
    }
};

constexpr double class_waits = 1;  ///< loads that telling a row's class takes as long as

GpuWork by_length_work(const Problem& p) {
    const double lanes = p.param("subwarp"), unroll = p.param("unroll");
    const double most_short = p.param("most_short"), share = p.param("share");
    const double most_middle = std::max(most_short, p.param("most_middle"));
    const double long_entries = p.lengths.entries(most_middle);
    const LengthClasses classes(p.lengths, most_short, most_middle, share);
    const double middle_entries = p.lengths.entries(most_short, most_middle);
    const double groups = p.rows * lanes / warp;
    const double short_entries = p.nnz - middle_entries - long_entries;
    // Rows that are not short have no entries here.
    const double uneven =
        std::min(longest_over_mean(p.f, static_cast<int>(warp / lanes)),
                 p.lengths.longest_over_mean(warp / lanes, most_short,
                                             p.rows - p.lengths.rows(0, most_short)));
    GpuWork w;
    w.bytes = p.csr_bytes() + classes.middle_rows * (p.index + 2 * p.offset) +
              classes.parts * (3 * p.index + 2 * p.offset);
    const double wide = middle_entries + long_entries;
    const double loads = p.sharing.loads;
    w.near = short_entries * p.x_near(lanes) + wide * p.x_near(warp) +
             p.row_near(lanes) * short_entries / std::max(p.nnz, 1.0) + p.a_near(wide);
    w.far = p.far(p.block / lanes) * short_entries / std::max(p.nnz, 1.0) +
            p.far(p.block / warp) * wide / std::max(p.nnz, 1.0);
    const auto steps = [&](const auto& of) {
        return of(lanes, 0.0, most_short) * lanes / warp * uneven +
               of(warp, most_short, most_middle) +
               of(p.block, most_middle, LengthHistogram::any) * p.block / warp;
    };
    w.warps = classes.warps(groups, p.block);
    w.steps = loads * steps([&](double n, double above, double most) {
                  const SharedOut shared = p.shared_out(n, unroll);
                  return p.steps(shared.side, shared.turns, above, most);
              }) +
              w.warps;
    w.waits = steps([&](double n, double above, double most) {
                  return p.waits(p.shared_out(n, unroll), above, most);
              }) +
              begin_waits * w.warps;
    w.resident = p.resident(unroll);
    w.depth = by_length_depth(p, lanes, most_short, most_middle);
    w.ahead = p.begun_ahead(unroll) - class_waits;
    w.blocks = w.warps * warp / p.block;
    w.rows = p.rows;
    w.atomics = 2 * classes.cut_parts * p.s.num_rhs;
    return w;
}

constexpr double scaled_rows = 4;  ///< of a thread that clears or scales y before

/// Entries in equal shares, rows ended by atomic additions.
GpuWork shared_entries(const Problem& p, double chunk, double bytes, double atomics) {
    GpuWork w;
    w.launches = 2;
    w.bytes = bytes + p.vectors_bytes() + p.rows * p.vector;
    w.near = p.nnz * p.of_vector(p.m.run_sectors()) + p.a_near(p.nnz);
    w.far = p.far(chunk * p.block / warp / std::max(p.f.mean_row, 0.1));
    w.steps = p.nnz / warp;
    w.warps = p.nnz / chunk;
    w.waits = w.warps * (begin_waits + 1);
    w.depth = begin_waits + 2;
    w.blocks = std::max(w.warps * warp, p.rows / scaled_rows) / p.block;
    w.rows = p.rows;
    w.rows_apart = true;
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
    const double chunk = warp * p.param("entries");
    const double filled = p.rows - static_cast<double>(p.f.empty_rows);
    GpuWork w = shared_entries(p, chunk, p.nnz * (p.value + 2 * p.index), 2 * p.nnz / chunk);
    w.bytes -= (p.rows - filled) * p.vector;
    w.rows = filled + p.rows / scaled_rows;
    return w;
}

/// Whether kernels load ahead, of at most 4 entries at a time.
bool launches_overlap(const Situation& s) {
    return architecture(s.request.target).gpu.overlaps_launches;
}

constexpr double short_of_one_lane = 3.5;  ///< mean row, up to which a lane finds fewer than 8

std::int64_t subwarp(const Situation& s) {
    return s.request.num_rhs == 1 ? choose_subwarp(s.f, s.request.target.wavefront)
                                  : subwarp_of_many(s);
}

void choose_classical(ParamChoice& c) {
    if (c.request().num_rhs > 1) return choose_classical_of_many(c);
    const std::int64_t lanes = c.set("subwarp", subwarps(c), subwarp);
    c.set("unroll", lanes == 1 ? Values{4, 8} : Values{4}, [&](const Situation& s) {
        return lanes == 1 && s.f.mean_row > short_of_one_lane && !launches_overlap(s) ? 8 : 4;
    });
}

std::vector<Params> classical_grid(const Situation& s, const BlockFill&) {
    if (s.request.num_rhs > 1) return classical_grid_of_many(s);
    const std::vector<std::int64_t> lanes = lanes_for(s.f.mean_row, s.request.target.wavefront);
    std::vector<Params> sets = ParamSets()
                                   .with("block", {128})
                                   .with("subwarp", lanes)
                                   .with("unroll", {4})
                                   .beside_the_plan();
    if (lanes.front() == 1) sets.push_back({{"block", 128}, {"subwarp", 1}, {"unroll", 8}});
    return with_few_blocks(s, std::move(sets), blocks_of_rows(s, "subwarp"));
}

/// Half of the rows tell: by the length that they do not exceed.
void choose_by_length(ParamChoice& c) {
    constexpr double half_the_rows = 0.5;
    if (c.request().num_rhs > 1) return choose_by_length_of_many(c);
    c.set("subwarp", Values{2, 4},
          [](const Situation& s) { return row_quantile(s.f, half_the_rows) < 2 ? 2 : 4; });
    c.may_be_picked({{{"most_middle", small_most_middle}}});
}

constexpr std::int64_t by_length_share = 4096;  ///< entries of a part, as the kernel presets it

std::function<double(const Params&)> blocks_by_length(const Situation& s) {
    const auto share = static_cast<double>(given(s, "share", by_length_share));
    return [share, rows = static_cast<double>(s.f.rows),
            lengths = LengthHistogram(s.f)](const Params& set) {
        const auto of = [&](const char* name) { return static_cast<double>(set.at(name)); };
        const LengthClasses classes(lengths, of("most_short"), of("most_middle"), share);
        return classes.warps(rows * of("subwarp") / warp, of("block")) * warp / of("block");
    };
}

std::vector<Params> by_length_grid(const Situation& s, const BlockFill&) {
    if (s.request.num_rhs > 1) return by_length_grid_of_many(s);
    constexpr std::int64_t small = 300'000;  // entries: blocks that take a row are soon found
    const std::int64_t most_middle = s.f.nnz <= small ? 256 : 512;
    std::vector<Params> sets = ParamSets()
                                   .with("block", {256})
                                   .with("subwarp", {1, 2, 4, 8})
                                   .with("unroll", {4})
                                   .with("most_short", exceeded({16, 64}, s.f.max_row))
                                   .with("most_middle", exceeded({128, most_middle}, s.f.max_row))
                                   .beside_the_plan();
    sets.push_back({{"block", 128},
                    {"subwarp", s.request.target.wavefront},
                    {"unroll", 4},
                    {"most_short", 64},
                    {"most_middle", 512}});
    return with_few_blocks(s, std::move(sets), blocks_by_length(s));
}

/// Limits between and below those of the grid.
std::vector<Params> by_length_beside(const Situation& s, const Params& best) {
    if (s.request.num_rhs > 1) return {};
    constexpr std::int64_t threads = 256;
    std::vector<Params> sets;
    for (const std::int64_t most_short : {8, 32}) {
        if (s.f.max_row <= std::min<std::int64_t>(most_short, 16)) continue;  // tells none apart
        Params set{{"block", threads}, {"most_short", most_short}};
        for (const char* name : {"subwarp", "unroll", "most_middle"}) set[name] = best.at(name);
        sets.push_back(std::move(set));
    }
    return with_few_blocks(s, std::move(sets), blocks_by_length(s));
}

void choose_load_balance(ParamChoice& c) {
    c.may_be_picked({{{"block", far_x_block}}});
}

/// LightSpMV's size of a vector, by the mean row; the largest is the wavefront.
void choose_light(ParamChoice& c) {
    c.set("subwarp", Values{2, 4, 8, c.wavefront()}, [](const Situation& s) -> std::int64_t {
        const double mean = std::round(s.f.mean_row);
        return mean <= 2 ? 2 : mean <= 4 ? 4 : mean <= 64 ? 8 : s.request.target.wavefront;
    });
}

void choose_transposed(ParamChoice& c) {
    c.set("subwarp", subwarps(c), subwarp);
}

/// As many entries under way as rows have, and two tiles of rows where these have few.
void choose_matrix_units(ParamChoice& c) {
    constexpr double width = 4;
    c.set("unroll", Values{1, 2, 3, 4}, [](const Situation& s) {
        return static_cast<std::int64_t>(std::ceil(s.f.mean_row / width));
    });
    c.set("tiles", Values{1, 2}, [](const Situation& s) { return s.f.mean_row <= width ? 2 : 1; });
}

Values omegas(const GpuLimits& limits) {
    Values values;
    for (auto& row : limits.omega) values.push_back(std::min(row.omega, limits.most_omega));
    return values;
}

/// Wavefronts for each one that is resident, by the number of entries.
void choose_coo(ParamChoice& c) {
    c.set("omega", omegas(gpu_limits(c.request())), [](const Situation& s) {
        const GpuLimits& limits = gpu_limits(s.request);
        std::int64_t chosen = 1;
        for (auto& row : limits.omega)
            if (static_cast<double>(s.f.nnz) >= row.least_nnz) chosen = row.omega;
        return std::min(chosen, limits.most_omega);
    });
}

void choose_csr_k(ParamChoice& c) {
    c.put_all(plan_csr_k(c.kernel(), c.situation()).params);
}

}  // namespace
}  // namespace gpu

extern constexpr KernelPlans csr_gpu_plans{
    {.kernel = "csr_classical",
     .choose = gpu::choose_classical,
     .grid = gpu::classical_grid,
     .gpu_work = gpu::rows_work,
     .counts_several = true},
    {.kernel = "csr_by_length",
     .choose = gpu::choose_by_length,
     .grid = gpu::by_length_grid,
     .beside = gpu::by_length_beside,
     .gpu_work = gpu::by_length_work,
     .counts_several = true},
    {.kernel = "csr_load_balance",
     .choose = gpu::choose_load_balance,
     .gpu_work = gpu::load_balance_work},
    {.kernel = "csr_light", .choose = gpu::choose_light},
    {.kernel = "csr_transposed_gpu", .choose = gpu::choose_transposed},
    {.kernel = "csr_matrix_units", .choose = gpu::choose_matrix_units},
    {.kernel = "csr_k_blocks", .choose = gpu::choose_csr_k, .unlisted = true},
    {.kernel = "coo", .choose = gpu::choose_coo, .gpu_work = gpu::coo_work},
};

}  // namespace spmvgen
