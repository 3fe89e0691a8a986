#include "compilers/gpu_compiler.hpp"

#include "compilers/clang_gpu.hpp"
#include "compilers/hiprtc.hpp"
#include "compilers/nvrtc.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

bool makes(GpuCompiler compiler, GpuVendor vendor, GpuOutput output) {
    switch (compiler) {
        case GpuCompiler::nvrtc:
            return vendor == GpuVendor::nvidia &&
                   (output == GpuOutput::ptx || output == GpuOutput::cubin);
        case GpuCompiler::hiprtc:
            return vendor == GpuVendor::amd && output == GpuOutput::hsaco;
        default:
            return vendor == GpuVendor::amd
                       ? output == GpuOutput::hsaco || output == GpuOutput::assembly
                       : output == GpuOutput::ptx;
    }
}

}  // namespace

GpuCompilerInfo gpu_compiler_info(GpuCompiler compiler) {
    try {
        switch (compiler) {
            case GpuCompiler::nvrtc:
                return nvrtc_info();
            case GpuCompiler::hiprtc:
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

std::string compile_gpu(GpuCompiler compiler, const GpuJob& job) {
    if (!makes(compiler, gpu_architecture(job.target).vendor, job.output))
        throw Error(ErrorCode::unsupported, std::string(to_string(compiler)) + " makes no " +
                                                to_string(job.output) + " for " + job.target.arch);
    switch (compiler) {
        case GpuCompiler::nvrtc:
            return compile_nvrtc(job);
        case GpuCompiler::hiprtc:
            return compile_hiprtc(job);
        default:
            return compile_clang_gpu(job);
    }
}

const char* to_string(GpuCompiler compiler) {
    switch (compiler) {
        case GpuCompiler::nvrtc:
            return "NVRTC";
        case GpuCompiler::hiprtc:
            return "hiprtc";
        default:
            return "Clang";
    }
}

const char* to_string(GpuOutput output) {
    switch (output) {
        case GpuOutput::ptx:
            return "ptx";
        case GpuOutput::cubin:
            return "cubin";
        case GpuOutput::hsaco:
            return "hsaco";
        default:
            return "assembly";
    }
}

}  // namespace spmvgen
