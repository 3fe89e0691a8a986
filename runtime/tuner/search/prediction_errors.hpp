#pragma once
#include <map>
#include <string>

#include "tuner/cost/prediction.hpp"

namespace spmvgen {

/// What predictions erred on one matrix. Those of one kernel mostly err alike, whatever its
/// parameters: ln(measured / predicted) is taken for the sum of a normal error of the kernel, known
/// better with each trial, and one of the parameters. Their variances are shares of the square of
/// Prediction::error.
class PredictionErrors {
  public:
    void add(const std::string& kernel, double measured_us, const Prediction& prediction);

    /// What is to be expected, less half a standard deviation: what is known less is worth a look.
    double promise_us(const std::string& kernel, const Prediction& prediction) const;
    /// The same less two standard deviations.
    double least_us(const std::string& kernel, const Prediction& prediction) const;

  private:
    double less_deviations(const std::string& kernel, const Prediction& prediction,
                           double deviations) const;
    struct Errors {
        double sum = 0;  ///< of ln(measured / predicted)
        int count = 0;
    };
    std::map<std::string, Errors> of_;  ///< by kernel
};

}  // namespace spmvgen
