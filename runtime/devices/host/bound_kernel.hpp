#pragma once
#include <cstddef>
#include <memory>

#include "devices/bound_arguments.hpp"
#include "devices/host/loaded_kernel.hpp"

namespace spmvgen {

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
