#include "handle/plan/device_speed.hpp"

#include <algorithm>

#include "tuner/records/record.hpp"

namespace spmvgen {

namespace {

/// The name of its profile in tuning_db: of a GPU its own, of a CPU its architecture.
std::string profile_name(const Target& target, const Device* device) {
    return device == nullptr ? target.arch : device->facts().name;
}

}  // namespace

FoundDeviceProfile nearest_profile(const Target& target, const Device* device) {
    const std::string name = profile_name(target, device);
    if (device != nullptr && record_device(target, name).vendor == simulated_vendor) return {};
    if (device == nullptr) return find_device_profile(name, target);
    return find_device_profile(name, target, device->facts().units, device->facts().rated);
}

const DeviceProfile* profile_to_predict(const Target& target, const Device* device, int threads) {
    const auto [profile, match, note] = nearest_profile(target, device);
    if (profile == nullptr || match == ProfileMatch::vendor) return nullptr;
    // Scaled to another GPU than this one.
    if (match == ProfileMatch::architecture && profile->source == scaled_source) return nullptr;
    const auto is_near = [&](const DeviceRate& rate) {
        return threads <= 2 * rate.threads && rate.threads <= 2 * threads;
    };
    if (device == nullptr && std::ranges::none_of(profile->read, is_near)) return nullptr;
    const bool assumed = std::ranges::find(profile->assumed, "gather") != profile->assumed.end();
    return assumed || profile->gather.empty() ? nullptr : profile;
}

DeviceSpeed::DeviceSpeed(const Target& target, const Device* device, int threads)
    : profile_(nearest_profile(target, device).profile),
      gpu_(device != nullptr),
      threads_(device != nullptr ? 0 : threads) {}

std::optional<double> DeviceSpeed::stream_us(double bytes) const {
    if (profile_ == nullptr) return std::nullopt;
    return predict_us(*profile_, bytes, threads_, gpu_ || threads_ > 1 ? 1 : 0);
}

}  // namespace spmvgen
