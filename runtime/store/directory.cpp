#include "store/directory.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "store/key.hpp"

namespace spmvgen {
namespace {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

bool is_absolute(const std::string& path) {
    return path.starts_with('/');
}

std::string absolute(const std::string& path) {
    std::error_code error;
    std::string whole = std::filesystem::absolute(path, error).string();
    while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
    return error ? "" : whole;
}

std::string home_directory() {
    if (const std::string home = environment("HOME"); is_absolute(home)) return home;
    std::vector<char> buffer(16384);
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found &&
        found->pw_dir && is_absolute(found->pw_dir))
        return found->pw_dir;
    return "";
}

std::string default_directory() {
    const std::string tail = fmt::format("/spmvgen/v{}", store_format);
    // A relative $XDG_CACHE_HOME is to be ignored, says the XDG base directory specification.
    if (const std::string cache = environment("XDG_CACHE_HOME"); is_absolute(cache))
        return absolute(cache + tail);
    const std::string home = home_directory();
    return home.empty() ? "" : absolute(home + "/.cache" + tail);
}

}  // namespace

Location locate_directory(const std::string& directory) {
    if (!directory.empty()) return {absolute(directory), true};
    if (const std::string asked = environment("SPMVGEN_CACHE_DIR"); !asked.empty())
        return {absolute(asked), true};
    return {default_directory(), false};
}

std::string why_unsafe(const struct stat& directory, bool given) {
    const uid_t me = ::geteuid(), owner = directory.st_uid;
    if (owner != me && !(given && owner == 0))
        return fmt::format("it belongs to user {}, and this process is user {}", owner, me);
    const unsigned mode = directory.st_mode & 07777u;
    if (mode & 0002u)
        return fmt::format("every user may write to it (mode {:04o}); chmod 700 mends that", mode);
    if (!given && mode & 0020u)
        return fmt::format("its group may write to it (mode {:04o}); chmod 700 mends that", mode);
    return "";
}

}  // namespace spmvgen
