#pragma once
#include <string>

#include "compilers/gpu/gpu_compiler.hpp"

namespace spmvgen {

/// The Clang and lld of this process, with a prelude of ours in place of vendor headers.
GpuCompilerInfo clang_gpu_info();
std::vector<std::string> clang_gpu_options(const GpuJob& job);
std::string compile_clang_gpu(const GpuJob& job);

}  // namespace spmvgen
