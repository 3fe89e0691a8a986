#include "tuner/cost/gpu_time.hpp"

#include <algorithm>
#include <cmath>

#include "process/log.hpp"
#include "tuner/cost/gpu_units.hpp"
#include "tuner/tuning_files.hpp"

namespace spmvgen {
double units_of(const DeviceProfile& profile) {
    return profile.units > 0 ? profile.units : gpu::typical_units;
}

std::optional<Prediction> predict_gpu(MatrixFigures& figures, const Signature& signature,
                                      const DeviceProfile& profile, const GpuConstants& constants) {
    const auto kernel = constants.kernels.find(signature.kernel);
    if (kernel == constants.kernels.end()) return std::nullopt;
    const auto work = gpu_work(figures, signature, units_of(profile));
    if (!work) return std::nullopt;
    const GpuCosts costs = gpu_costs(*work, figures.features(), signature, profile);
    GpuCosts us_of_costs;
    double serial = kernel->second.start_us, powers = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const double us = us_of_costs[i] = constants.coefficients[i] * costs[i];
        i < gpu_serial_costs ? serial += us : powers += std::pow(us, constants.exponent);
    }
    const double us = serial + kernel->second.factor * std::pow(powers, 1 / constants.exponent);
    const std::vector<double> asked = gpu_figures(us, us_of_costs, signature.params);
    double correction = 0;
    for (auto& tree : kernel->second.trees) correction += tree.of(asked);
    return Prediction{us * std::exp(correction), kernel->second.error};
}

const GpuConstants* gpu_constants() {
    static const std::optional<GpuConstants> constants = []() -> std::optional<GpuConstants> {
        Log log;
        for (auto& file : tuning_files("gpu-costs")) {
            try {
                return parse_gpu_constants(file.readable_text());
            } catch (const Error& error) {
                log.warn(file.name + ": " + error.what());
            }
        }
        return std::nullopt;
    }();
    return constants ? &*constants : nullptr;
}

}  // namespace spmvgen
