#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/tuning_files.hpp"

namespace spmvgen {

/// Reading `bytes` of memory, over and over: with few bytes from caches.
struct ReadRate {
    int threads = 0;  ///< of a CPU; 0 = a GPU
    double bytes = 0;
    double bytes_per_s = 0;
    bool operator==(const ReadRate&) const = default;
};

/// What a device was measured to do: a file of tuning_db, device-*.json (docs/handle.md).
struct DeviceProfile {
    std::string device;    ///< a GPU's name ("NVIDIA H200"), or of a CPU its architecture
    std::string date;      ///< of the measurement, "2026-11-21"
    std::string method;    ///< how it was measured, for people
    double launch_us = 0;  ///< of a GPU: a launch; of a CPU: a parallel region
    std::vector<ReadRate> read;
    std::string file = {};  ///< its name in tuning_db; no part of the text
    bool operator==(const DeviceProfile&) const = default;

    /// Bytes per second for so many: between two measured amounts on the line over the logarithm of
    /// the bytes, beyond the outermost its own. Of the numbers of threads that were measured, the
    /// nearest one counts.
    double read_rate(double bytes, int threads) const;
};

/// JSON, and back. Throws Error(invalid_input) that says what is wrong with the text: no JSON,
/// another kind or schema, a field that is missing or of another type, a figure that is not
/// positive.
std::string to_json(const DeviceProfile& profile);
DeviceProfile parse_device_profile(std::string_view text);

/// The profiles of the files, in order. What is broken or of another schema is left out, with a
/// line in `warnings` that says why.
std::vector<DeviceProfile> read_device_profiles(std::span<const TuningFile> files,
                                                std::vector<std::string>& warnings);

/// The profile of a device by that name among device-*.json of tuning_files(), or null. They are
/// read once in a process, warnings written to the log. Safe to call from any thread.
const DeviceProfile* find_device_profile(std::string_view device);

/// Microseconds of an apply that moves so many bytes in so many launches.
double predict_us(const DeviceProfile& profile, double bytes, int threads, int launches);

}  // namespace spmvgen
