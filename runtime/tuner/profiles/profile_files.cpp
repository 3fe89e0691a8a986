// The profiles of the files that this process finds, read once.
#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "process/log.hpp"
#include "tuner/profiles/dense_profile.hpp"
#include "tuner/profiles/device_profile_scaled.hpp"
#include "tuner/records/record_directory.hpp"

namespace spmvgen {
namespace {

/// Device profiles of $SPMVGEN_TUNING_DB, then the user's own, then those that ship; of that
/// vendor, "" = of all.
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

/// Dense profiles of a device; of files that ship, the others are not parsed. By
/// $SPMVGEN_TUNING_DB: a program may set it between two handles.
std::span<const ReadDenseProfile> dense_profiles_of(std::string_view device) {
    static std::mutex mutex;
    static std::map<std::pair<std::string, std::string>, std::vector<ReadDenseProfile>> known;
    const std::pair key{given_tuning_folder(), std::string(device)};
    const std::lock_guard lock(mutex);
    const auto [found, is_new] = known.try_emplace(key);
    if (is_new) {
        DenseProfile wanted;
        wanted.device = device;
        const std::string stem = profile_file_name(wanted);
        auto files = tuning_files("dense-", [&](std::string_view name) {
            return may_be_of_vendor(name, "") || name.starts_with(stem.substr(0, stem.rfind('.')));
        });
        std::erase_if(files, [&](const TuningFile& file) {
            return file.shipped() && file.text.find(device) == std::string::npos;
        });
        found->second = read_dense_profiles(files);
    }
    return found->second;
}

}  // namespace

const DeviceProfile* find_device_profile(std::string_view device) {
    return find_named_profile(device_profiles_of(""), device);
}

FoundDeviceProfile find_device_profile(std::string_view device, const Target& target, int units,
                                       const DeviceSheet& rated) {
    const auto& profiles = device_profiles_of(vendor_of(target.arch));
    if (architecture(target).kind == TargetKind::host)  // of which none is scaled
        return find_device_profile(profiles, device, target);
    static ScaledProfiles made;
    DeviceProfile wanted;
    wanted.device = device;
    wanted.arch = target.arch;
    wanted.units = units;
    wanted.rated = rated;
    return find_device_profile(profiles, wanted, target, made);
}

std::string keep_profile(const DeviceProfile& profile) {
    return keep_own_file(device_file_name(profile), to_json(profile));
}

FoundProfile find_dense_profile(std::string_view device, int threads) {
    return find_dense_profile(dense_profiles_of(device), device, threads);
}

}  // namespace spmvgen
