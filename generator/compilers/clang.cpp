#include "compilers/clang.hpp"

#include <clang/Basic/TargetInfo.h>
#include <clang/Basic/Version.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <mutex>
#include <shared_mutex>

#include "compilers/guarded.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using DiagnosticsPtr = llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine>;

void initialise_host() {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
}

void initialise_nvptx() {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
}

void initialise_amdgpu() {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
}

/// Makes the code generators of a kind of target known to LLVM. Only those: each costs time at the
/// first kernel.
void initialise_targets(TargetKind kind) {
    static std::once_flag host, cuda, hip;
    const auto once = [](std::once_flag& flag, void (*initialise)()) {
        std::call_once(flag, [&] {
            const std::unique_lock registry(target_registry());
            initialise();
        });
    };
    if (kind == TargetKind::host) once(host, initialise_host);
    if (kind == TargetKind::cuda) once(cuda, initialise_nvptx);
    if (kind == TargetKind::hip) once(hip, initialise_amdgpu);
}

/// A file system that holds the job's files and nothing else, so that no path, header or working
/// directory of this machine can enter the result.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> file_system(const ClangJob& job) {
    auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    (void)files->setCurrentWorkingDirectory("/");
    const auto add = [&](const VirtualFile& file) {
        files->addFile(file.name, 0, llvm::MemoryBuffer::getMemBuffer(file.text, file.name));
    };
    add(job.source);
    for (auto& header : job.headers) add(header);
    return files;
}

std::unique_ptr<clang::CodeGenAction> action(ClangOutput output, llvm::LLVMContext& context) {
    switch (output) {
        case ClangOutput::object:
            return std::make_unique<clang::EmitObjAction>(&context);
        case ClangOutput::assembly:
            return std::make_unique<clang::EmitAssemblyAction>(&context);
        default:
            return std::make_unique<clang::EmitLLVMAction>(&context);
    }
}

const char* output_argument(ClangOutput output) {
    return output == ClangOutput::object     ? "-emit-obj"
           : output == ClangOutput::assembly ? "-S"
                                             : "-emit-llvm";
}

const char* language(TargetKind kind) {
    return kind == TargetKind::cuda ? "cuda" : kind == TargetKind::hip ? "hip" : "c++";
}

bool invoke(const ClangJob& job, ClangOutput output, llvm::SmallVectorImpl<char>& bytes,
            llvm::raw_ostream& log) {
    std::vector<const char*> arguments{output_argument(output)};
    for (auto& argument : job.arguments) arguments.push_back(argument.c_str());
    for (auto& header : job.headers)
        arguments.insert(arguments.end(), {"-include", header.name.c_str()});
    arguments.insert(arguments.end(), {"-x", language(job.kind), job.source.name.c_str()});

    auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
    clang::TextDiagnosticPrinter printer(log, options.get());
    const DiagnosticsPtr diagnostics(new clang::DiagnosticsEngine(
        llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(), options, &printer, false));
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, *diagnostics))
        return false;

    clang::CompilerInstance compiler;
    compiler.setInvocation(std::move(invocation));
    compiler.createDiagnostics(&printer, false);
    compiler.setVerboseOutputStream(llvm::nulls());
    compiler.createFileManager(file_system(job));
    compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(bytes));
    llvm::LLVMContext context;
    return compiler.ExecuteAction(*action(output, context));
}

llvm::IntrusiveRefCntPtr<clang::TargetInfo> target_info(const std::string& triple) {
    auto options = std::make_shared<clang::TargetOptions>();
    options->Triple = triple;
    clang::IgnoringDiagConsumer ignore;
    clang::DiagnosticsEngine diagnostics(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(),
                                         llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>(),
                                         &ignore, false);
    llvm::IntrusiveRefCntPtr<clang::TargetInfo> target(
        clang::TargetInfo::CreateTargetInfo(diagnostics, options));
    if (!target) throw Error(ErrorCode::unsupported, "this Clang makes no code for " + triple);
    return target;
}

}  // namespace

std::string run_clang(const ClangJob& job, ClangOutput output) {
    initialise_targets(job.kind);
    const std::shared_lock registry(target_registry());  // out here: a crash would keep it locked
    return run_guarded("Clang", [job, output] {
        llvm::SmallVector<char, 0> buffer;
        std::string log;
        llvm::raw_string_ostream log_stream(log);
        if (!invoke(job, output, buffer, log_stream))
            throw Error(ErrorCode::compile,
                        "Clang cannot compile " + job.source.name + ":\n" + log);
        return std::string(buffer.begin(), buffer.end());
    });
}

void check_tune_cpu(const std::string& triple, const std::string& cpu) {
    const auto target = target_info(triple);
    if (target->isValidTuneCPUName(cpu)) return;
    llvm::SmallVector<llvm::StringRef, 64> known;
    target->fillValidTuneCPUList(known);
    std::string names;
    for (auto name : known) names += (names.empty() ? "" : ", ") + name.str();
    throw Error(ErrorCode::invalid_argument, "unknown CPU model '" + cpu + "' to tune for (" +
                                                 clang_version() + "): use one of " + names);
}

std::vector<std::string> known_cpus(const std::string& triple) {
    llvm::SmallVector<llvm::StringRef, 64> known;
    target_info(triple)->fillValidCPUList(known);
    std::vector<std::string> names;
    for (auto name : known) names.push_back(name.str());
    return names;
}

std::shared_mutex& target_registry() {
    static std::shared_mutex registry;
    return registry;
}

std::string clang_version() {
    return clang::getClangFullVersion();
}

}  // namespace spmvgen
