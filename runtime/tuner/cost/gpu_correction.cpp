#include "tuner/cost/gpu_correction.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace spmvgen {
namespace {

constexpr double least_share = 1e-3, least_us = 1e-9;
constexpr std::array<std::string_view, 14> parameters{
    "threads_per_row", "subwarp",    "unroll",      "items", "run",        "sigma", "block",
    "block_rows",      "most_short", "most_middle", "codes", "value_code", "slice", "long_rows"};
constexpr std::size_t figures_count = 1 + gpu_cost_names.size() + parameters.size();

constexpr std::array<std::string_view, figures_count> figure_names = [] {
    std::array<std::string_view, figures_count> names{"us"};
    std::ranges::copy(parameters, std::ranges::copy(gpu_cost_names, names.begin() + 1).out);
    return names;
}();

}  // namespace

std::span<const std::string_view> gpu_figure_names() {
    return figure_names;
}

std::vector<double> gpu_figures(double us, const GpuCosts& us_of_costs, const Params& params) {
    const double all = std::max(us, least_us);
    std::vector<double> figures{std::log(all)};
    for (const double cost : us_of_costs)
        figures.push_back(std::log10(std::max(cost / all, least_share)));
    for (const std::string_view name : parameters) {
        const auto found = params.find(std::string(name));
        const auto value = found != params.end() ? std::max<std::int64_t>(found->second, 0) : 0;
        figures.push_back(std::log2(1 + static_cast<double>(value)));
    }
    return figures;
}

double CorrectionTree::of(std::span<const double> figures) const {
    const Node* node = nodes.data();
    while (node->figure != end)
        node = &nodes[figures[node->figure] <= node->limit ? node->below : node->above];
    return node->value;
}

}  // namespace spmvgen
