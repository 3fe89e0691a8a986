#include "sets/trust.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "process/library_folders.hpp"

namespace spmvgen {
namespace {

bool owns_the_library(uid_t user) {
    return std::ranges::any_of(library_folders(), [&](const std::filesystem::path& folder) {
        struct stat s{};
        return ::stat(folder.c_str(), &s) == 0 && s.st_uid == user;
    });
}

}  // namespace

std::string why_untrusted(const struct stat& file) {
    const uid_t me = ::geteuid(), owner = file.st_uid;
    if (owner != me && owner != 0 && !owns_the_library(owner))
        return fmt::format(
            "it belongs to user {}, who is neither this process's user {}, nor root, "
            "nor the owner of libspmvgen",
            owner, me);
    if (file.st_mode & 0002u)
        return fmt::format("every user may write to it (mode {:04o}); chmod o-w mends that",
                           file.st_mode & 07777u);
    return "";
}

}  // namespace spmvgen
