#include "specializer/syntax/front_end.hpp"

#include <algorithm>
#include <sstream>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/FileManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/Sema.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

const std::string root = "/templates/";

/// The declarations of `builtins` but for functions that the text does not name. Each declaration
/// ends with its line.
std::string named_builtins(const std::string& builtins, const std::string& text) {
    std::string named, declaration;
    std::istringstream lines(builtins);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("//")) continue;
        declaration += line + "\n";
        if (!line.ends_with(";")) continue;
        const auto end = declaration.find('(');
        const auto begin = end == std::string::npos ? end : declaration.find_last_of(" *", end) + 1;
        if (end == std::string::npos ||
            text.find(declaration.substr(begin, end - begin)) != std::string::npos)
            named += declaration;
        declaration.clear();
    }
    return named;
}

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

/// A compiler whose parser has read the main file, and can go on.
class Parsed::Reader {
  public:
    Reader(const Files& files, const std::string& main, const FrontEndOptions& options,
           Collector& collector) {
        compiler_.setDiagnostics(
            new clang::DiagnosticsEngine(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                                         &collector, /*ShouldOwnClient=*/false));
        compiler_.setInvocation(invocation(main, options));
        compiler_.setFileManager(
            new clang::FileManager(clang::FileSystemOptions(), memory(files, main, options)));
        compiler_.createSourceManager(compiler_.getFileManager());
        if (!compiler_.createTarget() ||
            !compiler_.InitializeSourceManager(compiler_.getFrontendOpts().Inputs.front()))
            throw Error(ErrorCode::internal,
                        "the front end cannot start: " + to_string(collector.found));
        read(options);
    }
    ~Reader() {
        parser_.reset();
        compiler_.setSema(nullptr);
        compiler_.setASTConsumer(nullptr);
        compiler_.setASTContext(nullptr);
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    clang::CompilerInstance& compiler() { return compiler_; }

    void read_more(const std::string& name, const std::string& text) {
        auto& preprocessor = compiler_.getPreprocessor();
        // Bodies that were read on demand may leave tokens behind.
        clang::Token token;
        do preprocessor.Lex(token);
        while (token.isNot(clang::tok::eof));
        auto& manager = compiler_.getSourceManager();
        const auto place = manager.getLocForStartOfFile(manager.getMainFileID());
        const auto file =
            manager.createFileID(llvm::MemoryBuffer::getMemBufferCopy(text, root + name),
                                 clang::SrcMgr::C_User, 0, 0, place);
        preprocessor.EnterSourceFile(file, nullptr, place);
        parser_->ConsumeToken();
        read_declarations();
    }

  private:
    std::shared_ptr<clang::CompilerInvocation> invocation(const std::string& main,
                                                          const FrontEndOptions& options) {
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
        if (options.bodies_on_demand) arguments.push_back("-fdelayed-template-parsing");
        for (auto& a : options.arguments) arguments.push_back(a.c_str());
        // The keywords decide nothing for the specialiser, which keeps them as they stand.
        const std::string builtins = root + gpu_builtins_file;
        if (!options.gpu_builtins.empty())
            arguments.insert(
                arguments.end(),
                {"-include", builtins.c_str(), "-D__shared__=", "-D__global__=", "-D__device__=",
                 "-D__forceinline__=inline", "-D__launch_bounds__(...)="});
        arguments.push_back(input.c_str());
        auto made = std::make_shared<clang::CompilerInvocation>();
        clang::CompilerInvocation::CreateFromArgs(*made, arguments, compiler_.getDiagnostics());
        made->getFrontendOpts().DisableFree = false;
        return made;
    }
    static llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> memory(const Files& files,
                                                                  const std::string& main,
                                                                  const FrontEndOptions& options) {
        llvm::IntrusiveRefCntPtr memory(new llvm::vfs::InMemoryFileSystem);
        for (auto& [path, text] : files)
            memory->addFile(root + path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
        // A text without the dialect's files stands alone: what it does not name, it does not need.
        if (!options.gpu_builtins.empty() && !files.contains(gpu_builtins_file))
            memory->addFile(root + gpu_builtins_file, 0,
                            llvm::MemoryBuffer::getMemBufferCopy(
                                named_builtins(options.gpu_builtins, files.at(main))));
        return memory;
    }
    /// What clang::ParseAST does, but for the parser, which stays.
    void read(const FrontEndOptions& options) {
        compiler_.createPreprocessor(clang::TU_Complete);
        auto& preprocessor = compiler_.getPreprocessor();
        // The scope of the file then stays open, for what instantiated bodies name.
        if (options.bodies_on_demand || options.more_follows)
            preprocessor.enableIncrementalProcessing();
        compiler_.createASTContext();
        preprocessor.getBuiltinInfo().initializeBuiltins(preprocessor.getIdentifierTable(),
                                                         compiler_.getLangOpts());
        compiler_.setASTConsumer(std::make_unique<clang::ASTConsumer>());
        compiler_.createSema(clang::TU_Complete, nullptr);
        compiler_.getDiagnosticClient().BeginSourceFile(compiler_.getLangOpts(), &preprocessor);
        parser_ = std::make_unique<clang::Parser>(preprocessor, compiler_.getSema(),
                                                  /*SkipFunctionBodies=*/false);
        preprocessor.EnterMainSourceFile();
        parser_->Initialize();
        read_declarations();
    }
    void read_declarations() {
        clang::Parser::DeclGroupPtrTy declaration;
        clang::Sema::ModuleImportState state;
        const clang::EnterExpressionEvaluationContext evaluated(
            compiler_.getSema(), clang::Sema::ExpressionEvaluationContext::PotentiallyEvaluated);
        bool at_end = parser_->ParseFirstTopLevelDecl(declaration, state);
        while (!at_end) at_end = parser_->ParseTopLevelDecl(declaration, state);
    }

    clang::CompilerInstance compiler_;
    std::unique_ptr<clang::Parser> parser_;
};

Parsed::Parsed(const Files& files, const std::string& main, const FrontEndOptions& options)
    : collector_(std::make_unique<Collector>()),
      reader_(std::make_unique<Reader>(files, main, options, *collector_)) {}

void Parsed::read_more(const std::string& name, const std::string& text) {
    reader_->read_more(name, text);
}

clang::ASTContext& Parsed::context() {
    return reader_->compiler().getASTContext();
}

clang::Sema& Parsed::sema() {
    return reader_->compiler().getSema();
}

Parsed::~Parsed() = default;

const std::vector<Diagnostic>& Parsed::diagnostics() const {
    return collector_->found;
}

bool Parsed::failed() const {
    return std::ranges::any_of(collector_->found, &Diagnostic::error);
}

}  // namespace spmvgen::specializer
