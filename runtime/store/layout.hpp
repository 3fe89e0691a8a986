#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "store/files.hpp"

/// Names of files in a store's directory (runtime/store/README.md), and going through them.
namespace spmvgen {

inline constexpr std::size_t shard_digits = 2;
inline constexpr std::string_view entry_suffix = ".spmvk";
/// Locked while a process prunes; its time of change is when that was.
inline constexpr const char* prune_stamp = "pruned";
/// A temporary file of this age has no writer any more.
inline constexpr std::int64_t stale_after_seconds = 3600;

bool is_entry_name(std::string_view name);

/// Name of the file that is locked by who makes the kernel of the entry with this name.
std::string lock_name(std::string_view entry);
/// Whether a name is that of a file that a process leaves only when it crashes: an entry in the
/// making, or a lock.
bool is_passing_name(std::string_view name);

/// A file in one of the directories that can hold entries.
struct StoredFile {
    const File& shard;              ///< its directory
    const std::string& shard_name;  ///< two digits
    const std::string& name;
    std::string path() const { return shard_name + "/" + name; }
};

/// Calls visit for each of them, by path. Throws std::system_error.
void for_each_file(const File& directory, const std::function<void(const StoredFile&)>& visit);

enum class Removal { done, not_wanted, refused };

/// Removes a regular file that `wanted` approves of by its status.
Removal remove_file(const File& directory, const std::string& name,
                    const std::function<bool(const struct stat&)>& wanted);

inline bool same_file(const struct stat& a, const struct stat& b) {
    return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace spmvgen
