#pragma once
#include <string>

namespace spmvgen::cli {

/// The bytes of a file, which may be a pipe. Throws Error(io) that says why there are none, without
/// the path, which its caller names.
std::string bytes_of_file(const std::string& path);

/// The same with the path in the message.
std::string text_of_file(const std::string& path);

}  // namespace spmvgen::cli
