#pragma once
#include <optional>

#include "devices/device.hpp"
#include "matrix/features/features.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {

/// The profile of the device, or the nearest one (find_device_profile); null for the SIMT executor,
/// which is near to none. `device` is null for this CPU.
FoundDeviceProfile nearest_profile(const Target& target, const Device* device);

/// The profile by which times of kernels are predicted (Request::profile): of a GPU its own, one
/// that is scaled to it, or a measured one of its architecture, of this CPU (`device` is null) one
/// of its architecture that was measured with half to twice as many threads as take part; with
/// gathers that were measured, not assumed. Null when there is none, and for the SIMT executor.
const DeviceProfile* profile_to_predict(const Target& target, const Device* device,
                                        int threads = 0);

/// What a device is known to stream before anything ran on it: by its profile, or that of the
/// nearest one.
class DeviceSpeed {
  public:
    /// `device` is null for this CPU, of which `threads` take part.
    DeviceSpeed(const Target& target, const Device* device, int threads);

    /// Null when there is none.
    const DeviceProfile* profile() const { return profile_; }
    /// Microseconds to stream so many bytes once; nothing without a profile.
    std::optional<double> stream_us(double bytes) const;

  private:
    const DeviceProfile* profile_;
    bool gpu_;
    int threads_;
};

}  // namespace spmvgen
