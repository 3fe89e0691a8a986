#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "devices/device.hpp"
#include "tuner/profiles/device_profile.hpp"

/// Measuring what predicting times needs to know of a device: once, for a file of tuning_db
/// (docs/reference/files.md).
namespace spmvgen {

struct CalibrationPlan {
    std::shared_ptr<Device> device;  ///< null = this CPU
    int threads = 0;                 ///< of a CPU, at most; 0 = what OpenMP would use
    double time_ms = 20;             ///< to time each figure for, after as much of warming up
    double most_bytes = 1e18;        ///< of memory to measure with: larger amounts are left out
};

/// One figure, or a few that are had together.
struct CalibrationStep {
    std::string name;  ///< for people: "gather, 8 MB"
    std::function<void(DeviceProfile&)> measure;
};

/// What there is to measure, in an order in which it can be done: the kernel that is timed as the
/// first of the process comes first. On the SIMT executor, whose times mean nothing, all is tiny.
/// The steps share memory and kernels with each other; run them on one thread.
std::vector<CalibrationStep> calibration_steps(const CalibrationPlan& plan);

/// One profile of several rounds: medians of their figures, which must be of the same plan; the
/// kernel that was the first is the first round's. A spread is the larger one of that within a
/// round and of that of the rounds.
DeviceProfile combined(const std::vector<DeviceProfile>& rounds);

/// A profile with what the driver tells of the device, and no figures yet.
DeviceProfile empty_profile(const CalibrationPlan& plan);

}  // namespace spmvgen
