#include "tuner/search/prediction_errors.hpp"

#include <cmath>

namespace spmvgen {
namespace {

/// Of the variance of predictions, the part that all parameters of a kernel have in common.
constexpr double common_part = 0.75;
constexpr double worth_a_look = 0.5, sure = 2;  ///< standard deviations

}  // namespace

void PredictionErrors::add(const std::string& kernel, double measured_us,
                           const Prediction& prediction) {
    Errors& errors = of_[kernel];
    errors.sum += std::log(measured_us / prediction.us);
    ++errors.count;
}

double PredictionErrors::less_deviations(const std::string& kernel, const Prediction& prediction,
                                         double deviations) const {
    const double variance = prediction.error * prediction.error;
    const double common = common_part * variance, own = variance - common;
    const auto known = of_.find(kernel);
    if (known == of_.end() || variance == 0)
        return prediction.us * std::exp(-deviations * prediction.error);
    const Errors& errors = known->second;
    const double precision = 1 / common + errors.count / own;
    const double expected = errors.sum / own / precision;
    return prediction.us * std::exp(expected - deviations * std::sqrt(1 / precision + own));
}

double PredictionErrors::promise_us(const std::string& kernel, const Prediction& p) const {
    return less_deviations(kernel, p, worth_a_look);
}

double PredictionErrors::least_us(const std::string& kernel, const Prediction& p) const {
    return less_deviations(kernel, p, sure);
}

}  // namespace spmvgen
