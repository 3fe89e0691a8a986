#include "tuner/cost/constants.hpp"

#include <cmath>

namespace spmvgen {

std::optional<Prediction> predict_time(const CostScheme& scheme, const CostConstants& constants,
                                       const Signature& signature, std::span<const double> costs) {
    const auto found = constants.kernels.find(signature.kernel);
    if (found == constants.kernels.end() || costs.empty()) return std::nullopt;
    const CostConstants::Kernel& kernel = found->second;
    double serial = kernel.start_us, powers = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const double us = constants.coefficients[i] * costs[i];
        i < scheme.serial ? serial += us : powers += std::pow(us, constants.exponent);
    }
    return Prediction{serial + kernel.factor * std::pow(powers, 1 / constants.exponent),
                      kernel.error};
}

}  // namespace spmvgen
