#include "output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "matrix/reader.hpp"
#include "spmvgen/error.hpp"

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

}  // namespace

void print_json(std::ostream& out, const Json& json) {
    out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

void write_file_with(const std::string& path,
                     const std::function<void(const std::string&)>& write) {
    std::error_code error;
    const auto status = fs::status(path, error);
    if (fs::is_directory(status)) refuse(path, "it is a directory");
    if (fs::exists(status) && !fs::is_regular_file(status)) return write(path);
    // The file that a link points to is replaced, not the link.
    const fs::path target =
        fs::is_symlink(path, error) ? fs::canonical(path, error) : fs::path(path);
    const std::string temporary = target.string() + ".tmp." + std::to_string(getpid());
    try {
        write(temporary);
        fs::rename(temporary, target, error);
        if (error) refuse(path, error.message());
    } catch (const Error& trouble) {
        fs::remove(temporary, error);
        throw named(trouble, temporary, path);
    } catch (...) {
        fs::remove(temporary, error);
        throw;
    }
}

void write_file(const std::string& path, std::string_view bytes, std::ostream& out) {
    if (path.empty() || path == "-") {
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        return;
    }
    write_file_with(path, [&](const std::string& name) { write_bytes(name, bytes); });
}

MatrixFile matrix_file_kind(const std::string& path, const std::string& to) {
    if (to == "mtx" || (to.empty() && path.ends_with(".mtx"))) return MatrixFile::matrix_market;
    if (to == "csr" || (to.empty() && path.ends_with(".csr"))) return MatrixFile::csr_binary;
    if (!to.empty()) throw UsageError("--to: unknown form '" + to + "': use mtx or csr");
    if (path.ends_with(".gz"))
        throw UsageError(path + ": gzipped files are read, not written: write " +
                         path.substr(0, path.size() - 3) + " and run gzip");
    throw UsageError(path + ": the name tells no form: use the suffix .mtx or .csr, or --to");
}

void save_matrix(const std::string& path, MatrixFile kind, const CsrView& matrix) {
    write_file_with(path, [&](const std::string& name) {
        if (kind == MatrixFile::matrix_market)
            write_matrix_market(name, matrix);
        else
            write_csr_binary(name, matrix);
    });
}

}  // namespace spmvgen::cli
