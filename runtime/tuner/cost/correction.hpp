#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "matrix/features/features.hpp"
#include "tuner/cost/constants.hpp"
#include "tuner/cost/work/gpu_work.hpp"

namespace spmvgen {

/// What a correction knows of a kernel on a matrix: shares of its predicted time, counts and
/// parameters, but neither the kernel's name nor the device's.
inline constexpr std::array<std::string_view, 34> correction_features{
    // Shares of the predicted time that the costs would take alone (gpu_cost_names).
    "share_of_launches", "share_of_depth", "share_of_stream", "share_of_unit", "share_of_near",
    "share_of_far", "share_of_steps", "share_of_waits", "share_of_rows", "share_of_atomics",
    "loads_in_turn",  // of the busiest thread: GpuWork::depth
    "waves",          // warps over those that are resident at a time
    "warps",          // of a multiprocessor
    // An entry:
    "bytes", "near", "far", "steps",  // steps of a lane
    // Lengths of rows: mean, longest over mean, standard deviation over mean.
    "mean_row", "longest_row", "deviation",
    "lanes",  // of a row: subwarp, or threads_per_row
    // Parameters, by name; 0 = the kernel has none.
    "block", "block_cols", "block_rows", "codes", "hubs", "items", "most_middle", "most_short",
    "run", "share", "sigma", "slice", "unroll"};
using CorrectionFeatures = std::array<double, correction_features.size()>;

/// The features of a kernel that is predicted to take so many microseconds without a correction,
/// of these costs, on a device of so many multiprocessors.
CorrectionFeatures correction_features_of(const GpuWork& work, std::span<const double> costs,
                                          const CostConstants& constants, double us,
                                          const RowFeatures& features, const Signature& signature,
                                          double units);

/// What was learned of what counting leaves over, from the sampler's matrices
/// (tuning_db/gpu-correction.json): a sum of small tables, one from each tree, in each of which a
/// few questions about features pick a number. A value: may be read from any thread.
struct CostCorrection {
    /// Whether a feature is above a number.
    struct Question {
        std::uint32_t feature;  ///< place in correction_features
        float above;
        bool operator==(const Question&) const = default;
    };
    std::string vendor;               ///< of the devices that it was learned for: "nvidia"
    std::vector<std::size_t> levels;  ///< questions of each tree
    std::vector<Question> questions;  ///< of all trees, one after the other
    /// Of each tree 2^levels thousandths; the answer to its question i is bit i of the place.
    std::vector<std::int16_t> leaves;
    bool operator==(const CostCorrection&) const = default;

    /// ln(time / predicted time), within ± most.
    double of(const CorrectionFeatures& features) const;
    static constexpr double most = 0.2;
};

/// Reads JSON of kind gpu-correction. Throws Error(invalid_input) that says what is wrong.
CostCorrection parse_cost_correction(std::string_view text);
/// The text that is read back as an equal value.
std::string to_json(const CostCorrection& correction);

}  // namespace spmvgen
