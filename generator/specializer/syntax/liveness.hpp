#pragma once
#include <vector>

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseSet.h"

namespace spmvgen::specializer {

/// Who needs whom in one text: a declaration is live when the owner of some reference to it is. An
/// owner is the function, the local variable (its initialiser) or the parameter (the argument
/// handed to it) that the reference serves.
class Liveness {
  public:
    void refer(const clang::Decl* target, const clang::Decl* owner) {
        references_.push_back({target->getCanonicalDecl(), owner->getCanonicalDecl()});
    }
    void keep(const clang::Decl* root) { live_.insert(root->getCanonicalDecl()); }
    /// To be called once, when all is referred.
    void spread();
    bool live(const clang::Decl* d) const { return live_.contains(d->getCanonicalDecl()); }

  private:
    struct Reference {
        const clang::Decl* target;
        const clang::Decl* owner;
    };
    std::vector<Reference> references_;
    llvm::DenseSet<const clang::Decl*> live_;
};

/// Whether a call of the function changes nothing but its own locals.
bool is_pure_function(const clang::FunctionDecl* function);

/// Whether the expression can go; calls of pure functions may.
bool can_go(const clang::Expr* e);

/// Whether the expression calls anything: then its arguments may be the only use of something.
bool has_call(const clang::Expr* e);

}  // namespace spmvgen::specializer
