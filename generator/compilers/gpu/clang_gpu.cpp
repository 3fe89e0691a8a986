#include "compilers/gpu/clang_gpu.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>

#include "compilers/linker.hpp"
#include "compilers/preludes/preludes.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr const char* amd_triple = "amdgcn-amd-amdhsa";
constexpr const char* nvidia_triple = "nvptx64-nvidia-cuda";

bool is_amd(const Target& target) {
    return architecture(target).kind == TargetKind::hip;
}

/// The features of the target ID, ":sramecc+:xnack-", as LLVM takes them: "+sramecc", "-xnack".
std::vector<std::string> llvm_features(const Target& target) {
    std::vector<std::string> features;
    for (auto feature : llvm::split(llvm::StringRef(target.features), ':'))
        if (!feature.empty()) features.push_back(feature.back() + feature.drop_back().str());
    if (architecture(target).gpu.wavefronts[1] != 0)
        features.push_back("+wavefrontsize" + std::to_string(target.wavefront));
    if (!is_amd(target)) features.emplace_back("+ptx78");  // the first that knows sm_90; CUDA 11.8
    return features;
}

}  // namespace

/// The cc1 arguments, decided in docs/explanation/compilers.md.
std::vector<std::string> clang_gpu_options(const GpuJob& job) {
    const bool amd = is_amd(job.target);
    std::vector<std::string> args{"-triple",     amd ? amd_triple : nvidia_triple,
                                  "-aux-triple", "x86_64-unknown-linux-gnu",
                                  "-target-cpu", std::string(architecture(job.target).cpu)};
    for (auto& feature : llvm_features(job.target))
        args.insert(args.end(), {"-target-feature", feature});
    args.insert(args.end(),
                {"-fcuda-is-device", "-std=c++17", "-O3", "-vectorize-loops", "-vectorize-slp",
                 "-ffp-contract=fast", "-fdeclspec", "-fvisibility=hidden",
                 "-fapply-global-visibility-to-externs", "-fno-rtti", "-nobuiltininc",
                 "-nostdsysteminc", "-nostdinc++", "-disable-llvm-verifier", "-w"});
    if (amd)
        args.insert(args.end(), {"-fcuda-allow-variadic-functions", "-mcode-object-version=5"});
    if (amd && job.native_atomics) args.emplace_back("-munsafe-fp-atomics");
    return args;
}

GpuCompilerInfo clang_gpu_info() {
    GpuCompilerInfo info{"", "", clang_version() + ", " + linker_version(), {}};
    for (const char* triple : {nvidia_triple, amd_triple})
        for (auto& cpu : known_cpus(triple)) info.architectures.push_back(cpu);
    return info;
}

std::string compile_clang_gpu(const GpuJob& job) {
    const bool amd = is_amd(job.target);
    if (!llvm::is_contained(known_cpus(amd ? amd_triple : nvidia_triple), job.target.arch))
        throw Error(ErrorCode::unsupported, clang_version() + " does not know " + job.target.arch);
    const VirtualFile prelude{"prelude.hpp", std::string(amd ? amdgpu_prelude : nvptx_prelude)};
    const ClangJob clang_job{
        clang_gpu_options(job), job.source, {prelude}, amd ? TargetKind::hip : TargetKind::cuda};
    const bool links = job.output == BinaryKind::hsaco;
    const std::string bytes =
        run_clang(clang_job, links ? ClangOutput::object : ClangOutput::assembly);
    return links ? link_shared_object(bytes, LinkedFor::amdgpu) : bytes;
}

}  // namespace spmvgen
