#include "specializer/syntax/front_end.hpp"

#include <algorithm>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/Basic/FileManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Parse/Parser.h"
#include "clang/Sema/EnterExpressionEvaluationContext.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

const std::string root = "/templates/";

/// A declaration of gpu_builtins_file.
struct Builtin {
    llvm::StringRef function;  ///< its name; "" = no function
    llvm::StringRef text;
};

/// Each ends with its line; comments stand before them.
std::vector<Builtin> builtins_of(llvm::StringRef text) {
    std::vector<Builtin> all;
    while (!text.empty()) {
        if (text.starts_with("//")) {
            text = text.split('\n').second;
            continue;
        }
        const auto end = text.find(";\n");
        const auto declaration = text.take_front(end == text.npos ? end : end + 2);
        const auto head = declaration.split('(').first;
        const auto name = head.size() == declaration.size() ? "" : head.rsplit(' ').second;
        all.push_back({name.ltrim('*'), declaration});
        text = text.drop_front(declaration.size());
    }
    return all;
}

/// What every text is read with, C++17 of this machine's kind without a file system or macros.
const clang::CompilerInvocation& plain_invocation() {
    static const clang::CompilerInvocation plain = [] {
        const char* const arguments[] = {"-triple",
                                         "x86_64-unknown-linux-gnu",
                                         "-fsyntax-only",
                                         "-std=c++17",
                                         "-nobuiltininc",
                                         "-nostdsysteminc",
                                         "-nostdinc++",
                                         "-undef",  // half the time of a small text
                                         "-fcxx-exceptions",
                                         "-fexceptions",
                                         "-I",
                                         root.c_str(),
                                         "-x",
                                         "c++"};
        clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs, new clang::DiagnosticOptions,
                                             new clang::IgnoringDiagConsumer);
        clang::CompilerInvocation made;
        clang::CompilerInvocation::CreateFromArgs(made, arguments, diagnostics);
        made.getFrontendOpts().DisableFree = false;
        return made;
    }();
    return plain;
}

std::shared_ptr<clang::CompilerInvocation> invocation(const std::string& main,
                                                      const FrontEndOptions& options) {
    auto made = std::make_shared<clang::CompilerInvocation>(plain_invocation());
    made->getFrontendOpts().Inputs = {{root + main, clang::Language::CXX}};
    made->getLangOpts().DelayedTemplateParsing = options.bodies_on_demand;
    // Most warnings need a control-flow graph of every function.
    made->getDiagnosticOpts().IgnoreWarnings = !options.warnings;
    if (options.warnings)
        made->getDiagnosticOpts().Warnings = {"all", "extra", "no-unknown-pragmas",
                                              "no-source-uses-openmp"};
    auto& preprocessor = made->getPreprocessorOpts();
    for (auto& macro : options.macros) preprocessor.addMacroDef(macro);
    if (options.gpu_builtins.empty()) return made;
    preprocessor.Includes.push_back(root + gpu_builtins_file);
    // The keywords decide nothing for the specialiser, which keeps them as they stand.
    for (auto* macro : {"__shared__=", "__global__=", "__device__=", "__forceinline__=inline",
                        "__launch_bounds__(...)="})
        preprocessor.addMacroDef(macro);
    return made;
}

/// Enters Clang's own functions into a compiler's identifiers when a text names them. Clang enters
/// all 5000 beforehand, which takes longer than a short text.
class NamedBuiltins : public clang::IdentifierInfoLookup {
  public:
    void serve(clang::Preprocessor& preprocessor) {
        known_ = &all(preprocessor);
        identifiers_ = &preprocessor.getIdentifierTable();
        identifiers_->setExternalIdentifierLookup(this);
    }
    clang::IdentifierInfo* get(llvm::StringRef name) override {
        const auto found = known_->find(name);
        if (found == known_->end()) return nullptr;
        auto& identifier = identifiers_->getOwn(name);
        identifier.setBuiltinID(found->second->getBuiltinID());
        return &identifier;
    }
    /// For the corrections that Clang proposes.
    clang::IdentifierIterator* getIdentifiers() override { return new Names(*known_); }

  private:
    class Names : public clang::IdentifierIterator {
      public:
        explicit Names(const clang::IdentifierTable& table)
            : next_(table.begin()), end_(table.end()) {}
        llvm::StringRef Next() override { return next_ == end_ ? "" : (next_++)->getKey(); }

      private:
        clang::IdentifierTable::const_iterator next_, end_;
    };
    /// The same for every text: all are read with the same language and target.
    static const clang::IdentifierTable& all(clang::Preprocessor& preprocessor) {
        static const auto table = [&] {
            auto made = std::make_unique<clang::IdentifierTable>();
            preprocessor.getBuiltinInfo().initializeBuiltins(*made, preprocessor.getLangOpts());
            return made;
        }();
        return *table;
    }
    const clang::IdentifierTable* known_ = nullptr;
    clang::IdentifierTable* identifiers_ = nullptr;
};

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

FrontEndOptions with_named_builtins(FrontEndOptions options, const std::string& text) {
    if (options.gpu_builtins.empty()) return options;
    const auto all = builtins_of(options.gpu_builtins);
    llvm::StringMap<bool> named;
    for (auto& b : all) named[b.function] = b.function.empty();
    const auto in_word = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    for (auto begin = std::ranges::find_if(text, in_word); begin != text.end();) {
        const auto end = std::find_if_not(begin, text.end(), in_word);
        if (const auto found = named.find({&*begin, static_cast<std::size_t>(end - begin)});
            found != named.end())
            found->second = true;
        begin = std::find_if(end, text.end(), in_word);
    }
    std::string needed;
    for (auto& b : all)
        if (named[b.function]) needed += b.text;
    options.gpu_builtins = std::move(needed);
    return options;
}

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
        compiler_.setInvocation(invocation(main, options));
        auto& wanted = compiler_.getDiagnosticOpts();
        compiler_.setDiagnostics(new clang::DiagnosticsEngine(new clang::DiagnosticIDs, &wanted,
                                                              &collector,
                                                              /*ShouldOwnClient=*/false));
        clang::ProcessWarningOptions(compiler_.getDiagnostics(), wanted);
        compiler_.setFileManager(
            new clang::FileManager(clang::FileSystemOptions(), memory(files, options)));
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
    static llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> memory(const Files& files,
                                                                  const FrontEndOptions& options) {
        llvm::IntrusiveRefCntPtr memory(new llvm::vfs::InMemoryFileSystem);
        for (auto& [path, text] : files)
            memory->addFile(root + path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
        if (!options.gpu_builtins.empty())  // unless they are among the files
            memory->addFile(root + gpu_builtins_file, 0,
                            llvm::MemoryBuffer::getMemBufferCopy(options.gpu_builtins));
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
        builtins_.serve(preprocessor);
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

    NamedBuiltins builtins_;  // outlives the compiler, which asks it
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
