#pragma once
#include <string>
#include <vector>

#include "compilers/gpu/gpu_compiler.hpp"

namespace spmvgen {

/// NVRTC, found at run time and kept loaded; compile_gpu and gpu_compiler_info call these. It runs
/// in this process: a crash becomes Error(internal), a hang is not caught.
GpuCompilerInfo nvrtc_info();
/// What NVRTC is looked for as, in this order: the file that $SPMVGEN_NVRTC names and nothing else,
/// or its sonames beside what is loaded, where the system's loader looks, and in CUDA's folder.
std::vector<std::string> nvrtc_library_names();
std::vector<std::string> nvrtc_options(const GpuJob& job);
std::string compile_nvrtc(const GpuJob& job);

}  // namespace spmvgen
