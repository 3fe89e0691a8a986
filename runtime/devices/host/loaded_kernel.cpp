#include "devices/host/loaded_kernel.hpp"

#include <fmt/format.h>

#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

[[noreturn]] void refuse(ErrorCode code, const Signature& signature, const std::string& why) {
    throw Error(code, fmt::format("kernel {}: {}", to_string(signature), why));
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

}  // namespace spmvgen
