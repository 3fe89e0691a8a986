#pragma once
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

/// The few calls of the operating system that the store needs. What fails throws
/// std::system_error with the errno and the step that failed, except where said.
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

/// Whether a name is one that publish_file gives to a file in the making.
bool is_temporary_name(std::string_view name);

/// Calls visit with the name of each thing in a directory, "." and ".." left out, in order.
void for_each_name(const File& directory, const std::function<void(const std::string&)>& visit);

}  // namespace spmvgen
