#include "store/directory.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "store/key.hpp"

namespace spmvgen {

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

namespace {

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

std::string default_directory(const UserDirectory& names) {
    // A relative $XDG_CACHE_HOME is to be ignored, says the XDG base directory specification.
    if (const std::string base = environment(names.base_variable); is_absolute(base))
        return absolute(base + names.tail);
    const std::string home = home_directory();
    return home.empty() ? "" : absolute(home + names.base_in_home + names.tail);
}

std::string why_foreign(const struct stat& s, bool roots_too) {
    const uid_t me = ::geteuid(), owner = s.st_uid;
    if (owner == me || (roots_too && owner == 0)) return "";
    return fmt::format("it belongs to user {}, and this process is user {}", owner, me);
}

const char* who_else_writes(unsigned mode) {
    return mode & 0002u ? "every user" : mode & 0020u ? "its group" : nullptr;
}

}  // namespace

Location locate_user_directory(const std::string& directory, const UserDirectory& names) {
    if (!directory.empty()) return {absolute(directory), true};
    if (const std::string asked = environment(names.variable); !asked.empty())
        return {absolute(asked), true};
    return {default_directory(names), false};
}

Location locate_directory(const std::string& directory) {
    return locate_user_directory(directory, {"SPMVGEN_CACHE_DIR", "XDG_CACHE_HOME", "/.cache",
                                             fmt::format("/spmvgen/v{}", store_format)});
}

std::string why_unsafe(const struct stat& directory, bool given) {
    if (const auto why = why_foreign(directory, given); !why.empty()) return why;
    const unsigned mode = directory.st_mode & 07777u;
    const char* who = who_else_writes(mode);
    return who == nullptr
               ? ""
               : fmt::format("{} may write to it (mode {:04o}); chmod 700 mends that", who, mode);
}

std::string why_unsafe_entry(const struct stat& file) {
    if (const auto why = why_foreign(file, true); !why.empty()) return why;
    const unsigned mode = file.st_mode & 07777u;
    const char* who = who_else_writes(mode);
    return who == nullptr ? "" : fmt::format("{} may write to it (mode {:04o})", who, mode);
}

}  // namespace spmvgen
