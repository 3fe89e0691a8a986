#pragma once
#include <map>

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseSet.h"

namespace spmvgen::specializer {

/// Variables that keep their value and are other names for such a one: `const long first = row;`
class Aliases {
  public:
    /// Begins a function: notes which variables it changes.
    void enter(const clang::FunctionDecl& function);
    /// Notes a local when it is another name; `value`: what its initialiser comes down to.
    void note(const clang::VarDecl& local, const clang::Expr& value);
    /// What the expression is another name for; null when it is none.
    const clang::VarDecl* original(const clang::Expr* e) const;

  private:
    std::map<const clang::VarDecl*, const clang::VarDecl*> originals_;  // looked up only
    bool is_constant(const clang::VarDecl& v) const;

    llvm::DenseSet<llvm::StringRef> ambiguous_;  // names that the function declares more than once
    llvm::DenseSet<const clang::VarDecl*> changed_;
};

}  // namespace spmvgen::specializer
