#include "matrix/files/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void io_error(const std::string& path, const char* what) {
    const std::string reason = std::generic_category().message(errno);
    throw Error(ErrorCode::io, fmt::format("{}: cannot {}: {}", path, what, reason));
}

}  // namespace

InputFile::InputFile(const std::string& path) : path_(path) {
    // O_NONBLOCK: opening a pipe without a writer must not wait for one.
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) io_error(path, "open");
    struct stat facts{};
    const bool known = fstat(descriptor_, &facts) == 0;
    if (known && S_ISREG(facts.st_mode)) {
        size_ = facts.st_size;
        return;
    }
    const int reason = errno;
    close(descriptor_);
    errno = reason;
    if (!known) io_error(path, "read");
    if (S_ISDIR(facts.st_mode))
        throw Error(ErrorCode::invalid_input,
                    path + ": is a directory: name a matrix file inside it");
    throw Error(ErrorCode::invalid_input,
                path + ": is not a regular file: save the matrix in a file first");
}

InputFile::~InputFile() {
    close(descriptor_);
}

std::size_t InputFile::read(void* to, std::size_t bytes, std::int64_t offset) const {
    constexpr std::size_t most = std::size_t{1} << 30;
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t got = pread(descriptor_, static_cast<char*>(to) + done,
                                  std::min(bytes - done, most), offset + static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) io_error(path_, "read");
        if (got == 0) break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

}  // namespace spmvgen
