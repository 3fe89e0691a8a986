#pragma once
#include <string>
#include <vector>

namespace spmvgen {

/// A vendor's library, opened at run time and never closed: they start threads of their own and are
/// not made to be unloaded.
class VendorLibrary {
  public:
    /// Opens the file that the environment variable `variable` names; when it is not set or empty,
    /// the first of `names` (sonames or paths) that opens. `what`: "CUDA driver". Throws
    /// Error(unsupported) that tells what was looked for.
    VendorLibrary(const std::string& what, const char* variable,
                  const std::vector<std::string>& names);

    /// Opens this file (a soname or a path) and no other. Throws Error(unsupported) with the
    /// loader's words.
    explicit VendorLibrary(const std::string& name);

    /// The file, with symbolic links followed.
    const std::string& path() const { return path_; }

    /// Null when the library lacks it.
    void* find(const char* symbol) const;
    /// Throws Error(unsupported) when the library lacks it.
    void* get(const char* symbol) const;

  private:
    void* handle_ = nullptr;
    std::string path_;
};

}  // namespace spmvgen
