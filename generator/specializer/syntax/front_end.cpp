#include "specializer/syntax/front_end.hpp"

#include <algorithm>

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/FileManager.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

const std::string root = "/templates/";

}  // namespace

class Parsed::Collector : public clang::DiagnosticConsumer {
  public:
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                          const clang::Diagnostic& info) override {
        DiagnosticConsumer::HandleDiagnostic(level, info);
        if (level < clang::DiagnosticsEngine::Warning) return;
        llvm::SmallString<256> message;
        info.FormatDiagnostic(message);
        Diagnostic d{level >= clang::DiagnosticsEngine::Error, "", 0, message.str().str()};
        if (info.getLocation().isValid() && info.hasSourceManager()) {
            const auto place = info.getSourceManager().getPresumedLoc(
                info.getSourceManager().getFileLoc(info.getLocation()));
            d.file = place.getFilename();
            if (d.file.starts_with(root)) d.file.erase(0, root.size());
            d.line = place.getLine();
        }
        found.push_back(std::move(d));
    }
    std::vector<Diagnostic> found;
};

std::string to_string(const std::vector<Diagnostic>& diagnostics, const std::string& prefix) {
    std::string text;
    for (auto& d : diagnostics) {
        if (!text.empty()) text += "\n";
        if (!d.file.empty()) text += prefix + d.file + ":" + std::to_string(d.line) + ": ";
        text += d.message;
    }
    return text;
}

Parsed::Parsed(const Files& files, const std::string& main, const FrontEndOptions& options)
    : collector_(std::make_unique<Collector>()) {
    llvm::IntrusiveRefCntPtr memory(new llvm::vfs::InMemoryFileSystem);
    for (auto& [path, text] : files)
        memory->addFile(root + path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
    llvm::IntrusiveRefCntPtr engine(
        new clang::DiagnosticsEngine(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                                     collector_.get(), /*ShouldOwnClient=*/false));
    const std::string input = root + main;
    const std::string standard = "-std=" + options.standard;
    std::vector<const char*> arguments{
        "-triple",
        options.triple.c_str(),
        "-fsyntax-only",
        standard.c_str(),
        "-nobuiltininc",
        "-nostdsysteminc",
        "-nostdinc++",
        "-undef",  // the dialect has no macros: half the time of a small text
        "-fcxx-exceptions",
        "-fexceptions",
        "-I",
        root.c_str(),
        "-x",
        options.language.c_str()};
    // Most warnings need a control-flow graph of every function.
    if (!options.warnings) arguments.push_back("-w");
    for (auto& a : options.arguments) arguments.push_back(a.c_str());
    const std::string builtins = root + gpu_builtins_file;
    if (!options.gpu_builtins.empty()) {
        if (!files.contains(gpu_builtins_file))
            memory->addFile(builtins, 0,
                            llvm::MemoryBuffer::getMemBufferCopy(options.gpu_builtins));
        // The keywords decide nothing for the specialiser, which keeps them as they stand.
        arguments.insert(
            arguments.end(),
            {"-include", builtins.c_str(), "-D__shared__=", "-D__global__=", "-D__device__=",
             "-D__forceinline__=inline", "-D__launch_bounds__(...)="});
    }
    arguments.push_back(input.c_str());
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, *engine);
    invocation->getFrontendOpts().DisableFree = false;
    unit_ = clang::ASTUnit::LoadFromCompilerInvocation(
        invocation, std::make_shared<clang::PCHContainerOperations>(), engine,
        new clang::FileManager(clang::FileSystemOptions(), memory));
    if (!unit_)
        throw Error(ErrorCode::internal, "the front end cannot start: " + to_string(diagnostics()));
}

Parsed::~Parsed() = default;

const std::vector<Diagnostic>& Parsed::diagnostics() const {
    return collector_->found;
}

bool Parsed::failed() const {
    return std::ranges::any_of(collector_->found, &Diagnostic::error);
}

}  // namespace spmvgen::specializer
