#include "devices/host/bound_kernel.hpp"

#include <omp.h>

namespace spmvgen {
namespace {

std::size_t padded(std::int64_t bytes) {
    return (static_cast<std::size_t>(bytes) + 63) / 64 * 64;
}

}  // namespace

BoundKernel::BoundKernel(std::shared_ptr<const LoadedKernel> kernel, const StoredMatrix& matrix)
    : kernel_(std::move(kernel)), arguments_(kernel_->signature(), kernel_->launch(), matrix) {}

std::size_t BoundKernel::workspace_bytes(int threads) const {
    std::size_t bytes = 0;
    for (auto& space : kernel_->launch().workspace)
        bytes += padded(space.bytes_per_thread * threads);
    return bytes;
}

void BoundKernel::run(const Operands& operands, int threads, std::byte* scratch) const noexcept {
    const LaunchDescription& launch = kernel_->launch();
    BoundArguments::Workspaces spaces{};
    for (std::size_t i = 0; i < launch.workspace.size(); ++i) {
        spaces[i] = scratch;
        scratch += padded(launch.workspace[i].bytes_per_thread * threads);
    }
    BoundArguments::Filled arguments;
    arguments_.fill(operands, spaces, arguments);
#pragma omp parallel num_threads(threads)
    {
        const int thread = omp_get_thread_num(), team = omp_get_num_threads();
        for (std::size_t i = 0; i < launch.steps.size(); ++i) {
            if (i > 0) {
#pragma omp barrier
            }
            void* const* own = arguments.data() + arguments_.first(i);
            if (launch.steps[i].rule == StepRule::per_thread)
                kernel_->function(i)(own, thread, team);
            else if (thread == 0)
                kernel_->function(i)(own, 0, team);
        }
    }
}

}  // namespace spmvgen
