#include "compilers/gpu/gpu_kernel.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "compilers/digest.hpp"
#include "compilers/gpu/gpu_compiler.hpp"
#include "compilers/gpu/gpu_facts.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Looking for hiprtc starts a process: once is enough.
const GpuCompilerInfo& known_info(Compiler compiler) {
    static std::mutex mutex;
    static std::map<Compiler, GpuCompilerInfo> known;
    const std::lock_guard lock(mutex);
    auto found = known.find(compiler);
    if (found == known.end()) found = known.emplace(compiler, gpu_compiler_info(compiler)).first;
    return found->second;
}

/// "" when the compiler can make it.
std::string why_not(Compiler compiler, const Target& target, BinaryKind kind) {
    if (!makes(compiler, architecture(target).kind, kind))
        return std::string("makes no ") + to_string(kind) + " for " + target.arch;
    const GpuCompilerInfo& info = known_info(compiler);
    if (!info.missing.empty()) return info.missing;
    if (std::ranges::find(info.architectures, target.arch) == info.architectures.end())
        return info.version + " does not know " + target.arch;
    return "";
}

Compiler chosen(const Target& target, BinaryKind kind) {
    std::string reasons;
    for (const Compiler candidate : {Compiler::nvrtc, Compiler::hiprtc, Compiler::clang}) {
        const std::string reason = why_not(candidate, target, kind);
        if (reason.empty()) return candidate;
        reasons += std::string("\n  ") + to_string(candidate) + ": " + reason;
    }
    throw Error(ErrorCode::unsupported, std::string("no compiler makes ") + to_string(kind) +
                                            " for " + to_string(target) + ":" + reasons);
}

}  // namespace

KernelBinary compile_gpu_kernel(const KernelSource& source, BinaryKind kind, Compiler compiler) {
    const Target& target = source.signature.target;
    if (compiler == Compiler::automatic) compiler = chosen(target, kind);
    const GpuJob job{.source = {source.name + gpu_file_extension(target), source.text},
                     .target = target,
                     .output = kind,
                     .native_atomics = target.device_memory};
    KernelBinary binary{.signature = source.signature,
                        .kind = kind,
                        .bytes = compile_gpu(compiler, job),
                        .launch = source.launch,
                        .facts = {},
                        .compiler = known_info(compiler).version,
                        .flags = gpu_flags(compiler, job),
                        .source_digest = hex_sha256(source.text),
                        .source = source.text};
    if (kind == BinaryKind::cubin || kind == BinaryKind::hsaco) {
        binary.facts = kernel_facts(binary.bytes);
        for (auto& step : source.launch.steps)
            if (!binary.facts.contains(step.symbol))
                throw Error(ErrorCode::compile, "the text of kernel " + source.name +
                                                    " does not define its step '" + step.symbol +
                                                    "'");
    }
    return binary;
}

}  // namespace spmvgen
