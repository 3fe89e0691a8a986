#include "tuner/recall/situation.hpp"

#include <fcntl.h>

#include <map>
#include <mutex>
#include <string>
#include <system_error>

#include "process/library_folders.hpp"
#include "store/files.hpp"
#include "store/key.hpp"
#include "tuner/files/tuning_files.hpp"
#include "tuner/recall/digest.hpp"

namespace spmvgen {
namespace {

void add_file(Digest& digest, int directory, const std::string& path) {
    struct stat seen{};
    if (::fstatat(directory, path.c_str(), &seen, 0) != 0) return;
    digest.add(std::string_view(path));
    for (const std::int64_t number : {std::int64_t{seen.st_size}, std::int64_t{seen.st_mtim.tv_sec},
                                      std::int64_t{seen.st_mtim.tv_nsec}})
        digest.add(number);
}

/// All but records, by which level rule does not choose.
void add_folder(Digest& digest, const std::string& path) try {
    const File folder = path.empty() ? File() : open_directory(path);
    if (!folder) return;
    for_each_name(folder, [&](const std::string& name) {
        if (!name.starts_with("record")) add_file(digest, folder.get(), name);
    });
} catch (const std::system_error&) {  // then it is not read for a choice either
}

std::uint64_t find_situation(const std::string& given) {
    Digest digest;
    digest.add(std::string_view(this_maker().generator));
    add_file(digest, AT_FDCWD, library_file());
    add_folder(digest, given);
    add_folder(digest, shipped_tuning_folder());
    return digest.bits()[0];
}

struct DigestOfProfile {
    DeviceProfile profile;
    std::uint64_t bits = 0;
};

/// What was looked up.
struct Situations {
    std::mutex mutex;
    std::map<std::string, std::uint64_t> of_folder;
    std::map<const DeviceProfile*, DigestOfProfile> of_profile;  ///< by where it is

    std::uint64_t folder(const std::string& given) {
        const auto [found, is_new] = of_folder.try_emplace(given, 0);
        if (is_new) found->second = find_situation(given);
        return found->second;
    }
    std::uint64_t profile(const DeviceProfile& profile, bool of_cpu) {
        DigestOfProfile& known = of_profile[&profile];
        if (known.bits != 0 && known.profile == profile) return known.bits;
        Digest digest;
        digest.add(std::string_view(to_json(of_cpu ? without_core_rates(profile) : profile)));
        known = {profile, digest.bits()[0]};
        return known.bits;
    }
};

}  // namespace

std::uint64_t situation_of(const DeviceProfile& profile, bool of_cpu) {
    static Situations known;
    const std::scoped_lock lock(known.mutex);
    Digest digest;
    digest.add(known.folder(given_tuning_folder()));
    digest.add(known.profile(profile, of_cpu));
    return digest.bits()[0];
}

}  // namespace spmvgen
