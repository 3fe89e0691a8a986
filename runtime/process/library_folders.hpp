#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace spmvgen {

/// The folder that libspmvgen was loaded from, and the one that links lead to when it is another:
/// that one first. What belongs to the library is looked for beside it, wherever it was moved.
/// Empty when the dynamic linker cannot tell. Found once in a process.
const std::vector<std::filesystem::path>& library_folders();

/// The file that is loaded, libspmvgen or what it is linked into; "" when that cannot be told.
std::string library_file();

}  // namespace spmvgen
