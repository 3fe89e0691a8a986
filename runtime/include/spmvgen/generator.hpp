#pragma once
#include <map>
#include <string>

#include "spmvgen/kernel.hpp"

namespace spmvgen {

/// The narrow interface between the runtime and the generator: signature → source → binary.
/// Implemented by libspmvgen_jit, which is the only part that holds LLVM; loaded when a kernel has
/// to be made. All functions may be called from several threads at once; failures are
/// Error(compile|invalid_argument|internal).
class Generator {
  public:
    virtual ~Generator() = default;

    /// The specialised source. Pure: the same signature and command line give the same bytes,
    /// anywhere. `command` is what the provenance header says made it; "" = the canonical `spmvgen
    /// emit` line of the signature.
    virtual KernelSource emit(const Signature& signature, const std::string& command = "") = 0;

    /// Compiles and, for shared_object, hsaco and simt, links. Needs no device of that kind.
    /// Error(unsupported) when no compiler that was found, or not the one requested, makes `kind`
    /// for the source's target.
    virtual KernelBinary compile(const KernelSource& source,
                                 BinaryKind kind = BinaryKind::shared_object,
                                 Compiler compiler = Compiler::automatic) = 0;

    /// Versions of what is loaded, as `spmvgen doctor` shows them: "clang" → "19.1.7", "lld" → ….
    virtual std::map<std::string, std::string> versions() = 0;
};

/// Changes whenever Generator or a type it carries changes; a library with another number is
/// refused.
inline constexpr int generator_abi = 6;

}  // namespace spmvgen

/// The one symbol of libspmvgen_jit: the process-wide generator, or nullptr when `abi` is not
/// generator_abi.
extern "C" spmvgen::Generator* spmvgen_generator(int abi);
