#pragma once
#include <map>
#include <set>
#include <string>

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

namespace spmvgen::specializer {

/// Variables that keep their value and are other names for such a one: `const long first = row;`
class Aliases {
  public:
    /// Begins a function: notes which variables it changes.
    void enter(const clang::FunctionDecl& function);
    /// Notes a local when it is another name.
    void note(const clang::VarDecl& local);
    /// What the expression is another name for; null when it is none.
    const clang::VarDecl* original(const clang::Expr* e) const;

  private:
    std::map<const clang::VarDecl*, const clang::VarDecl*> originals_;  // looked up only
    bool is_constant(const clang::VarDecl& v) const;

    std::set<std::string> ambiguous_;  // names that the function declares more than once
    std::set<const clang::VarDecl*> changed_;
};

}  // namespace spmvgen::specializer
