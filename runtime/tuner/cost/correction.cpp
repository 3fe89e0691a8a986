#include "tuner/cost/correction.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace spmvgen {
namespace {

constexpr double least_share = 1e-3, least_us = 1e-9;

}  // namespace

std::vector<std::string_view> figure_names(const CostScheme& scheme) {
    std::vector<std::string_view> names{"us"};
    names.insert(names.end(), scheme.costs.begin(), scheme.costs.end());
    names.insert(names.end(), scheme.parameters.begin(), scheme.parameters.end());
    return names;
}

std::vector<double> correction_figures(const CostScheme& scheme, double us,
                                       std::span<const double> us_of_costs,
                                       const std::map<std::string, std::int64_t>& params) {
    const double all = std::max(us, least_us);
    std::vector<double> figures{std::log(all)};
    for (const double cost : us_of_costs)
        figures.push_back(std::log10(std::max(cost / all, least_share)));
    for (const std::string_view name : scheme.parameters) {
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
