#pragma once
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>

namespace spmvgen {

/// One end of a pipe or a file in memory, closed with this object.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() { reset(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const { return fd_; }
    /// A name by which a library can open it.
    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
    void reset() {
        if (fd_ >= 0) close(fd_);
        fd_ = -1;
    }

  private:
    int fd_;
};

/// False, with errno set, when not all can be written.
inline bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno != EINTR) return false;
        if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

}  // namespace spmvgen
