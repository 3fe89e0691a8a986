#pragma once
#include <deque>
#include <vector>

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseSet.h"

namespace spmvgen::specializer {

/// Who needs whom in one text: a declaration is live when the owner of some reference to it is.
class Liveness {
  public:
    /// What a reference serves: a function, a local variable (its initialiser), or a parameter (the
    /// argument handed to it), and then in what the call stands.
    struct Owner {
        const clang::Decl* declaration = nullptr;
        const Owner* call = nullptr;  ///< null = nothing that could go by itself
    };
    const Owner* owner(const clang::Decl* declaration, const Owner* call = nullptr) {
        return &owners_.emplace_back(declaration->getCanonicalDecl(), call);
    }
    void refer(const clang::Decl* target, const Owner* owner) {
        references_.push_back({target->getCanonicalDecl(), owner});
    }
    void keep(const clang::Decl* root) { live_.insert(root->getCanonicalDecl()); }
    /// To be called once, when all is referred.
    void spread();
    bool live(const clang::Decl* d) const { return live_.contains(d->getCanonicalDecl()); }

  private:
    struct Reference {
        const clang::Decl* target;
        const Owner* owner;
    };
    bool live(const Owner& owner) const;

    std::deque<Owner> owners_;  // which are pointed to
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
