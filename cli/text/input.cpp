#include "text/input.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "spmvgen/error.hpp"

namespace spmvgen::cli {

std::string bytes_of_file(const std::string& path) {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown))
        throw Error(ErrorCode::io, "it is a directory");
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file.peek() != EOF) text << file.rdbuf();
    if (!file.is_open() || file.bad() || text.fail())
        throw Error(ErrorCode::io,
                    errno != 0 ? std::generic_category().message(errno) : "it cannot be read");
    return text.str();
}

std::string text_of_file(const std::string& path) try {
    return bytes_of_file(path);
} catch (const Error& error) {
    throw Error(error.code(), path + ": cannot be read: " + error.what());
}

}  // namespace spmvgen::cli
