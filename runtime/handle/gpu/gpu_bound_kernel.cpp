#include "handle/gpu/gpu_bound_kernel.hpp"

#include <algorithm>

#include "devices/gpu/grid.hpp"
#include "handle/base/apply_memory.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {

GpuBoundKernel::GpuBoundKernel(std::shared_ptr<const GpuKernel> kernel,
                               const StoredMatrix& on_device, bool overlap_launches)
    : kernel_(std::move(kernel)),
      arguments_(kernel_->loaded->signature(), kernel_->loaded->launch(), on_device) {
    const DeviceFacts& facts = kernel_->device->facts();
    for (auto& step : kernel_->loaded->launch().steps)
        launches_.push_back(
            grid_of(step, on_device.scalars, facts.units, architecture(facts.target).kind));
    if (!launches_.empty()) launches_.front().overlaps &= overlap_launches;
    lay_out_workspaces();
    find_idle_steps();
}

void GpuBoundKernel::find_idle_steps() {
    const auto& steps = kernel_->loaded->launch().steps;
    is_idle_.resize(steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const JoinRule& joins = steps[i].joins;
        if (joins.step < 0) continue;
        const auto joined = static_cast<std::size_t>(joins.step);
        if (joined >= i)
            throw Error(ErrorCode::internal, "kernel " + to_string(kernel_->loaded->signature()) +
                                                 ": step '" + steps[i].symbol +
                                                 "' joins one that does not come before it");
        is_idle_[i] = launches_[joined].grid[0] <= joins.beyond_blocks;
    }
}

int GpuBoundKernel::count_launches() const {
    return static_cast<int>(std::ranges::count(is_idle_, false));
}

void GpuBoundKernel::lay_out_workspaces() {
    const auto& spaces = kernel_->loaded->launch().workspace;
    for (std::size_t i = 0; i < spaces.size(); ++i) {
        const auto step = static_cast<std::size_t>(spaces[i].of_step);
        const bool of_blocks = spaces[i].bytes_per_block > 0 && step < launches_.size();
        if (spaces[i].bytes_per_thread != 0 || of_blocks == (spaces[i].bytes > 0))
            throw Error(ErrorCode::internal, "kernel " + to_string(kernel_->loaded->signature()) +
                                                 ": workspace '" + spaces[i].name +
                                                 "' is of no block of a step, nor of a launch");
        const auto bytes = static_cast<std::size_t>(
            of_blocks ? spaces[i].bytes_per_block * launches_[step].grid[0] : spaces[i].bytes);
        std::size_t& end = spaces[i].zeroed ? workspace_bytes_.zeroed : workspace_bytes_.scratch;
        offsets_[i] = end;
        end += workspace_padded(bytes);
    }
}

void GpuBoundKernel::prepare(StreamWorkspaces& workspaces, StreamRef stream) const {
    if (workspace_bytes_ != WorkspaceBytes{}) workspaces.lease(stream, workspace_bytes_);
}

void GpuBoundKernel::enqueue(const Operands& operands, StreamRef stream) const {
    if (workspace_bytes_ != WorkspaceBytes{})
        throw Error(ErrorCode::internal, "a kernel wants a workspace where none is had");
    launch_all(operands, nullptr, nullptr, stream);
}

void GpuBoundKernel::enqueue(const Operands& operands, StreamWorkspaces& workspaces,
                             StreamRef stream) const {
    if (workspace_bytes_ == WorkspaceBytes{}) return enqueue(operands, stream);
    StreamWorkspaces::Lease lease = workspaces.lease(stream, workspace_bytes_);
    try {
        launch_all(operands, lease.scratch(), lease.zeroed(), stream);
    } catch (...) {
        lease.spoil();
        throw;
    }
}

void GpuBoundKernel::launch_all(const Operands& operands, std::byte* scratch, std::byte* zeroed,
                                StreamRef stream) const {
    const DeviceKernel& loaded = *kernel_->loaded;
    const auto& of_launch = loaded.launch().workspace;
    BoundArguments::Workspaces spaces{};
    for (std::size_t i = 0; i < of_launch.size(); ++i)
        spaces[i] = (of_launch[i].zeroed ? zeroed : scratch) + offsets_[i];
    BoundArguments::Filled arguments;
    arguments_.fill(operands, spaces, arguments);
    for (std::size_t i = 0; i < launches_.size(); ++i)
        if (!is_idle_[i])
            kernel_->device->launch(loaded, i, launches_[i], arguments.data() + arguments_.first(i),
                                    stream);
}

}  // namespace spmvgen
