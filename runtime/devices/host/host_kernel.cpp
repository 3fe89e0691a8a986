#include "devices/host/host_kernel.hpp"

#include <fmt/format.h>
#include <omp.h>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void refuse(ErrorCode code, const Signature& signature, const std::string& why) {
    throw Error(code, fmt::format("kernel {}: {}", to_string(signature), why));
}

std::size_t padded(std::int64_t bytes) {
    return (static_cast<std::size_t>(bytes) + 63) / 64 * 64;
}

}  // namespace

LoadedKernel::LoadedKernel(const KernelBinary& binary)
    : signature_(binary.signature), launch_(binary.launch), source_(binary.source) {
    if (binary.kind != BinaryKind::shared_object)
        refuse(ErrorCode::invalid_argument, signature_, "only a shared object can be run");
    if (const std::string why = why_not_runnable(signature_.target); !why.empty())
        refuse(ErrorCode::unsupported, signature_, "cannot run here: " + why);
    library_.emplace(kernel_name(signature_), binary.bytes, "kernel " + to_string(signature_));
    for (auto& step : launch_.steps) {
        void* symbol = library_->symbol(step.symbol);
        if (symbol == nullptr)
            refuse(ErrorCode::io, signature_,
                   fmt::format("its shared object lacks the symbol '{}'", step.symbol));
        functions_.push_back(reinterpret_cast<StepFunction>(symbol));
    }
    if (functions_.empty()) refuse(ErrorCode::io, signature_, "its launch description has no step");
}

BoundKernel::BoundKernel(std::shared_ptr<const LoadedKernel> kernel, const StoredMatrix& matrix)
    : kernel_(std::move(kernel)), arguments_(kernel_->signature(), kernel_->launch(), matrix) {}

std::size_t BoundKernel::workspace_bytes(int threads) const {
    std::size_t bytes = 0;
    for (auto& space : kernel_->launch().workspace)
        bytes += padded(space.bytes_per_thread * threads);
    return bytes;
}

void BoundKernel::run_steps(const BoundArguments::Filled& arguments, int thread,
                            int team) const noexcept {
    const auto& steps = kernel_->launch().steps;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        if (i > 0 && team > 1) {  // a team of one may be within another team's region
#pragma omp barrier
        }
        void* const* own = arguments.data() + arguments_.first(i);
        if (steps[i].rule == StepRule::per_thread)
            kernel_->function(i)(own, thread, team);
        else if (thread == 0)
            kernel_->function(i)(own, 0, team);
    }
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
    if (threads == 1) return run_steps(arguments, 0, 1);  // a region of one thread costs its start
#pragma omp parallel num_threads(threads)
    run_steps(arguments, omp_get_thread_num(), omp_get_num_threads());
}

}  // namespace spmvgen
