#include "clang_generator.hpp"

#include <clang/Basic/Version.h>
#include <dlfcn.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/ErrorHandling.h>

#include "compilers/clang.hpp"
#include "compilers/gpu/gpu_kernel.hpp"
#include "compilers/host.hpp"
#include "compilers/linker.hpp"
#include "emission/emit.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// The file that holds a function: which of the libraries of that name was loaded.
std::string library_of(void* function) {
    Dl_info info{};
    return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

}  // namespace

KernelSource ClangGenerator::emit(const Signature& signature, const std::string& command) {
    return emit_kernel(signature, command, kept_);
}

KernelBinary ClangGenerator::compile(const KernelSource& source, BinaryKind kind,
                                     Compiler compiler) {
    if (kind == BinaryKind::simt) return compile_simt_kernel(source);
    if (architecture(source.signature.target).kind == TargetKind::host) {
        if (compiler != Compiler::automatic && compiler != Compiler::clang)
            throw Error(ErrorCode::unsupported,
                        std::string(to_string(compiler)) + " makes no code for CPUs; use Clang");
        return compile_host(source, kind);
    }
    return compile_gpu_kernel(source, kind, compiler);
}

std::map<std::string, std::string> ClangGenerator::versions() {
    return {
        {"spmvgen_jit", SPMVGEN_VERSION},
        {"clang", clang_version()},
        {"clang library", library_of(reinterpret_cast<void*>(&clang::getClangFullVersion))},
        {"llvm library", library_of(reinterpret_cast<void*>(&llvm::remove_fatal_error_handler))},
        {"lld", linker_version()}};
}

}  // namespace spmvgen
