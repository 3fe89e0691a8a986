#pragma once
#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "store/files.hpp"

namespace spmvgen {

/// The environment variable `name`; "" when it is unset.
std::string environment(const char* name);

/// Where a store's directory came from decides how strictly it is judged.
struct Location {
    std::string path;    ///< absolute; "" = there is none
    bool given = false;  ///< asked for by the caller or by $SPMVGEN_CACHE_DIR
};

/// Where a user's own directory is looked for.
struct UserDirectory {
    const char* variable;       ///< that names the directory itself: "SPMVGEN_CACHE_DIR"
    const char* base_variable;  ///< of the XDG base directory specification: "XDG_CACHE_HOME"
    const char* base_in_home;   ///< what that is when it is unset: "/.cache"
    std::string tail;           ///< below it: "/spmvgen/v2"
};

/// `directory`, else $variable, else $base_variable + tail, else the home + base_in_home + tail.
/// The home is $HOME, else that of the user database.
Location locate_user_directory(const std::string& directory, const UserDirectory& names);

/// `directory`, else $SPMVGEN_CACHE_DIR, else $XDG_CACHE_HOME/spmvgen/v2, else ~/.cache/spmvgen/v2.
Location locate_directory(const std::string& directory);

/// Why code must not be loaded from a directory with this status; "" = it may be. Root's own is all
/// right when it was asked for: root can replace every program anyway.
std::string why_unsafe(const struct stat& directory, bool given);

/// The same of an entry in a directory that is all right.
std::string why_unsafe_entry(const struct stat& file);

// Names of files in a store's directory (runtime/store/README.md), and going through them.

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
