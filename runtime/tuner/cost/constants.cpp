#include "tuner/cost/constants.hpp"

#include <cmath>

namespace spmvgen {

std::optional<Prediction> predict_time(const CostScheme& scheme, const CostConstants& constants,
                                       const Signature& signature, std::span<const double> costs) {
    const auto found = constants.kernels.find(signature.kernel);
    if (found == constants.kernels.end()) return std::nullopt;
    const CostConstants::Kernel& kernel = found->second;
    std::vector<double> us_of_costs;
    double serial = kernel.start_us, powers = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const double us = us_of_costs.emplace_back(constants.coefficients[i] * costs[i]);
        i < scheme.serial ? serial += us : powers += std::pow(us, constants.exponent);
    }
    const double us = serial + kernel.factor * std::pow(powers, 1 / constants.exponent);
    const auto asked = correction_figures(scheme, us, us_of_costs, signature.params);
    double correction = 0;
    for (auto& tree : kernel.trees) correction += tree.of(asked);
    return Prediction{us * std::exp(correction), kernel.error};
}

}  // namespace spmvgen
