#pragma once
#include <cmath>

namespace spmvgen {

/// A time that was not measured.
struct Prediction {
    double us = 0;     ///< of an apply
    double error = 0;  ///< expected |ln(measured / predicted)|

    /// What it takes where the prediction errs by half of its error: of two kernels that are
    /// predicted to take as long the one is chosen that is known better.
    double bad_us() const { return us * std::exp(cautious * error); }
    static constexpr double cautious = 0.5;
};

}  // namespace spmvgen
