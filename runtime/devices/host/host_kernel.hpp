#pragma once
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "devices/bound_arguments.hpp"
#include "matrix/buffer.hpp"
#include "spmvgen/kernel.hpp"

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

/// Scratch memory for applies that run at the same time: as many blocks as there were ever applies
/// at once, each taken by one of them. Safe for any number of threads.
class ScratchPool {
  public:
    /// A block on loan; goes back at the end of its scope.
    class Loan {
      public:
        Loan(ScratchPool& pool, std::size_t bytes) : pool_(pool), block_(pool.take(bytes)) {}
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        ~Loan() { pool_.give_back(std::move(block_)); }
        /// At least the bytes asked for, 64-byte aligned; null when none were asked for.
        std::byte* data() { return static_cast<std::byte*>(block_.data()); }

      private:
        ScratchPool& pool_;
        Buffer block_;
    };

    /// Makes `blocks` of that size ready, so that as many applies at once allocate nothing.
    void reserve(std::size_t bytes, int blocks);

  private:
    Buffer take(std::size_t bytes);
    void give_back(Buffer block) noexcept;

    std::mutex mutex_;
    std::vector<Buffer> free_;
    std::size_t blocks_ = 0;  ///< free or on loan; free_ has room for all of them
};

}  // namespace spmvgen
