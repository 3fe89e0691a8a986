#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/cost/gpu_correction.hpp"
#include "tuner/cost/gpu_costs.hpp"
#include "tuner/cost/gpu_work.hpp"
#include "tuner/device_profile.hpp"
#include "tuner/model.hpp"

namespace spmvgen {

/// Constants of the prediction, fitted to records (tuning_db/gpu-costs.json).
struct GpuConstants {
    struct Kernel {
        double start_us = 0;  ///< of an empty product
        double factor = 1;  ///< on what is not serial: its instructions beside those of the others
        double error = 0;   ///< |ln(measured / predicted)|, of structures that were not fitted to
        std::vector<CorrectionTree> trees = {};  ///< what they say adds to ln(time)
        bool operator==(const Kernel&) const = default;
    };
    double exponent = 1;  ///< costs add up at 1; the larger, the more the largest hides the others
    /// Shares of the rules' predicted time that another kernel must save, and their own kernel with
    /// other parameters, of which errors are alike.
    double margin = 0, own_margin = 0;
    GpuCosts coefficients{};
    std::map<std::string, Kernel> kernels;  ///< by name
    bool operator==(const GpuConstants&) const = default;
};

/// JSON of kind "gpu-costs", and back. Throws Error(invalid_input) that says what is wrong.
std::string to_json(const GpuConstants& constants);
GpuConstants parse_gpu_constants(std::string_view text);

/// Those of tuning_files("gpu-costs"), the first that can be read; null when there are none. Read
/// once in a process, warnings written to the log. Safe to call from any thread.
const GpuConstants* gpu_constants();

/// Multiprocessors, those of an H200 for a profile that does not tell.
double units_of(const DeviceProfile& profile);

/// The time of an apply when applies follow each other without the host, as in a CUDA graph.
/// Nothing when the constants know nothing of the kernel, or there is no count of its work.
std::optional<Prediction> predict_gpu(MatrixFigures& figures, const Signature& signature,
                                      const DeviceProfile& profile, const GpuConstants& constants);

}  // namespace spmvgen
