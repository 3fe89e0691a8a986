#include "specializer/syntax/liveness.hpp"

#include <set>

#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "specializer/syntax/syntax_walk.hpp"

namespace spmvgen::specializer {
namespace {

class Effects : public SyntaxWalk {
  public:
    bool found = false;

    void own(const clang::ParmVarDecl* p) {
        if (!p->getType()->isReferenceType()) own_.insert(p);
    }

  private:
    bool visit_statement(clang::Stmt* s) override {
        if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(s))
            return !b->isAssignmentOp() || changes(b->getLHS());
        if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(s))
            return !u->isIncrementDecrementOp() || changes(u->getSubExpr());
        if (auto* call = llvm::dyn_cast<clang::CallExpr>(s)) {
            const auto* f = call->getDirectCallee();
            return (f && is_pure_function(f)) || stop();
        }
        // An atomic operation is a builtin, but no call.
        return !llvm::isa<clang::AtomicExpr, clang::LambdaExpr, clang::CXXNewExpr>(s) || stop();
    }
    bool visit_declaration(clang::Decl* d) override {
        auto* v = llvm::dyn_cast<clang::VarDecl>(d);
        if (!v) return true;
        if (v->isLocalVarDecl() && !v->getType()->isReferenceType()) own_.insert(v);
        return !v->getType().isVolatileQualified() || stop();
    }
    bool stop() {
        found = true;
        return false;
    }
    /// Assigning to a local of this function, or to an element of a local array, is no effect.
    bool changes(const clang::Expr* target) {
        target = target->IgnoreParenImpCasts();
        while (true) {
            if (auto* s = llvm::dyn_cast<clang::ArraySubscriptExpr>(target)) {
                const auto* base = s->getBase()->IgnoreParenImpCasts();
                if (!base->getType()->isArrayType() && !base->getType()->isVectorType())
                    return stop();
                target = base;
            } else if (auto* m = llvm::dyn_cast<clang::MemberExpr>(target); m && !m->isArrow()) {
                target = m->getBase()->IgnoreParenImpCasts();
            } else {
                break;
            }
        }
        const auto* r = llvm::dyn_cast<clang::DeclRefExpr>(target);
        return r && own_.contains(r->getDecl()) ? true : stop();
    }
    std::set<const clang::Decl*> own_;
};

class CallSearch : public SyntaxWalk {
  public:
    bool found = false;

  private:
    bool visit_statement(clang::Stmt* s) override {
        found = llvm::isa<clang::CallExpr>(s);
        return !found;
    }
};

}  // namespace

bool Liveness::live(const Owner& owner) const {
    return live_.contains(owner.declaration) && (owner.call == nullptr || live(*owner.call));
}

void Liveness::spread() {
    for (std::size_t before = live_.size() + 1; before != live_.size();) {
        before = live_.size();
        for (auto& r : references_)
            if (live(*r.owner)) live_.insert(r.target);
    }
}

bool is_pure_function(const clang::FunctionDecl* function) {
    const clang::FunctionDecl* definition = nullptr;
    // A builtin that gives nothing back is called for what it does: __builtin_prefetch.
    if (!function->isDefined(definition))
        return function->hasAttr<clang::ConstAttr>() && !function->getReturnType()->isVoidType();
    Effects effects;
    for (auto* p : definition->parameters()) effects.own(p);
    effects.traverse_statement(definition->getBody());
    return !effects.found;
}

bool can_go(const clang::Expr* e) {
    Effects effects;
    effects.traverse_statement(const_cast<clang::Expr*>(e));
    return !effects.found;
}

bool has_call(const clang::Expr* e) {
    CallSearch search;
    search.traverse_statement(const_cast<clang::Expr*>(e));
    return search.found;
}

}  // namespace spmvgen::specializer
