#pragma once
#include <optional>
#include <vector>

#include "tuner/cost/constants.hpp"
#include "tuner/cost/figures/figures.hpp"
#include "tuner/cost/prediction.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {

/// The constants of GPUs and of CPUs; null when there are none. Read once in a process. Safe to
/// call from any thread.
const CostConstants* gpu_constants();
const CostConstants* cpu_constants();

/// Multiprocessors, those of an H200 for a profile that does not tell.
double units_of(const DeviceProfile& profile);

/// Microseconds of each of the scheme's costs, by the profile; none where there is no count of the
/// kernel's work.
std::vector<double> costs_of_gpu(MatrixFigures& figures, const Signature& signature,
                                 const DeviceProfile& profile);
std::vector<double> costs_of_cpu(MatrixFigures& figures, const Signature& signature,
                                 const DeviceProfile& profile, int threads);

/// The time of an apply when applies follow each other without the host, as in a CUDA graph.
/// Nothing when the constants know nothing of the kernel, or there is no count of its work.
std::optional<Prediction> predict_gpu(MatrixFigures& figures, const Signature& signature,
                                      const DeviceProfile& profile, const CostConstants& constants);

/// The time of an apply of a team of so many threads, one apply after the other. Nothing as above.
std::optional<Prediction> predict_cpu(MatrixFigures& figures, const Signature& signature,
                                      const DeviceProfile& profile, int threads,
                                      const CostConstants& constants);

}  // namespace spmvgen
