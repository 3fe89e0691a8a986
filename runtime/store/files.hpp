#pragma once
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

/// The few calls of the operating system that the store needs; where a user's directories are, and
/// whether they are safe. What fails throws std::system_error with the errno and the step that
/// failed, except where said.
namespace spmvgen {

/// An open file or directory; closed with the object.
class File {
  public:
    File() = default;
    explicit File(int descriptor) : descriptor_(descriptor) {}
    File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    File& operator=(File&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }
    ~File() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    explicit operator bool() const noexcept { return descriptor_ >= 0; }
    int get() const noexcept { return descriptor_; }
    /// Gives up the descriptor without closing it.
    int release() noexcept { return std::exchange(descriptor_, -1); }

  private:
    int descriptor_ = -1;
};

/// Opens an existing directory. No object and errno set when that fails.
File open_directory(const std::string& path);

/// Opens a directory in another, not through a link. No object and errno set when that fails.
File open_below(const File& directory, const std::string& name);

/// Opens a regular file for reading, below a directory, not through a link in its last component.
/// No object and errno set when that fails; a thing that is no regular file throws EINVAL.
File open_file(int directory, const std::string& path);

struct stat status(const File& file);

/// Bytes [offset, offset + count) of a file; fewer when it ends before.
std::string read_bytes(const File& file, std::uint64_t count, std::uint64_t offset = 0);

/// Sets when the file was last changed, seconds since 1970; whether it could.
bool set_changed(const File& file, std::int64_t seconds);

/// mkdir -p: each component that is made gets mode 0700, those that exist stay as they are.
void make_directories(const std::string& path);

/// Makes (0700) and opens a directory below another.
File make_directory(const File& parent, const std::string& name);

/// Writes a whole file so that nobody ever sees a part of it under `name`: to a temporary name in
/// the same directory, then renamed. `sync`: on the disk before it gets its name. Nothing is left
/// behind when it fails.
void publish_file(int directory, const std::string& name, std::string_view bytes, bool sync);

/// Opens a regular file below a directory, not through a link, to add to its end; makes it (0600)
/// where there is none. No object and errno set when that fails.
File open_to_append(int directory, const std::string& name);

/// Adds a text to such a file by one call of the system, so that texts of several processes do not
/// mix.
void append_to(const File& file, std::string_view text);

/// Whether a name is one that publish_file gives to a file in the making.
bool is_temporary_name(std::string_view name);

/// Calls visit with the name of each thing in a directory, "." and ".." left out, in order.
void for_each_name(const File& directory, const std::function<void(const std::string&)>& visit);

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
/// Choices of kernels (SharedLines).
inline constexpr const char* choices_name = "choices";
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
