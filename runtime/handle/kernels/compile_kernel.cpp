#include "handle/kernels/compile_kernel.hpp"

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
    if (!first_ms_) {
        first_ms_ = ms;
        return;
    }
    ++others_;
    others_ms_ += ms;
}

std::optional<double> CompileTimes::mean_ms() const {
    const std::lock_guard lock(mutex_);
    return others_ > 0 ? others_ms_ / others_ : first_ms_;
}

}  // namespace spmvgen
