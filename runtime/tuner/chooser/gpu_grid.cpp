#include "tuner/chooser/gpu_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <set>

#include "tuner/rules/gpu_params.hpp"
#include "tuner/rules/param_sets.hpp"

namespace spmvgen {
namespace {

constexpr double most_fill = 1.6;              ///< stored entries over nonzeros in blocks
constexpr double rounds_of_lane = 64;          ///< steps of a mean row that one lane may have
constexpr std::int64_t least_block_lanes = 4;  ///< for a row of blocks of several elements: with
                                               ///< fewer, too many of them are on their way at once

// Of each kernel the sets that were the fastest for some training matrix (docs/choice.md); more of
// them would take time to weigh, and be chosen by mistake.

/// Numbers of lanes for a row (or a block row) of `mean` elements: from those whose steps are
/// rounds_of_lane down to those of which half are idle.
std::vector<std::int64_t> lanes_for(double mean, std::int64_t most) {
    std::vector<std::int64_t> lanes;
    for (std::int64_t n = 1; n <= most; n *= 2) {
        const auto count = static_cast<double>(n);
        const bool too_few = count * rounds_of_lane < mean && n < most;
        const bool too_many = n > 2 && count > 2 * mean;
        if (!too_few && !too_many) lanes.push_back(n);
    }
    return lanes;
}

bool sorting_helps(const Situation& s) {
    return slice_padding(s) > 1.02 * sorted_slice_padding(s);
}

std::vector<std::int64_t> sorting_windows(const Situation& s,
                                          const std::vector<std::int64_t>& windows) {
    return sorting_helps(s) ? windows : std::vector<std::int64_t>{1};
}

std::vector<Params> classical(const Situation& s) {
    std::vector<Params> sets =
        ParamSets()
            .with("block", {128})
            .with("subwarp", lanes_for(s.f.mean_row, s.request.target.wavefront))
            .with("unroll", {4})
            .all();
    if (sets.front().at("subwarp") == 1)
        sets.push_back({{"block", 128}, {"subwarp", 1}, {"unroll", 8}});
    return sets;
}

std::vector<Params> by_length(const Situation& s) {
    std::vector<Params> sets = ParamSets()
                                   .with("block", {256})
                                   .with("subwarp", {1, 2, 4, 8})
                                   .with("unroll", {4})
                                   .with("most_short", {16, 64})
                                   .with("most_middle", {128, 512})
                                   .all();
    sets.push_back({{"block", 128},
                    {"subwarp", s.request.target.wavefront},
                    {"unroll", 4},
                    {"most_short", 64},
                    {"most_middle", 512}});
    return sets;
}

std::vector<Params> slices(const Situation& s) {
    std::vector<Params> sets;
    for (const std::int64_t lanes : lanes_for(s.f.mean_row, 32)) {
        std::vector<std::int64_t> unrolls{8};
        if (lanes == 1) unrolls = {4, 8};
        if (lanes == 1 && s.f.mean_row < 4) unrolls = {2, 4, 8};
        std::ranges::move(ParamSets()
                              .with("block", {128})
                              .with("threads_per_row", {lanes})
                              .with("unroll", unrolls)
                              .with("sigma", sorting_windows(s, {1, 16384}))
                              .all(),
                          std::back_inserter(sets));
    }
    return sets;
}

std::vector<Params> strips(const Situation& s) {
    return ParamSets()
        .with("threads_per_row", lanes_for(s.f.mean_row, 32))
        .with("sigma", sorting_windows(s, {1, 256, 4096}))
        .all();
}

/// Sizes of blocks whose fill is low, and 1x1.
std::vector<Params> blocks(const Situation& s, const BlockFill& fill) {
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

std::vector<Params> tiles(const Situation& s) {
    return ParamSets()
        .with("block", {128})
        .with("items", {8, 16})
        .with("run", s.f.nnz < 1'000'000 ? std::vector<std::int64_t>{1, 2}
                                         : std::vector<std::int64_t>{1, 2, 4, 8})
        .all();
}

}  // namespace

std::vector<Params> gpu_grid(const KernelEntry& kernel, const Situation& s, const BlockFill& fill) {
    if (kernel.id == "bcsr_fused") return blocks(s, fill);
    // Never the fastest by much, and hard to predict.
    if (kernel.id == "ell_groups" || kernel.id == "hyb") return {};
    std::vector<Params> sets{{}};
    const auto add = [&](std::vector<Params> more) {
        std::ranges::move(more, std::back_inserter(sets));
    };
    if (kernel.id == "csr_classical") add(classical(s));
    if (kernel.id == "csr_by_length") add(by_length(s));
    if (kernel.id == "sell_slices") add(slices(s));
    if (kernel.id == "strips") add(strips(s));
    if (kernel.id == "tiles") add(tiles(s));
    if (kernel.id == "tiles_hubs") add(ParamSets().with("run", {2, 8}).all());
    return sets;
}

}  // namespace spmvgen
