#include <map>
#include <mutex>

#include "tuner/dense_profile.hpp"

namespace spmvgen {
namespace {

/// By $SPMVGEN_TUNING_DB: a program may set it between two handles.
std::span<const ReadDenseProfile> all_profiles() {
    static std::mutex mutex;
    static std::map<std::string, std::vector<ReadDenseProfile>> known;
    const std::string given = given_tuning_folder();
    const std::lock_guard lock(mutex);
    auto found = known.find(given);
    if (found == known.end())
        found = known.emplace(given, read_dense_profiles(tuning_files("dense-"))).first;
    return found->second;
}

}  // namespace

FoundProfile find_dense_profile(std::string_view device, int threads) {
    return find_dense_profile(all_profiles(), device, threads);
}

}  // namespace spmvgen
