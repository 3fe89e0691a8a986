#include "matrix/files/output_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

gzFile handle(void* file) {
    return static_cast<gzFile>(file);
}

}  // namespace

OutputFile::OutputFile(const std::string& path, Form form) : path_(path) {
    // "T": zlib writes the bytes as they are.
    file_ = gzopen(path.c_str(), form == Form::gzip ? "wb6" : "wbT");
    if (file_ == nullptr) fail();
    gzbuffer(handle(file_), 1U << 18);
}

OutputFile::~OutputFile() {
    if (file_ == nullptr) return;
    gzclose(handle(file_));
    struct stat facts{};
    if (stat(path_.c_str(), &facts) == 0 && S_ISREG(facts.st_mode)) unlink(path_.c_str());
}

void OutputFile::write(const void* data, std::size_t bytes) {
    constexpr std::size_t most = std::size_t{1} << 30;
    const char* from = static_cast<const char*>(data);
    while (bytes > 0) {
        const auto part = static_cast<unsigned>(std::min(bytes, most));
        errno = 0;
        if (gzwrite(handle(file_), from, part) != static_cast<int>(part)) fail();
        from += part;
        bytes -= part;
    }
}

void OutputFile::finish() {
    errno = 0;
    const gzFile file = handle(file_);
    if (gzflush(file, Z_FINISH) != Z_OK) fail();
    file_ = nullptr;
    if (gzclose(file) == Z_OK) return;
    fail();
}

void OutputFile::fail() {
    const std::string reason =
        errno != 0 ? std::generic_category().message(errno) : std::string("out of memory");
    throw Error(ErrorCode::io, fmt::format("{}: cannot write: {}", path_, reason));
}

}  // namespace spmvgen
