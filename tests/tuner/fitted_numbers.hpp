#pragma once
#include <set>

#include "tuner/cost/constants.hpp"

namespace spmvgen {

/// Numbers of these that were fitted: those that are as the profile says, 0 or 1, were not, and one
/// that several costs or kernels share was once. Both margins are counted.
inline std::size_t fitted_numbers(const CostConstants& constants) {
    std::set<double> numbers(constants.coefficients.begin(), constants.coefficients.end());
    numbers.insert(constants.exponent);
    for (auto& [name, kernel] : constants.kernels) numbers.insert({kernel.start_us, kernel.factor});
    numbers.erase(0);
    numbers.erase(1);
    return numbers.size() + 2;
}

}  // namespace spmvgen
