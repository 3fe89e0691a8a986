#pragma once
#include <optional>
#include <string>
#include <vector>

#include "devices/host/memory_library.hpp"
#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// A step of a kernel as the loaded code offers it (see Step).
using StepFunction = void (*)(void* const* arguments, int thread, int threads);

/// A shared object of the host in this process, ready to be called. Unloaded with the last owner.
/// Immutable: any number of threads may call its functions.
class LoadedKernel {
  public:
    /// Loads from memory, without a file of its own where the system allows it. Throws
    /// Error(unsupported) when this machine cannot run the kernel's target, Error(io) when the
    /// bytes cannot be loaded or lack a step's symbol, Error(invalid_argument) for another kind of
    /// binary.
    explicit LoadedKernel(const KernelBinary& binary);

    const Signature& signature() const { return signature_; }
    const LaunchDescription& launch() const { return launch_; }
    /// The emitted source; "" when the binary came without.
    const std::string& source() const { return source_; }
    /// The function of launch().steps[step].
    StepFunction function(std::size_t step) const { return functions_[step]; }

  private:
    Signature signature_;
    LaunchDescription launch_;
    std::string source_;
    std::optional<MemoryLibrary> library_;  ///< always there once constructed
    std::vector<StepFunction> functions_;
};

}  // namespace spmvgen
