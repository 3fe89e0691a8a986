#include "handle/kernels/compile_kernel.hpp"

#include <algorithm>

#include "spmvgen/error.hpp"

namespace spmvgen {

std::vector<BinaryKind> loadable_kinds(TargetKind kind) {
    std::vector<BinaryKind> kinds{loadable_kind(kind)};
    if (kind == TargetKind::cuda) kinds.push_back(BinaryKind::ptx);
    return kinds;
}

KernelBinary compile_kernel(Generator& generator, const Signature& signature,
                            std::span<const BinaryKind> kinds, Compiler compiler) {
    return compile_source(generator, generator.emit(signature), kinds, compiler);
}

KernelBinary compile_source(Generator& generator, const KernelSource& source,
                            std::span<const BinaryKind> kinds, Compiler compiler) {
    std::string reasons;
    for (const BinaryKind kind : kinds) {
        try {
            KernelBinary binary = generator.compile(source, kind, compiler);
            binary.source = source.text;
            return binary;
        } catch (const Error& error) {
            reasons += (reasons.empty() ? "" : "; ") + std::string(error.what());
            if (error.code() != ErrorCode::unsupported) break;
        }
    }
    throw Error(ErrorCode::compile, reasons);
}

void CompileTimes::add(double ms) {
    const std::lock_guard lock(mutex_);
    if (first_ms_) {
        least_ms_ = std::min(ms, least_ms_.value_or(ms));
        recent_ms_ += (ms - recent_ms_) / std::min(++others_, most_recent);
    }
    first_ms_ = first_ms_.value_or(ms);
}

std::optional<double> CompileTimes::first_ms() const {
    const std::lock_guard lock(mutex_);
    return first_ms_;
}

std::optional<double> CompileTimes::usual_ms() const {
    const std::lock_guard lock(mutex_);
    return least_ms_;
}

double CompileTimes::recent_slowness() const {
    const std::lock_guard lock(mutex_);
    return least_ms_ ? recent_ms_ / *least_ms_ : 1;
}

}  // namespace spmvgen
