#pragma once
#include <string>

#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// Compiles a CPU kernel with the Clang of this process, for the architecture of its signature;
/// links it with lld for shared_object. Only the steps of source.launch are visible symbols of the
/// result. The same source gives the same bytes on any machine with the same Clang. Thread safe.
/// Throws Error(invalid_argument) for an architecture that is no CPU, an unknown CPU model to tune
/// for, or a launch without steps; Error(compile) with Clang's diagnostics (file:line of the
/// emitted text), for a step that the text does not define or a function that is neither defined
/// nor in the C library; Error(internal) when the compiler crashes.
KernelBinary compile_host(const KernelSource& source, BinaryKind kind = BinaryKind::shared_object);

/// Identity of compiler and linker, asked of the loaded libraries.
std::string host_compiler_version();

/// The cc1 arguments that compile_host uses for this target, in order (decided in
/// docs/explanation/compilers.md).
std::vector<std::string> host_arguments(const Target& target);

/// The same, separated by blanks.
std::string host_flags(const Target& target);

}  // namespace spmvgen
