#pragma once
#include <list>
#include <mutex>
#include <optional>
#include <span>

#include "tuner/profiles/device_profile.hpp"

/// Profiles of GPUs that nobody measured, from a measured one and the figures of two data sheets
/// (docs/reference/files.md).
namespace spmvgen {

/// The profile of a GPU as `from` and the sheets of both have it. Of `to` only the name, the
/// architecture, the units and `rated` are looked at. Rates of bytes that fit in the L2 of `from`
/// go with units x clock, those of four times as many with the memory's bandwidth, between them the
/// factor goes over the logarithm of the bytes. Amounts of bytes go with the L2, but for those that
/// a multiprocessor's own cache holds, and stay above these. What the cost of a launch and the
/// host's times are stays. A figure that either does not know scales nothing.
DeviceProfile scaled(const DeviceProfile& from, const DeviceProfile& to);

/// `wanted` (as `to` above) scaled from the profile of the nearest architecture, of several from
/// that whose sheet is nearest. Nothing when `wanted` is no NVIDIA GPU, or its units, bandwidth or
/// L2 are not known, and when no NVIDIA GPU of `profiles` was measured and knows them.
std::optional<DeviceProfile> scaled_from_nearest(std::span<const DeviceProfile> profiles,
                                                 const DeviceProfile& wanted);

/// What was scaled, each profile once: those that are equal are one. They live as long as this.
/// Safe to call from any thread.
class ScaledProfiles {
  public:
    const DeviceProfile& keep(DeviceProfile profile);

  private:
    std::mutex mutex_;
    std::list<DeviceProfile> profiles_;
};

/// The profile of a device by its name if it was measured; else one that is scaled, as above, to
/// what its driver says (`wanted`) and, where that says nothing, a profile by its name; else as
/// find_device_profile(profiles, device, target). What is scaled is kept in `made`, which must
/// outlive the answer.
FoundDeviceProfile find_device_profile(std::span<const DeviceProfile> profiles,
                                       const DeviceProfile& wanted, const Target& target,
                                       ScaledProfiles& made);

}  // namespace spmvgen
