#pragma once

namespace spmvgen {

/// A time that was not measured.
struct Prediction {
    double us = 0;     ///< of an apply
    double error = 0;  ///< expected |ln(measured / predicted)|
};

}  // namespace spmvgen
