#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "devices/bound_arguments.hpp"
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

/// A loaded kernel with the arrays and scalars of one matrix put to its arguments by name.
/// Made once: run() may be called from any number of threads at once, each with its own y
/// and workspace. The matrix's arrays must outlive it.
class BoundKernel {
  public:
    /// Throws Error(internal) as BoundArguments does.
    BoundKernel(std::shared_ptr<const LoadedKernel> kernel, const StoredMatrix& matrix);

    /// Bytes that run() wants for that many threads; 0 = no workspace.
    std::size_t workspace_bytes(int threads) const;

    /// Runs all steps in a team of at most `threads` threads; fewer when OpenMP gives fewer, as
    /// within another parallel region. Allocates nothing.
    void run(const Operands& operands, int threads, std::byte* workspace) const noexcept;

    /// Puts another array in the place of the one of that name; no run() at the same time.
    void replace_array(std::string_view name, const void* array) {
        arguments_.replace_array(name, array);
    }

    const LoadedKernel& kernel() const { return *kernel_; }

  private:
    void run_steps(const BoundArguments::Filled& arguments, int thread, int team) const noexcept;

    std::shared_ptr<const LoadedKernel> kernel_;
    BoundArguments arguments_;
};

}  // namespace spmvgen
