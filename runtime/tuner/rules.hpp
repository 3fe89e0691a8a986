#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "registry.hpp"
#include "tuner/choose.hpp"

namespace spmvgen {

/// All that the rules look at.
struct Situation {
    const RowFeatures& f;
    const Request& request;
    std::vector<const KernelEntry*> among;  ///< kernels that the request leaves free; never empty
};

/// A rule's kernel and why; an empty id: the rule does not apply.
struct Pick {
    std::string_view kernel = {};
    std::string reason = {};
};

/// Rules of one family of machines: the first that applies with a kernel that is free decides.
struct RuleSet {
    std::span<Pick (*const)(const Situation&)> rules;
    /// Parameters of the chosen kernel that the features decide; what the request gives wins, the
    /// others keep the registry's presets.
    std::map<std::string, std::int64_t> (*params)(const KernelEntry& kernel, const Situation&);
};
RuleSet cpu_rules();
RuleSet gpu_rules();

/// block_rows and block_cols of blocked CSR as the request's blocks say; nothing without them.
std::map<std::string, std::int64_t> block_size(const Situation& situation);

/// Lanes of a GPU's wavefront that share a row in CSR kernels of a subwarp a row: the least cost by
/// the distribution of row lengths, see docs/handle.md. A power of two up to `wavefront`.
int choose_subwarp(const RowFeatures& features, int wavefront);
/// The same by the longest row, as Ginkgo does: the largest power of two that it fills.
int subwarp_of_longest_row(const RowFeatures& features, int wavefront);
/// Expected cost of a row with that subwarp: what choose_subwarp compares.
double subwarp_cost(const RowFeatures& features, int wavefront, int subwarp);

}  // namespace spmvgen
