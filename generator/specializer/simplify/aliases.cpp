#include "specializer/simplify/aliases.hpp"

#include "specializer/syntax/constants.hpp"
#include "specializer/syntax/syntax_walk.hpp"

namespace spmvgen::specializer {
namespace {

/// What a function declares, and which of it is not only read.
class NameWalk : public SyntaxWalk {
  public:
    llvm::DenseSet<llvm::StringRef> declared, ambiguous;
    llvm::DenseSet<const clang::VarDecl*> changed;

    bool traverse_statement(clang::Stmt* s) override {
        const auto* above = above_;
        if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s)) note(*name);
        above_ = s;
        const bool result = SyntaxWalk::traverse_statement(s);
        above_ = above;
        return result;
    }

  private:
    bool visit_declaration(clang::Decl* d) override {
        auto* v = llvm::dyn_cast<clang::VarDecl>(d);
        if (v && !declared.insert(v->getName()).second) ambiguous.insert(v->getName());
        return true;
    }
    void note(const clang::DeclRefExpr& name) {
        const auto* v = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
        const auto* cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(above_);
        if (v && !(cast && cast->getCastKind() == clang::CK_LValueToRValue)) changed.insert(v);
    }
    const clang::Stmt* above_ = nullptr;
};

const clang::VarDecl* named_variable(const clang::Expr* e) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreImplicit());
    return name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

}  // namespace

void Aliases::enter(const clang::FunctionDecl& function) {
    NameWalk names;
    names.traverse_declaration(const_cast<clang::FunctionDecl*>(&function));
    ambiguous_ = std::move(names.ambiguous);
    changed_ = std::move(names.changed);
}

bool Aliases::is_constant(const clang::VarDecl& v) const {
    return v.getType()->isScalarType() && !v.getType().isVolatileQualified() &&
           !v.hasGlobalStorage() && (v.getType().isConstQualified() || !changed_.contains(&v));
}

void Aliases::note(const clang::VarDecl& local, const clang::Expr& value) {
    const auto* original = named_variable(&value);
    if (!original || !is_constant(local) || !is_constant(*original) ||
        ambiguous_.contains(original->getName()) ||
        !same_type(original->getType().getUnqualifiedType(), local.getType().getUnqualifiedType()))
        return;
    const auto further = originals_.find(original);
    originals_[&local] = further == originals_.end() ? original : further->second;
}

const clang::VarDecl* Aliases::original(const clang::Expr* e) const {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
    const auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    const auto found = originals_.find(v);
    return found == originals_.end() ? nullptr : found->second;
}

}  // namespace spmvgen::specializer
