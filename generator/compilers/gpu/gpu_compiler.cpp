#include "compilers/gpu/gpu_compiler.hpp"

#include "compilers/gpu/clang_gpu.hpp"
#include "compilers/gpu/hiprtc.hpp"
#include "compilers/gpu/nvrtc.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
bool makes(Compiler compiler, TargetKind vendor, BinaryKind output) {
    switch (compiler) {
        case Compiler::nvrtc:
            return vendor == TargetKind::cuda &&
                   (output == BinaryKind::ptx || output == BinaryKind::cubin);
        case Compiler::hiprtc:
            return vendor == TargetKind::hip && output == BinaryKind::hsaco;
        case Compiler::clang:
            return vendor == TargetKind::hip
                       ? output == BinaryKind::hsaco || output == BinaryKind::assembly
                       : output == BinaryKind::ptx;
        case Compiler::automatic:
            break;
    }
    return false;
}

std::string gpu_flags(Compiler compiler, const GpuJob& job) {
    const auto options = compiler == Compiler::nvrtc    ? nvrtc_options(job)
                         : compiler == Compiler::hiprtc ? hiprtc_options(job)
                                                        : clang_gpu_options(job);
    std::string text;
    for (auto& option : options) text += (text.empty() ? "" : " ") + option;
    return text;
}

const char* gpu_file_extension(const Target& target) {
    return architecture(target).kind == TargetKind::cuda ? ".cu" : ".hip";
}

GpuCompilerInfo gpu_compiler_info(Compiler compiler) {
    try {
        switch (compiler) {
            case Compiler::nvrtc:
                return nvrtc_info();
            case Compiler::hiprtc:
                return hiprtc_info();
            default:
                return clang_gpu_info();
        }
    } catch (const Error& error) {
        GpuCompilerInfo info;
        info.missing = error.what();
        return info;
    }
}

std::string compile_gpu(Compiler compiler, const GpuJob& job) {
    if (!makes(compiler, architecture(job.target).kind, job.output))
        throw Error(ErrorCode::unsupported, std::string(to_string(compiler)) + " makes no " +
                                                to_string(job.output) + " for " + job.target.arch);
    switch (compiler) {
        case Compiler::nvrtc:
            return compile_nvrtc(job);
        case Compiler::hiprtc:
            return compile_hiprtc(job);
        default:
            return compile_clang_gpu(job);
    }
}

}  // namespace spmvgen
