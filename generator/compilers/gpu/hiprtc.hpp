#pragma once
#include <string>

#include "compilers/gpu/gpu_compiler.hpp"

namespace spmvgen {

/// hiprtc and the comgr that it compiles with, found at run time. They run in a child process with
/// a time limit, so that a crash or a hang becomes Error(internal) and their LLVM never meets ours.
GpuCompilerInfo hiprtc_info();
std::vector<std::string> hiprtc_options(const GpuJob& job);
std::string compile_hiprtc(const GpuJob& job);

}  // namespace spmvgen
