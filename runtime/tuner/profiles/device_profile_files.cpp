#include <algorithm>
#include <map>
#include <mutex>

#include "process/log.hpp"
#include "tuner/profiles/device_profile_scaled.hpp"
#include "tuner/records/record_directory.hpp"

namespace spmvgen {
namespace {

/// Of $SPMVGEN_TUNING_DB, then the user's own, then those that ship; of that vendor, "" = of all.
const std::vector<DeviceProfile>& device_profiles_of(const std::string& vendor) {
    static std::mutex mutex;
    static std::map<std::string, std::vector<DeviceProfile>> known;
    static Log log;
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(vendor); found != known.end()) return found->second;
    constexpr std::string_view prefix = "device-";
    std::vector<std::string> warnings;
    std::vector<TuningFile> files = tuning_files(prefix, [&](std::string_view name) {
        return vendor.empty() || may_be_of_vendor(name, vendor);
    });
    std::vector<TuningFile> own = read_own_files(locate_records(), prefix, warnings);
    files.insert(std::ranges::find_if(files, &TuningFile::shipped),
                 std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    auto read = read_device_profiles(files, warnings, vendor);
    for (auto& warning : warnings) log.warn(warning);
    return known.emplace(vendor, std::move(read)).first->second;
}

}  // namespace

const DeviceProfile* find_device_profile(std::string_view device) {
    return find_named_profile(device_profiles_of(""), device);
}

FoundDeviceProfile find_device_profile(std::string_view device, const Target& target, int units,
                                       const DeviceSheet& rated) {
    static ScaledProfiles made;
    DeviceProfile wanted;
    wanted.device = device;
    wanted.arch = target.arch;
    wanted.units = units;
    wanted.rated = rated;
    return find_device_profile(device_profiles_of(vendor_of(target.arch)), wanted, target, made);
}

std::string keep_profile(const DeviceProfile& profile) {
    return keep_own_file(device_file_name(profile), to_json(profile));
}

}  // namespace spmvgen
