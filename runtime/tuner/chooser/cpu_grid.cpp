#include "tuner/chooser/cpu_grid.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "tuner/rules/param_sets.hpp"

namespace spmvgen {
namespace {

constexpr double most_cpu_fill = 1.6;   ///< stored entries over nonzeros in blocks
constexpr std::size_t most_blocks = 6;  ///< sizes of blocks, those of the fewest bytes
constexpr double index_bytes = 4;       ///< of a block, for which size is worth weighing
constexpr double unrolled_mean = 64;  ///< mean row, from which several vectors are taken at a time
constexpr double padded_mean = 0.75;  ///< mean row over the lanes of a vector, for a whole one
constexpr std::int64_t long_row = 256;
constexpr double least_unsorted_padding = 1.02;

/// Lanes that entries of one row are put into: as many as a mean row fills, up to two registers.
std::vector<std::int64_t> row_lanes(const Situation& s, std::int64_t least) {
    std::vector<std::int64_t> lanes;
    for (std::int64_t n = least; n <= 2 * std::max<std::int64_t>(2, register_lanes(s)) && n <= 16;
         n *= 2)
        if (n == least || padded_mean * static_cast<double>(n) <= s.f.mean_row ||
            s.f.max_row >= long_row)
            lanes.push_back(n);
    return lanes;
}

std::vector<std::int64_t> unrolls(const Situation& s) {
    return s.f.mean_row >= unrolled_mean || s.f.max_row >= long_row
               ? std::vector<std::int64_t>{1, 4}
               : std::vector<std::int64_t>{1};
}

std::vector<std::int64_t> cpu_sorting_windows(const Situation& s) {
    return s.f.sell_padding.front() > least_unsorted_padding
               ? std::vector<std::int64_t>{1, 256, 4096}
               : std::vector<std::int64_t>{1};
}

std::vector<Params> slices_of_cpu(const Situation& s) {
    const std::int64_t lanes = std::max<std::int64_t>(2, register_lanes(s));
    return ParamSets()
        .with("lanes", {lanes, std::min<std::int64_t>(2 * lanes, 16)})
        .with("unroll", {1, 2, 4})
        .with("sigma", cpu_sorting_windows(s))
        .all();
}

/// Few: each is laid out for a sample, with blocks and without.
std::vector<Params> strips_of_cpu(const Situation& s) {
    std::vector<Params> sets = ParamSets().with("sigma", cpu_sorting_windows(s)).all();
    const std::vector<Params> lanes = ParamSets().with("lanes", {8, 32}).all();
    sets.insert(sets.end(), lanes.begin(), lanes.end());
    return sets;
}

/// Sizes of blocks that take the fewest bytes.
std::vector<Params> blocks_of_cpu(const Situation& s, const BlockFill& fill) {
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
    std::vector<Params> sets;
    for (auto& size : sizes)
        if (sets.size() < most_blocks) sets.push_back(size.second);
    return sets;
}

}  // namespace

std::vector<Params> cpu_grid(const KernelEntry& kernel, const Situation& s, const BlockFill& fill) {
    std::vector<Params> sets{{}};
    const auto add = [&](std::vector<Params> more) {
        std::ranges::move(more, std::back_inserter(sets));
    };
    if (kernel.id == "csr_vector")
        add(ParamSets().with("lanes", row_lanes(s, 2)).with("unroll", unrolls(s)).all());
    if (kernel.id == "csr_balanced")
        add(ParamSets().with("lanes", row_lanes(s, 1)).with("unroll", unrolls(s)).all());
    if (kernel.id == "coo_segmented" || kernel.id == "csr_k_rows")
        add(ParamSets().with("lanes", row_lanes(s, 1)).all());
    if (kernel.id == "ell")
        add(ParamSets()
                .with("lanes", {std::max<std::int64_t>(2, register_lanes(s))})
                .with("unroll", {1, 2, 4})
                .all());
    if (kernel.id == "sell") add(slices_of_cpu(s));
    if (kernel.id == "bcsr") add(blocks_of_cpu(s, fill));
    if (kernel.id == "strips_cpu") add(strips_of_cpu(s));
    return sets;
}

}  // namespace spmvgen
