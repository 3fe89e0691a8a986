#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class Sema;
}  // namespace clang

namespace spmvgen::specializer {

/// Virtual files by path; quotes in #include lines name these paths.
using Files = std::map<std::string, std::string>;

/// The virtual file that declares what a GPU's compiler knows by itself: threadIdx,
/// __syncthreads(), …. Its names are taken over as they stand, and nothing of it is emitted.
inline const std::string gpu_builtins_file = "dialect/gpu_builtins.hpp";

/// How Clang is told to read a text.
struct FrontEndOptions {
    /// Text of gpu_builtins_file when the text at hand is of the GPU dialect; "" = it is not.
    std::string gpu_builtins;
    std::vector<std::string> macros;  ///< "NAME" or "NAME=VALUE"
    bool warnings = false;            ///< whether all and extra warnings are looked for
    /// Whether the body of a function template is read when it is instantiated; else all are.
    bool bodies_on_demand = false;
    bool more_follows = false;  ///< whether read_more will be called
    bool operator==(const FrontEndOptions&) const = default;
};

/// The options without the GPU's functions that the text does not name: a text without the
/// dialect's files stands alone, and so does whatever becomes of it by leaving away.
FrontEndOptions with_named_builtins(FrontEndOptions options, const std::string& text);

/// One message of the front end.
struct Diagnostic {
    bool error = false;
    std::string file;  ///< virtual path; "" when the message has no place
    unsigned line = 0;
    std::string message;
};

/// `file:line: message` for each, one a line; `prefix` goes before each file name.
std::string to_string(const std::vector<Diagnostic>& diagnostics, const std::string& prefix = "");

/// A parsed text. Its diagnostics grow when more is instantiated in it. Clang's own ASTUnit lets go
/// of the parser, which bodies on demand need.
class Parsed {
  public:
    /// Reads `main` from `files`. No file system, environment or working directory is looked at.
    Parsed(const Files& files, const std::string& main, const FrontEndOptions& options);
    ~Parsed();
    Parsed(const Parsed&) = delete;
    Parsed& operator=(const Parsed&) = delete;

    /// Reads a further text behind all others, which is called `name` in messages.
    void read_more(const std::string& name, const std::string& text);

    clang::ASTContext& context();
    clang::Sema& sema();
    const std::vector<Diagnostic>& diagnostics() const;
    bool failed() const;

  private:
    class Collector;
    class Reader;
    std::unique_ptr<Collector> collector_;
    std::unique_ptr<Reader> reader_;
};

}  // namespace spmvgen::specializer
