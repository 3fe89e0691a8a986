#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "devices/bound_arguments.hpp"
#include "handle/kernel_provider.hpp"

namespace spmvgen {

/// A kernel in a GPU with the arrays and scalars of one matrix put to its arguments, and the grids
/// that it wants for that matrix. Immutable once made; any number of threads may enqueue it, each
/// with its own y and workspace. The matrix must outlive it.
class GpuBoundKernel {
  public:
    /// `on_device` has device pointers. Throws Error(internal) as BoundArguments does, and as
    /// grid_of does.
    GpuBoundKernel(std::shared_ptr<const GpuKernel> kernel, const StoredMatrix& on_device);

    /// Device memory that enqueue() wants; 0 = none.
    std::size_t workspace_bytes() const { return workspace_bytes_; }

    /// Enqueues all steps: x, y and workspace are device pointers, α and β are not. Allocates
    /// nothing. Throws as Device::launch does.
    void enqueue(const Operands& operands, std::byte* workspace, StreamRef stream) const;

    const GpuKernel& kernel() const { return *kernel_; }

  private:
    void lay_out_workspaces();

    std::shared_ptr<const GpuKernel> kernel_;
    BoundArguments arguments_;
    std::vector<GridLaunch> launches_;  ///< of the steps
    std::array<std::size_t, BoundArguments::most_workspaces> offsets_{};
    std::size_t workspace_bytes_ = 0;
};

}  // namespace spmvgen
