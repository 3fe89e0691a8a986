#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "devices/host/loaded_kernel.hpp"
#include "devices/host/operands.hpp"
#include "formats/stored_matrix.hpp"

namespace spmvgen {

/// A loaded kernel with the arrays and scalars of one matrix put to its arguments by name.
/// Immutable once made: run() may be called from any number of threads at once, each with its own y
/// and workspace. The matrix's arrays must outlive it.
class BoundKernel {
  public:
    /// Throws Error(internal), naming kernel and argument, when the kernel wants an argument that
    /// the matrix does not have, or one of another type: "values" must be of the signature's value
    /// type, "col_idx", "row_idx" and "row_order" of its index type, every other array of its
    /// offset type.
    BoundKernel(std::shared_ptr<const LoadedKernel> kernel, const StoredMatrix& matrix);
    BoundKernel(const BoundKernel&) = delete;
    BoundKernel& operator=(const BoundKernel&) = delete;

    /// Bytes that run() wants for that many threads; 0 = no workspace.
    std::size_t workspace_bytes(int threads) const;

    /// Runs all steps in a team of at most `threads` threads; fewer when OpenMP gives fewer, as
    /// within another parallel region. Allocates nothing.
    void run(const Operands& operands, int threads, std::byte* workspace) const noexcept;

    const LoadedKernel& kernel() const { return *kernel_; }

  private:
    /// What an apply puts into an argument: an operand, or a workspace counted from `workspace`.
    enum Source { alpha, beta, x, y, workspace };
    struct Patch {
        std::size_t argument;
        int source;
    };
    void bind(const Argument& argument, const StoredMatrix& matrix);
    void bind_array(const Argument& argument, const void* array);
    void bind_scalar(const Argument& argument, std::int64_t value);
    int apply_source(const Argument& argument) const;
    [[noreturn]] void refuse(const Argument& argument, const std::string& why) const;

    std::shared_ptr<const LoadedKernel> kernel_;
    std::vector<void*> arguments_;  ///< of all steps, one after another; null where patched
    std::vector<Patch> patches_;
    std::deque<const void*> arrays_;  ///< what arguments_ points to; elements never move
    std::deque<std::int32_t> scalars32_;
    std::deque<std::int64_t> scalars64_;
};

}  // namespace spmvgen
