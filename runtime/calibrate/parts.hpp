#pragma once
#include <string>

#include "calibrate/calibrate.hpp"
#include "measure/timing.hpp"

/// What the parts of a calibration share.
namespace spmvgen::calibration {

TimingPlan timing_plan(const CalibrationPlan& plan);

/// What is done a second, when `amount` is done in each call.
DeviceRate rate_of(const Timing& timing, int threads, double bytes, double amount);

/// "8 MB", in powers of 1000, as devices' sizes are told.
std::string amount_text(double bytes);

/// The kernels that a GPU is measured with, a step each, in this order.
enum class MicroKernel : std::size_t { nothing, read, copy, gather, atomics };
KernelSource micro_kernels(const Target& target);

/// All steps of a CPU, and of a GPU; the common ones, kernels and conversion.
std::vector<CalibrationStep> cpu_steps(const CalibrationPlan& plan);
std::vector<CalibrationStep> gpu_steps(const CalibrationPlan& plan);
void add_kernel_steps(const CalibrationPlan& plan, std::vector<CalibrationStep>& steps);
CalibrationStep conversion_step(const CalibrationPlan& plan);

}  // namespace spmvgen::calibration
