#include "inlining/call_checks.hpp"

#include <algorithm>

#include "inlining/composed_helper.hpp"
#include "inlining/name_tokens.hpp"
#include "specializer/syntax/liveness.hpp"
#include "specializer/syntax/tokens.hpp"

namespace spmvgen::specializer {
namespace {

clang::CallExpr* as_call(clang::Expr* e) {
    return e ? llvm::dyn_cast<clang::CallExpr>(e->IgnoreImplicit()) : nullptr;
}

bool takes_address(const clang::Expr* e) {
    auto* u = llvm::dyn_cast<clang::UnaryOperator>(bare(e));
    return u && u->getOpcode() == clang::UO_AddrOf;
}

}  // namespace

clang::CallExpr* whole_call(clang::Stmt* s) {
    if (auto* r = llvm::dyn_cast<clang::ReturnStmt>(s)) return as_call(r->getRetValue());
    if (auto* o = llvm::dyn_cast<clang::BinaryOperator>(s))
        return o->getOpcode() == clang::BO_Assign ? as_call(o->getRHS()) : nullptr;
    if (auto* d = llvm::dyn_cast<clang::DeclStmt>(s)) {
        auto* v = d->isSingleDecl() ? llvm::dyn_cast<clang::VarDecl>(d->getSingleDecl()) : nullptr;
        return v && !v->getType()->isReferenceType() ? as_call(v->getInit()) : nullptr;
    }
    return as_call(llvm::dyn_cast<clang::Expr>(s));
}

bool may_stand_in(const clang::CallExpr* call, unsigned i, const ParameterUse& use) {
    const auto* argument = call->getArg(i);
    if (call->getDirectCallee()->getParamDecl(i)->getType()->isReferenceType())
        return llvm::isa<clang::DeclRefExpr, clang::ArraySubscriptExpr>(bare(argument)) &&
               is_cheap_place(argument);
    if (use.written) return false;
    if (is_cheap(argument)) return true;
    return use.count == 1 && (!use.conditional || !has_call(argument));
}

bool references_are_places(const clang::CallExpr* call, Source& source, const std::string& text) {
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
        const bool reference =
            call->getDirectCallee()->getParamDecl(i)->getType()->isReferenceType();
        if (reference && !may_stand_in(call, i, {})) return false;
        if ((reference || takes_address(call->getArg(i))) &&
            is_named_elsewhere(call->getArg(i), call, i, source, text))
            return false;
    }
    return true;
}

bool is_named_elsewhere(const clang::Expr* place, const clang::CallExpr* call, unsigned but,
                        Source& source, const std::string& text) {
    const auto names = [&](const clang::Expr* e) {
        return identifiers(text, source.range(e->getSourceRange()));
    };
    const auto own = names(place);
    if (own.empty()) return false;
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
        const auto others = names(call->getArg(i));
        if (i != but &&
            std::ranges::any_of(others, [&](auto& w) { return w.text == own.front().text; }))
            return true;
    }
    return false;
}

bool loses_effects(const clang::CallExpr* call, const std::vector<ParameterUse>& parameters) {
    for (unsigned i = 0; i < call->getNumArgs(); ++i)
        if (parameters[i].count == 0 && !can_go(call->getArg(i))) return true;
    return false;
}

bool declares(const clang::Stmt* s, const std::string& name) {
    const auto is_name = [&](const clang::Decl* d) {
        auto* v = llvm::dyn_cast<clang::VarDecl>(d);
        return v && v->getNameAsString() == name;
    };
    const auto in = [&](const clang::Stmt* part) {
        auto* d = llvm::dyn_cast_or_null<clang::DeclStmt>(part);
        return d && std::ranges::any_of(d->decls(), is_name);
    };
    if (auto* f = llvm::dyn_cast<clang::ForStmt>(s)) return in(f->getInit());
    auto* block = llvm::dyn_cast<clang::CompoundStmt>(s);
    return block && std::ranges::any_of(block->body(), in);
}

}  // namespace spmvgen::specializer
