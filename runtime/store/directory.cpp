#include "store/directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>
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

namespace {

constexpr std::size_t digest_digits = 64;
constexpr std::string_view lock_suffix = ".lock";

bool is_hex(std::string_view text, std::size_t digits) {
    return text.size() == digits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_digest_with(std::string_view suffix, std::string_view name) {
    return name.ends_with(suffix) &&
           is_hex(name.substr(0, name.size() - suffix.size()), digest_digits - shard_digits);
}

}  // namespace

bool is_entry_name(std::string_view name) {
    return is_digest_with(entry_suffix, name);
}

std::string lock_name(std::string_view entry) {
    return std::string(entry.substr(0, entry.size() - entry_suffix.size())) +
           std::string(lock_suffix);
}

bool is_passing_name(std::string_view name) {
    return is_temporary_name(name) || is_digest_with(lock_suffix, name);
}

void for_each_file(const File& directory, const std::function<void(const StoredFile&)>& visit) {
    for_each_name(directory, [&](const std::string& shard_name) {
        if (!is_hex(shard_name, shard_digits)) return;
        const File shard = open_below(directory, shard_name);
        if (!shard) return;
        for_each_name(shard, [&](const std::string& name) { visit({shard, shard_name, name}); });
    });
}

Removal remove_file(const File& directory, const std::string& name,
                    const std::function<bool(const struct stat&)>& wanted) {
    struct stat now{};
    if (::fstatat(directory.get(), name.c_str(), &now, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(now.st_mode) || !wanted(now))
        return Removal::not_wanted;
    if (::unlinkat(directory.get(), name.c_str(), 0) == 0) return Removal::done;
    return errno == ENOENT ? Removal::not_wanted : Removal::refused;
}

}  // namespace spmvgen
