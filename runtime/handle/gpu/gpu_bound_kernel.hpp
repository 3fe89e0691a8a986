#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "devices/bound_arguments.hpp"
#include "handle/gpu/stream_workspaces.hpp"
#include "handle/kernels/kernel_provider.hpp"

namespace spmvgen {

/// A kernel in a GPU with the arrays and scalars of one matrix put to its arguments, and the grids
/// that it wants for that matrix. Any number of threads may enqueue it, each
/// with its own y. The matrix must outlive it.
class GpuBoundKernel {
  public:
    /// `on_device` has device pointers; `overlap_launches` as in Options. Throws Error(internal) as
    /// BoundArguments does, and as grid_of does.
    GpuBoundKernel(std::shared_ptr<const GpuKernel> kernel, const StoredMatrix& on_device,
                   bool overlap_launches = true);

    /// Enqueues all steps with the stream's part of `workspaces`: x and y are device pointers, α
    /// and β are not. Once the stream was prepared, allocates nothing. Throws as Device::launch
    /// does.
    void enqueue(const Operands& operands, StreamWorkspaces& workspaces, StreamRef stream) const;

    /// The same for a kernel that wants no workspace; Error(internal) for one that does.
    void enqueue(const Operands& operands, StreamRef stream) const;

    /// The same with memory of the caller's for both kinds of workspace, each of the size that
    /// workspace_bytes() tells.
    void enqueue(const Operands& operands, std::byte* scratch, std::byte* zeroed,
                 StreamRef stream) const {
        launch_all(operands, scratch, zeroed, stream);
    }
    const WorkspaceBytes& workspace_bytes() const { return workspace_bytes_; }

    /// Puts another array in the place of the one of that name; no enqueue() at the same time.
    void replace_array(std::string_view name, const void* array) {
        arguments_.replace_array(name, array);
    }

    /// Allocates what enqueue() wants of `workspaces` on that stream.
    void prepare(StreamWorkspaces& workspaces, StreamRef stream) const;

    const GpuKernel& kernel() const { return *kernel_; }
    /// Of one apply.
    int count_launches() const;

  private:
    void lay_out_workspaces();
    void find_idle_steps();
    void launch_all(const Operands& operands, std::byte* scratch, std::byte* zeroed,
                    StreamRef stream) const;

    std::shared_ptr<const GpuKernel> kernel_;
    BoundArguments arguments_;
    std::vector<GridLaunch> launches_;  ///< of the steps
    std::vector<bool> is_idle_;         ///< steps that join what is not there
    std::array<std::size_t, BoundArguments::most_workspaces> offsets_{};
    WorkspaceBytes workspace_bytes_;
};

}  // namespace spmvgen
