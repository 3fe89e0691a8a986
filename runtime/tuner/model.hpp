#pragma once
#include <optional>

#include "matrix/features.hpp"
#include "spmvgen/signature.hpp"
#include "tuner/device_profile.hpp"

namespace spmvgen {

/// A time that was not measured.
struct Prediction {
    double us = 0;     ///< of an apply
    double error = 0;  ///< expected |ln(measured / predicted)|
};

/// Level `model`: the time of an apply of that kernel on a matrix with such features, from the
/// bytes that it moves, its gathers from x, its launches, and what the device was measured to do.
/// Nothing when the model knows nothing of the kernel. Constant time. Safe to call from any thread.
std::optional<Prediction> predict(const Features& features, const Signature& signature,
                                  const DeviceProfile& profile, int threads);

}  // namespace spmvgen
