#include <algorithm>

#include "process/log.hpp"
#include "tuner/profiles/device_profile_scaled.hpp"
#include "tuner/records/record_directory.hpp"

namespace spmvgen {
namespace {

/// Of $SPMVGEN_TUNING_DB, then the user's own, then those that ship.
const std::vector<DeviceProfile>& all_device_profiles() {
    static const std::vector<DeviceProfile> profiles = [] {
        constexpr std::string_view prefix = "device-";
        std::vector<std::string> warnings;
        std::vector<TuningFile> files = tuning_files(prefix);
        std::vector<TuningFile> own = read_own_files(locate_records(), prefix, warnings);
        files.insert(std::ranges::find_if(files, &TuningFile::shipped),
                     std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
        auto read = read_device_profiles(files, warnings);
        Log log;
        for (auto& warning : warnings) log.warn(warning);
        return read;
    }();
    return profiles;
}

}  // namespace

const DeviceProfile* find_device_profile(std::string_view device) {
    return find_named_profile(all_device_profiles(), device);
}

FoundDeviceProfile find_device_profile(std::string_view device, const Target& target, int units,
                                       const DeviceSheet& rated) {
    static ScaledProfiles made;
    DeviceProfile wanted;
    wanted.device = device;
    wanted.arch = target.arch;
    wanted.units = units;
    wanted.rated = rated;
    return find_device_profile(all_device_profiles(), wanted, target, made);
}

std::string keep_profile(const DeviceProfile& profile) {
    return keep_own_file(device_file_name(profile), to_json(profile));
}

}  // namespace spmvgen
