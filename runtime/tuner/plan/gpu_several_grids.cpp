#include "tuner/plan/gpu_several_grids.hpp"

#include <algorithm>

#include "tuner/cost/figures/row_steps.hpp"
#include "tuner/plan/gpu_several_vectors.hpp"
#include "tuner/plan/kernel_plan.hpp"

namespace spmvgen::gpu {
namespace {

/// Subwarps for rows of `mean` entries or blocks, from the lanes that share an entry up to those
/// that leave one entry for each of them.
std::vector<std::int64_t> subwarps_of_many(const Situation& s, double mean) {
    const std::int64_t sharing = lanes_of_an_entry(s);
    std::vector<std::int64_t> found{sharing};
    while (2 * found.back() <= s.request.target.wavefront &&
           static_cast<double>(2 * found.back()) <= mean * static_cast<double>(sharing))
        found.push_back(2 * found.back());
    return found;
}

}  // namespace

std::vector<Params> classical_grid_of_many(const Situation& s) {
    constexpr std::int64_t few_lanes = 2;
    const std::vector<std::int64_t> subwarps = subwarps_of_many(s, s.f.mean_row);
    auto sets = ParamSets().with("subwarp", subwarps).with("unroll", {4, 8}).beside_the_plan();
    // Fewer loads leave room for more warps, where an entry has many lanes and a row no others.
    if (subwarps.front() > few_lanes)
        sets.push_back({{"subwarp", subwarps.front()}, {"unroll", 2}});
    return sets;
}

std::vector<Params> by_length_grid_of_many(const Situation& s) {
    constexpr std::int64_t least = 4, most = 8;
    std::vector<std::int64_t> subwarps{std::max(lanes_of_an_entry(s), least)};
    if (subwarps.back() < most) subwarps.push_back(most);
    // Where half of the rows are longer, more of them may be short ones.
    constexpr std::int64_t short_row = 16, longer_row = 64;
    std::vector<std::int64_t> most_short{short_row};
    if (row_quantile(s.f, 0.5) > short_row) most_short.push_back(longer_row);
    return ParamSets()
        .with("subwarp", subwarps)
        .with("unroll", {4, 8})
        .with("most_middle", exceeded({128, 512}, s.f.max_row))
        .with("most_short", most_short)
        .beside_the_plan();
}

std::vector<Params> blocks_grid_of_many(const Situation& s, const BlockFill& fill) {
    constexpr double most_rows_of_x = 0.8;  // that blocks name, over entries
    constexpr int most_rows = 4;            // sums that a lane has registers for
    std::vector<Params> sets;
    if (!shares_entries(s) || (s.request.blocks && s.request.blocks->rows > 1)) sets.push_back({});
    if (!shares_entries(s)) return sets;
    for (int rows = 2; rows <= most_rows; ++rows) {
        const double ratio = fill.at(rows, 1);
        if (ratio <= 0 || ratio > most_rows_of_x * rows) continue;
        const auto of_size = ParamSets()
                                 .with("block_rows", {rows})
                                 .with("block_cols", {1})
                                 .with("subwarp", subwarps_of_many(s, s.f.mean_row * ratio))
                                 .with("unroll", {4, 8});
        sets.insert(sets.end(), of_size.all().begin(), of_size.all().end());
    }
    return sets;
}

}  // namespace spmvgen::gpu
