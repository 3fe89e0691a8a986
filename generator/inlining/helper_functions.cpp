#include "inlining/helper_functions.hpp"

#include <algorithm>

#include "clang/AST/Attr.h"
#include "specializer/syntax/syntax_walk.hpp"
#include "specializer/syntax/tokens.hpp"

namespace spmvgen::specializer {
namespace {

/// Fills in what one function's body tells.
class BodyWalk : public SyntaxWalk {
  public:
    BodyWalk(HelperFunction& helper, std::map<const clang::FunctionDecl*, int>& calls)
        : helper_(helper), calls_(calls) {}

    bool traverse_statement(clang::Stmt* s) override {
        parents_.push_back(s);
        const int before = branches_;
        branches_ += is_branch(s);
        const bool result = SyntaxWalk::traverse_statement(s);
        branches_ = before;
        parents_.pop_back();
        return result;
    }

  private:
    static bool is_branch(const clang::Stmt* s) {
        auto* o = llvm::dyn_cast<clang::BinaryOperator>(s);
        return llvm::isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::IfStmt,
                         clang::AbstractConditionalOperator>(s) ||
               (o && o->isLogicalOp());
    }
    bool visit_statement(clang::Stmt* s) override {
        if (auto* call = llvm::dyn_cast<clang::CallExpr>(s))
            if (auto* f = call->getDirectCallee()) ++calls_[f->getCanonicalDecl()];
        if (llvm::isa<clang::LambdaExpr, clang::AsmStmt, clang::GotoStmt>(s))
            helper_.movable = false;
        if (auto* r = llvm::dyn_cast<clang::ReturnStmt>(s)) note_return(r);
        if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s)) note_name(name);
        return true;
    }
    bool visit_declaration(clang::Decl* d) override {
        // Its name may be there already where the function is put.
        if (llvm::isa<clang::TypeDecl>(d)) helper_.movable = false;
        auto* v = llvm::dyn_cast<clang::VarDecl>(d);
        if (!v || !v->isLocalVarDecl()) return true;
        if (v->isStaticLocal()) helper_.movable = false;
        helper_.locals.insert(v->getNameAsString());
        // Of the stack, the body is the first and the declaration the second.
        if (parents_.size() <= 2) helper_.outer_locals.insert(v->getNameAsString());
        return true;
    }
    void note_return(const clang::ReturnStmt* r) {
        const bool last = !helper_.body->body_empty() && helper_.body->body_back() == r;
        if (last && r->getRetValue())
            helper_.result = r;
        else
            helper_.movable = false;
    }
    void note_name(const clang::DeclRefExpr* name) {
        auto* p = llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl());
        if (!p || p->getDeclContext() != helper_.function) return;
        auto& use = helper_.parameters[p->getFunctionScopeIndex()];
        ++use.count;
        use.conditional |= branches_ > 0;
        use.written |= !p->getType()->isReferenceType() && !is_read();
    }
    /// Whether the name at hand is only read: converted to a value, a member of it, or a copy.
    bool is_read() const {
        if (parents_.size() < 2) return false;
        const auto* above = parents_[parents_.size() - 2];
        if (llvm::isa<clang::MemberExpr>(above) && parents_.size() >= 3)
            above = parents_[parents_.size() - 3];
        if (llvm::isa<clang::CXXConstructExpr>(above)) return true;
        auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(above);
        return cast && (cast->getCastKind() == clang::CK_LValueToRValue ||
                        cast->getCastKind() == clang::CK_NoOp);
    }

    HelperFunction& helper_;
    std::map<const clang::FunctionDecl*, int>& calls_;
    std::vector<clang::Stmt*> parents_;
    int branches_ = 0;
};

bool names_in_pragmas(const HelperFunction& helper, const std::string& text, Range range) {
    const auto words = pragma_identifiers(text, range);
    return std::ranges::any_of(words, [&](const Word& w) {
        return helper.locals.contains(w.text) ||
               std::ranges::any_of(helper.function->parameters(),
                                   [&](auto* p) { return p->getNameAsString() == w.text; });
    });
}

}  // namespace

bool HelperFunction::is_value() const {
    return movable && result && body->size() == 1 &&
           !llvm::isa<clang::InitListExpr>(result->getRetValue()->IgnoreImplicit());
}

bool HelperFunction::is_statement() const {
    return movable && !result && body->size() == 1 && llvm::isa<clang::Expr>(body->body_front());
}

std::vector<HelperFunction> helper_functions(const Source& source, const std::string& text) {
    std::vector<HelperFunction> helpers;
    std::map<const clang::FunctionDecl*, int> calls;
    for (auto* d : source.context.getTranslationUnitDecl()->decls()) {
        auto* f = llvm::dyn_cast<clang::FunctionDecl>(d);
        if (!f || f->isImplicit() || !f->isThisDeclarationADefinition() ||
            !source.manager.isWrittenInMainFile(f->getLocation()))
            continue;
        HelperFunction helper;
        helper.function = f;
        helper.body = llvm::dyn_cast<clang::CompoundStmt>(f->getBody());
        if (!helper.body) continue;
        helper.parameters.resize(f->getNumParams());
        BodyWalk(helper, calls).traverse_statement(f->getBody());
        helper.movable = helper.movable && !f->hasAttr<clang::NoInlineAttr>() &&
                         !names_in_pragmas(helper, text, source.range(f->getSourceRange()));
        helpers.push_back(std::move(helper));
    }
    for (auto& h : helpers) h.calls = calls[h.function->getCanonicalDecl()];
    return helpers;
}

}  // namespace spmvgen::specializer
