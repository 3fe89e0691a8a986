#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "spmvgen/signature.hpp"
#include "tuner/cost/prediction.hpp"
#include "tuner/cost/scheme.hpp"

namespace spmvgen {

/// Constants of the prediction, fitted to records (tuning_db/gpu-costs.json, cpu-costs.json).
struct CostConstants {
    struct Kernel {
        double start_us = 0;  ///< of an empty product
        double factor = 1;  ///< on what is not serial: its instructions beside those of the others
        double error = 0;   ///< |ln(measured / predicted)|, of structures that were not fitted to
        bool operator==(const Kernel&) const = default;
    };
    explicit CostConstants(const CostScheme& scheme) : coefficients(scheme.costs.size()) {}

    double exponent = 1;  ///< costs add up at 1; the larger, the more the largest hides the others
    /// Shares of the rules' predicted time that another kernel must save, and their own kernel with
    /// other parameters, of which errors are alike.
    double margin = 0, own_margin = 0;
    std::vector<double> coefficients;       ///< one for each cost
    std::map<std::string, Kernel> kernels;  ///< by name
    bool operator==(const CostConstants&) const = default;
};

/// JSON of the scheme's kind, and back. Throws Error(invalid_input) that says what is wrong.
std::string to_json(const CostConstants& constants, const CostScheme& scheme);
CostConstants parse_cost_constants(std::string_view text, const CostScheme& scheme);

/// The time of a kernel with such costs, microseconds each as if it were all that there is. Nothing
/// when there are no costs, or the constants know nothing of the kernel. Safe to call from any
/// thread.
std::optional<Prediction> predict_time(const CostScheme& scheme, const CostConstants& constants,
                                       const Signature& signature, std::span<const double> costs);

}  // namespace spmvgen
