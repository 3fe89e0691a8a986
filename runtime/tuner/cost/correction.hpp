#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spmvgen/signature.hpp"
#include "tuner/cost/scheme.hpp"

namespace spmvgen {

/// What the correction of a predicted time asks for, in this order: "us", ln of the microseconds as
/// counted; the costs by name, log10 of their share of these, at least -3; parameters of the kernel
/// by name, log2 of the parameter plus one, 0 where there is none.
std::vector<std::string_view> figure_names(const CostScheme& scheme);
/// `us_of_costs`: one for each cost of the scheme. Finite, whatever is given.
std::vector<double> correction_figures(const CostScheme& scheme, double us,
                                       std::span<const double> us_of_costs,
                                       const std::map<std::string, std::int64_t>& params);

/// Questions about these figures, and what the answer adds to ln(time). Learned from what counted
/// work leaves over of recorded times (bench/spmvbench/correction.py).
struct CorrectionTree {
    /// A question, or where questions end.
    struct Node {
        std::size_t figure = end;  ///< `end`: here is the answer
        double limit = 0;          ///< up to it the questions go on at `below`, else at `above`
        std::size_t below = 0, above = 0;  ///< indices of nodes, larger than this node's
        double value = 0;                  ///< the answer
        bool operator==(const Node&) const = default;
    };
    static constexpr std::size_t end = static_cast<std::size_t>(-1);

    std::vector<Node> nodes;  ///< the first is the root; never empty
    double of(std::span<const double> figures) const;
    bool operator==(const CorrectionTree&) const = default;
};

}  // namespace spmvgen
