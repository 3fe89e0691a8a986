#pragma once
#include <string>

#include "compilers/gpu/gpu_compiler.hpp"

namespace spmvgen {

/// NVRTC, found at run time and kept loaded; compile_gpu and gpu_compiler_info call these. It runs
/// in this process: a crash becomes Error(internal), a hang is not caught.
GpuCompilerInfo nvrtc_info();
std::vector<std::string> nvrtc_options(const GpuJob& job);
std::string compile_nvrtc(const GpuJob& job);

}  // namespace spmvgen
