#pragma once
#include <filesystem>
#include <vector>

namespace spmvgen {

/// The folder that libspmvgen was loaded from, and the one that links lead to when it is another:
/// that one first. What belongs to the library is looked for beside it, wherever it was moved.
/// Empty when the dynamic linker cannot tell. Found once in a process.
const std::vector<std::filesystem::path>& library_folders();

}  // namespace spmvgen
