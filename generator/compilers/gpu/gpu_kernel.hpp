#pragma once
#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// Compiles an emitted GPU kernel to PTX, cubin, AMD code object or AMD assembly, and reads its
/// facts. `automatic` is the vendor's compiler where it is found and knows the architecture, else
/// Clang; the order is in docs/explanation/compilers.md. No GPU is needed. Thread safe. Throws
/// Error(unsupported) that says for each compiler why it cannot, Error(compile) with the compiler's
/// log, Error(internal) for a compiler that crashes or hangs.
KernelBinary compile_gpu_kernel(const KernelSource& source, BinaryKind kind, Compiler compiler);

/// The same text as a shared object of this machine's CPU, for the SIMT executor: behind each
/// step's symbol, SYMBOL_simt is its descriptor (runtime/devices/simt/abi.h).
KernelBinary compile_simt_kernel(const KernelSource& source);

}  // namespace spmvgen
