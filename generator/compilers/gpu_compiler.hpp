#pragma once
#include <string>
#include <vector>

#include "compilers/clang.hpp"
#include "compilers/gpu_architectures.hpp"

namespace spmvgen {

enum class GpuCompiler { nvrtc, hiprtc, clang };

enum class GpuOutput {
    ptx,      ///< NVIDIA's portable assembly, text
    cubin,    ///< NVIDIA code for one sm
    hsaco,    ///< AMD code object for one target ID
    assembly  ///< AMD assembly, text; Clang only
};

/// One source text to compile: CUDA or HIP, free of includes, kernels `extern "C" __global__`.
struct GpuJob {
    VirtualFile source;
    GpuTarget target;
    GpuOutput output = GpuOutput::cubin;
    /// AMD: float atomics by the instructions of the table, which are right for memory that the
    /// device itself allocated (hipMalloc) and not for fine-grained or host memory. NVIDIA: no
    /// meaning.
    bool native_atomics = false;
};

/// What is known of a compiler on this machine.
struct GpuCompilerInfo {
    std::string missing;                     ///< why it cannot be used, and what was looked for; ""
    std::string path;                        ///< the file that was loaded; "" = built in
    std::string version;                     ///< as the library tells it
    std::vector<std::string> architectures;  ///< all that it knows, not only those of the table
    bool operator==(const GpuCompilerInfo&) const = default;
};

/// Looks for the compiler. Throws nothing of its own: a compiler that is not there or does not
/// answer is `missing`. Thread safe.
GpuCompilerInfo gpu_compiler_info(GpuCompiler compiler);

/// The bytes that `compiler` makes of the job. No GPU is needed. The same job gives the same bytes.
/// Thread safe. Throws Error(unsupported) when the compiler is not there, does not know the
/// architecture or does not make this output; Error(compile) with its log; Error(internal) when it
/// crashes or hangs.
std::string compile_gpu(GpuCompiler compiler, const GpuJob& job);

/// "NVRTC", "hiprtc", "Clang".
const char* to_string(GpuCompiler compiler);
const char* to_string(GpuOutput output);

}  // namespace spmvgen
