#include "store/layout.hpp"

#include <fcntl.h>

#include <cerrno>

namespace spmvgen {
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
