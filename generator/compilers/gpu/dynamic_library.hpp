#pragma once
#include <string>
#include <vector>

namespace spmvgen {

/// A library opened at run time and never closed.
class DynamicLibrary {
  public:
    /// Opens the first of `names` (sonames or paths) that opens. Throws Error(unsupported) "WHAT is
    /// not found: looked for …".
    DynamicLibrary(const std::string& what, const std::vector<std::string>& names);

    /// The file, with symlinks followed.
    const std::string& path() const { return path_; }

    /// A function by its name. Throws Error(unsupported) when the library lacks it.
    template <typename Function>
    Function* function(const char* name) const {
        return reinterpret_cast<Function*>(symbol(name));
    }

  private:
    void* symbol(const char* name) const;

    void* handle_ = nullptr;
    std::string path_;
};

}  // namespace spmvgen
