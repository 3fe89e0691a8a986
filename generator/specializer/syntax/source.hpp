#pragma once
#include <string>
#include <string_view>

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "specializer/syntax/text_edits.hpp"

namespace spmvgen::specializer {

/// Where the nodes of an AST are in the texts they came from.
class Source {
  public:
    explicit Source(clang::ASTContext& ast) : context(ast), manager(ast.getSourceManager()) {}

    unsigned begin(clang::SourceLocation location) const;
    /// Offset behind the token at `location`.
    unsigned end(clang::SourceLocation location) const;
    Range range(clang::SourceRange r) const { return {begin(r.getBegin()), end(r.getEnd())}; }
    /// Where a declaration begins, attributes in front of it included.
    unsigned declaration_begin(const clang::Decl& d) const;
    /// The whole text of the file that holds `location`.
    std::string_view text(clang::SourceLocation location) const;
    /// Whether it is declared in gpu_builtins_file.
    bool is_gpu_builtin(const clang::Decl& d) const;
    /// "cpu/csr_rows.hpp:12"
    std::string place(clang::SourceLocation location) const;

    clang::ASTContext& context;
    clang::SourceManager& manager;
};

}  // namespace spmvgen::specializer
