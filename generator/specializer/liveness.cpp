#include "specializer/liveness.hpp"

#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"

namespace spmvgen::specializer {
namespace {

class Effects : public clang::RecursiveASTVisitor<Effects> {
  public:
    bool found = false;

    bool VisitBinaryOperator(clang::BinaryOperator* e) {
        return !e->isAssignmentOp() || changes(e->getLHS());
    }
    bool VisitUnaryOperator(clang::UnaryOperator* e) {
        return !e->isIncrementDecrementOp() || changes(e->getSubExpr());
    }
    bool VisitCallExpr(clang::CallExpr* e) {
        const auto* f = e->getDirectCallee();
        return f && is_pure_function(f) ? true : stop();
    }
    bool VisitAtomicExpr(clang::AtomicExpr*) { return stop(); }  // a builtin, but no call
    bool VisitVarDecl(clang::VarDecl* v) {
        if (v->isLocalVarDecl() && !v->getType()->isReferenceType()) own_.insert(v);
        return !v->getType().isVolatileQualified() || stop();
    }
    bool VisitLambdaExpr(clang::LambdaExpr*) { return stop(); }
    bool VisitCXXNewExpr(clang::CXXNewExpr*) { return stop(); }
    void own(const clang::ParmVarDecl* p) {
        if (!p->getType()->isReferenceType()) own_.insert(p);
    }

  private:
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

class CallSearch : public clang::RecursiveASTVisitor<CallSearch> {
  public:
    bool found = false;
    bool VisitCallExpr(clang::CallExpr*) {
        found = true;
        return false;
    }
};

}  // namespace

void Liveness::spread() {
    for (std::size_t before = live_.size() + 1; before != live_.size();) {
        before = live_.size();
        for (auto& r : references_)
            if (live_.contains(r.owner)) live_.insert(r.target);
    }
}

bool is_pure_function(const clang::FunctionDecl* function) {
    const clang::FunctionDecl* definition = nullptr;
    // A builtin that gives nothing back is called for what it does: __builtin_prefetch.
    if (!function->isDefined(definition))
        return function->hasAttr<clang::ConstAttr>() && !function->getReturnType()->isVoidType();
    Effects effects;
    for (auto* p : definition->parameters()) effects.own(p);
    effects.TraverseStmt(definition->getBody());
    return !effects.found;
}

bool can_go(const clang::Expr* e) {
    Effects effects;
    effects.TraverseStmt(const_cast<clang::Expr*>(e));
    return !effects.found;
}

bool has_call(const clang::Expr* e) {
    CallSearch search;
    search.TraverseStmt(const_cast<clang::Expr*>(e));
    return search.found;
}

}  // namespace spmvgen::specializer
