#include "compilers/host.hpp"

#include <llvm/ADT/StringExtras.h>

#include "compilers/clang.hpp"
#include "compilers/digest.hpp"
#include "compilers/kernel_symbols.hpp"
#include "compilers/linker.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Declares the steps visible, for all else is hidden, and with the type that they are called by.
std::string declare_steps(const KernelSource& source) {
    std::string text;
    for (auto& step : source.launch.steps) {
        if (!is_c_identifier(step.symbol))
            throw Error(ErrorCode::invalid_argument, "step '" + step.symbol + "' of kernel " +
                                                         source.name + " is no C identifier");
        text += "extern \"C\" __attribute__((visibility(\"default\"))) void " + step.symbol +
                "(void* const* arguments, int thread, int threads);\n";
    }
    if (text.empty())
        throw Error(ErrorCode::invalid_argument, "kernel " + source.name + " has no steps");
    return text;
}

std::vector<std::string> step_symbols(const KernelSource& source) {
    std::vector<std::string> symbols;
    for (auto& step : source.launch.steps) symbols.push_back(step.symbol);
    return symbols;
}

ClangOutput clang_output(BinaryKind kind) {
    return kind == BinaryKind::assembly  ? ClangOutput::assembly
           : kind == BinaryKind::llvm_ir ? ClangOutput::llvm_ir
                                         : ClangOutput::object;
}

}  // namespace

std::vector<std::string> host_arguments(const Target& target) {
    const Architecture& row = architecture(target);
    std::vector<std::string> args{"-triple", std::string(row.triple), "-target-cpu",
                                  std::string(row.cpu)};
    if (!target.tune.empty()) args.insert(args.end(), {"-tune-cpu", target.tune});
    for (auto feature : llvm::split(llvm::StringRef(row.features), ','))
        if (!feature.empty()) args.insert(args.end(), {"-target-feature", feature.str()});
    if (row.vector_bytes == 64 && !has_fast_gathers(target))  // LLVM gathers wherever AVX-512 is
        args.insert(args.end(), {"-target-feature", "+prefer-no-gather"});
    args.insert(args.end(),
                {"-std=c++17", "-O3", "-vectorize-loops", "-vectorize-slp", "-ffp-contract=fast",
                 "-fopenmp-simd", "-fvisibility=hidden", "-mrelocation-model", "pic", "-pic-level",
                 "2", "-mframe-pointer=none", "-ffunction-sections", "-fno-rtti", "-nobuiltininc",
                 "-nostdsysteminc", "-nostdinc++", "-disable-llvm-verifier", "-w"});
    return args;
}

KernelBinary compile_host(const KernelSource& source, BinaryKind kind) {
    const Target& target = source.signature.target;
    const Architecture& row = architecture(target);
    if (row.kind != TargetKind::host)
        throw Error(ErrorCode::invalid_argument,
                    std::string(row.name) + " is not a CPU: the host compiler cannot serve it");
    if (!target.tune.empty()) check_tune_cpu(std::string(row.triple), target.tune);

    const ClangJob job{host_arguments(target),
                       {source.name + ".cpp", source.text},
                       {{"steps.hpp", declare_steps(source)}}};
    KernelBinary binary{.signature = source.signature,
                        .kind = kind,
                        .bytes = run_clang(job, clang_output(kind)),
                        .launch = source.launch,
                        .facts = {},
                        .compiler = host_compiler_version(),
                        .flags = host_flags(target),
                        .source_digest = hex_sha256(source.text),
                        .source = source.text};
    if (kind == BinaryKind::object || kind == BinaryKind::shared_object)
        check_symbols(binary.bytes, source.name, step_symbols(source));
    if (kind == BinaryKind::shared_object) binary.bytes = link_shared_object(binary.bytes);
    return binary;
}

std::string host_compiler_version() {
    return clang_version() + ", " + linker_version();
}

std::string host_flags(const Target& target) {
    return llvm::join(host_arguments(target), " ");
}

}  // namespace spmvgen
