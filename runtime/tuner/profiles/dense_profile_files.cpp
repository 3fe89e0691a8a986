#include <map>
#include <mutex>
#include <utility>

#include "tuner/profiles/dense_profile.hpp"
#include "tuner/profiles/device_profile.hpp"

namespace spmvgen {
namespace {

/// Those of a device; of files that ship, the others are not parsed. By $SPMVGEN_TUNING_DB: a
/// program may set it between two handles.
std::span<const ReadDenseProfile> profiles_of(std::string_view device) {
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

FoundProfile find_dense_profile(std::string_view device, int threads) {
    return find_dense_profile(profiles_of(device), device, threads);
}

}  // namespace spmvgen
