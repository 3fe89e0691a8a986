#pragma once
#include <string>
#include <vector>

#include "compilers/clang.hpp"
#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// One source text to compile: CUDA or HIP, free of includes, kernels `extern "C" __global__`.
struct GpuJob {
    VirtualFile source;
    Target target;
    BinaryKind output = BinaryKind::cubin;
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

/// Whether the compiler makes `output` for GPUs of this kind at all.
bool makes(Compiler compiler, TargetKind vendor, BinaryKind output);

/// The options that decide the code which the compiler makes of the job, separated by blanks.
std::string gpu_flags(Compiler compiler, const GpuJob& job);

/// ".cu" or ".hip".
const char* gpu_file_extension(const Target& target);

/// Looks for the compiler. Throws nothing of its own: a compiler that is not there or does not
/// answer is `missing`. Thread safe.
GpuCompilerInfo gpu_compiler_info(Compiler compiler);

/// The bytes that `compiler` makes of the job. No GPU is needed. The same job gives the same bytes.
/// Thread safe. Throws Error(unsupported) when the compiler is not there, does not know the
/// architecture or does not make this output; Error(compile) with its log; Error(internal) when it
/// crashes or hangs.
std::string compile_gpu(Compiler compiler, const GpuJob& job);

}  // namespace spmvgen
