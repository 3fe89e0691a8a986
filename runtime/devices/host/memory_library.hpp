#pragma once
#include <memory>
#include <string>

namespace spmvgen {

/// A shared object of the host, loaded from memory and unloaded with its owner: compiled kernels of
/// the CPU and of the SIMT executor. Any number of threads may use it.
class MemoryLibrary {
  public:
    /// Loads without a file of its own where the system allows it. `name` is what debuggers show.
    /// Messages begin with `what` ("kernel NAME: its shared object cannot be loaded: …"). Throws
    /// Error(io).
    MemoryLibrary(const std::string& name, const std::string& bytes, const std::string& what);

    /// Null when there is no such symbol.
    void* symbol(const std::string& name) const;

  private:
    struct Close {
        void operator()(void* library) const noexcept;
    };
    std::unique_ptr<void, Close> library_;
};

}  // namespace spmvgen
