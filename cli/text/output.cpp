#include "text/output.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "matrix/read/reader.hpp"
#include "spmvgen/error.hpp"
#include "text/temporary_file.hpp"

namespace spmvgen::cli {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
    throw Error(ErrorCode::io, path + ": cannot write: " + reason);
}

/// The message of a writer that wrote to `temporary`, with the name that the user gave.
Error named(const Error& error, const std::string& temporary, const std::string& path) {
    std::string text = error.what();
    if (const auto at = text.find(temporary); at != std::string::npos)
        text.replace(at, temporary.size(), path);
    return Error(error.code(), text);
}

void write_bytes(const std::string& path, std::string_view bytes) {
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file) refuse(path, errno != 0 ? std::strerror(errno) : "unknown reason");
}

/// A file in memory, for writers that want a name.
class MemoryFile {
  public:
    MemoryFile() : file_(memfd_create("spmvgen-output", MFD_CLOEXEC)) {
        if (file_ < 0) refuse("-", std::strerror(errno));
    }
    ~MemoryFile() { close(file_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    std::string name() const { return "/proc/self/fd/" + std::to_string(file_); }
    void copy_to(std::ostream& out) const {
        std::vector<char> part(std::size_t{1} << 20);
        off_t at = 0;
        for (ssize_t got = 0; (got = pread(file_, part.data(), part.size(), at)) > 0; at += got)
            out.write(part.data(), got);
    }

  private:
    int file_;
};

void write_to_stream(std::ostream& out, const std::function<void(const std::string&)>& write) {
    const MemoryFile file;
    try {
        write(file.name());
    } catch (const Error& trouble) {
        throw named(trouble, file.name(), std::string(standard_output));
    }
    file.copy_to(out);
}

}  // namespace

void print_json(std::ostream& out, const Json& json) {
    out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

std::string output_name(const std::string& path) {
    return is_standard_output(path) ? std::string(standard_output) : path;
}

bool is_same_file(const std::string& one, const std::string& other) {
    if (one.empty() || is_standard_output(one) || other.empty() || is_standard_output(other))
        return false;
    std::error_code none;
    const auto status = fs::status(one, none);
    if (fs::exists(status) && !fs::is_regular_file(status)) return false;
    return fs::equivalent(one, other, none) || fs::absolute(one, none).lexically_normal() ==
                                                   fs::absolute(other, none).lexically_normal();
}

void write_file_with(const std::string& path, std::ostream& out,
                     const std::function<void(const std::string&)>& write) {
    if (is_standard_output(path)) return write_to_stream(out, write);
    std::error_code error;
    const auto status = fs::status(path, error);
    if (fs::is_directory(status)) refuse(path, "it is a directory");
    if (fs::exists(status) && !fs::is_regular_file(status)) return write(path);
    // The file that a link points to is replaced, not the link.
    fs::path target = path;
    if (fs::is_symlink(path, error)) {
        target = fs::canonical(path, error);
        if (error) refuse(path, error.message());
    }
    const TemporaryFile temporary(target.string() + ".tmp." + std::to_string(getpid()));
    try {
        write(temporary.path());
        fs::rename(temporary.path(), target, error);
        if (error) refuse(path, error.message());
    } catch (const Error& trouble) {
        throw named(trouble, temporary.path(), path);
    }
}

void write_file(const std::string& path, std::string_view bytes, std::ostream& out) {
    if (path.empty() || is_standard_output(path)) {
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return;
    }
    write_file_with(path, out, [&](const std::string& name) { write_bytes(name, bytes); });
}

void check_not_gzipped(const std::string& path) {
    if (path.ends_with(".gz"))
        throw UsageError(path + ": gzipped files are read, not written: write " +
                         path.substr(0, path.size() - 3) + " and run gzip");
}

MatrixFile matrix_file_kind(const std::string& path, const std::string& to) {
    if (to == "mtx" || (to.empty() && path.ends_with(".mtx"))) return MatrixFile::matrix_market;
    if (to == "csr" || (to.empty() && path.ends_with(".csr"))) return MatrixFile::csr_binary;
    if (!to.empty()) throw UsageError("--to: unknown form '" + to + "': use mtx or csr");
    check_not_gzipped(path);
    if (is_standard_output(path))
        throw UsageError(
            "-: standard output has no suffix that shows the form: use --to mtx or "
            "--to csr");
    throw UsageError(path + ": the name shows no form: use the suffix .mtx or .csr, or --to");
}

void save_matrix(const std::string& path, MatrixFile kind, const CsrView& matrix,
                 std::ostream& out) {
    write_file_with(path, out, [&](const std::string& name) {
        if (kind == MatrixFile::matrix_market)
            write_matrix_market(name, matrix);
        else
            write_csr_binary(name, matrix);
    });
}

}  // namespace spmvgen::cli
