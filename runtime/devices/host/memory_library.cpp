#include "devices/host/memory_library.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// A file descriptor that is closed at the end of its scope.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd_ >= 0) close(fd_);
    }
    int get() const { return fd_; }

  private:
    int fd_;
};

bool write_all(int fd, const std::string& bytes) {
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> count{0};
    return count.fetch_add(1, std::memory_order_relaxed);
}

/// A spelling of the descriptor's path that no call had before. The dynamic loader takes a path
/// that it has seen for the library that it loaded then, and descriptor numbers come again.
std::string unique_descriptor_path(int fd) {
    std::string path = "/proc/self/fd/";
    for (std::uint64_t n = next_number(); n != 0; n >>= 1) path += (n & 1) != 0 ? "./" : "/";
    return path + std::to_string(fd);
}

/// Null when the system has no memory files or does not run code from them.
void* open_in_memory(const std::string& name, const std::string& bytes) {
    const Descriptor file(memfd_create(name.substr(0, 200).c_str(), MFD_CLOEXEC));
    if (file.get() < 0 || !write_all(file.get(), bytes)) return nullptr;
    return dlopen(unique_descriptor_path(file.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
}

/// The same through a private file, which is gone again when this returns.
void* open_through_file(const std::string& bytes, const std::string& what) {
    const char* folder = std::getenv("TMPDIR");
    std::string path = fmt::format("{}/spmvgen-{}-{}-XXXXXX",
                                   folder != nullptr && *folder != '\0' ? folder : "/tmp", getpid(),
                                   next_number());
    const Descriptor file(mkostemp(path.data(), O_CLOEXEC));
    if (file.get() < 0)
        throw Error(ErrorCode::io,
                    fmt::format("{}: cannot create {}: {}", what, path, std::strerror(errno)));
    void* library = nullptr;
    if (write_all(file.get(), bytes)) library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    unlink(path.c_str());
    return library;
}

}  // namespace

void MemoryLibrary::Close::operator()(void* library) const noexcept {
    dlclose(library);
}

MemoryLibrary::MemoryLibrary(const std::string& name, const std::string& bytes,
                             const std::string& what)
    : library_(open_in_memory(name, bytes)) {
    if (library_ == nullptr) library_.reset(open_through_file(bytes, what));
    if (library_ == nullptr) {
        const char* why = dlerror();
        throw Error(ErrorCode::io,
                    fmt::format("{}: its shared object cannot be loaded: {}", what,
                                why != nullptr ? why : "the temporary file cannot be written"));
    }
}

void* MemoryLibrary::symbol(const std::string& name) const {
    return dlsym(library_.get(), name.c_str());
}

}  // namespace spmvgen
