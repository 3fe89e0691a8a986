#include "specializer/simplify/assignments.hpp"

#include "clang/AST/ExprCXX.h"
#include "specializer/syntax/constants.hpp"
#include "specializer/syntax/liveness.hpp"

namespace spmvgen::specializer {
namespace {

/// The assignment that the statement is, of a target that can be read again; else null.
const clang::BinaryOperator* plain_assignment(const clang::Stmt* s) {
    const auto* a = llvm::dyn_cast<clang::BinaryOperator>(s);
    const bool plain = a && a->getOpcode() == clang::BO_Assign && !has_call(a->getLHS()) &&
                       can_go(a->getLHS()) && !a->getLHS()->getType().isVolatileQualified();
    return plain ? a : nullptr;
}

std::string_view written(const clang::Expr* e, const Source& source) {
    e = e->IgnoreParenImpCasts();
    const Range range = source.range(e->getSourceRange());
    return source.text(e->getBeginLoc()).substr(range.begin, range.end - range.begin);
}

bool same_place(const clang::Expr* a, const clang::Expr* b, const Source& source) {
    return written(a, source) == written(b, source) &&
           same_type(a->getType(), b->IgnoreParenImpCasts()->getType());
}

}  // namespace

bool is_idle_assignment(const clang::Stmt* s, const Source& source) {
    // Complex numbers have an operator of their own.
    if (auto* o = llvm::dyn_cast<clang::CXXOperatorCallExpr>(s))
        return o->getOperator() == clang::OO_Equal && o->getNumArgs() == 2 &&
               !has_call(o->getArg(0)) && can_go(o->getArg(0)) &&
               same_place(o->getArg(0), o->getArg(1), source);
    const auto* a = plain_assignment(s);
    return a && same_place(a->getLHS(), a->getRHS(), source);
}

void shorten_assignment(const clang::Stmt* s, const Source& source, TextEdits& edits) {
    const auto* a = plain_assignment(s);
    const auto* sum = a ? llvm::dyn_cast<clang::BinaryOperator>(a->getRHS()) : nullptr;
    if (!sum || sum->getOpcode() != clang::BO_Add ||
        !same_type(sum->getType(), a->getLHS()->getType()) ||
        !same_place(a->getLHS(), sum->getLHS(), source))
        return;
    edits.replace(
        {source.end(a->getLHS()->getEndLoc()), source.begin(sum->getRHS()->getBeginLoc())}, " += ");
}

const clang::VarDecl* written_local(const clang::Stmt* s) {
    const clang::Expr* target = nullptr;
    if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(s); b && b->isAssignmentOp())
        target = can_go(b->getRHS()) ? b->getLHS() : nullptr;
    if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(s); u && u->isIncrementDecrementOp())
        target = u->getSubExpr();
    const auto* name = target ? llvm::dyn_cast<clang::DeclRefExpr>(target) : nullptr;
    const auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    const bool plain = v && v->isLocalVarDecl() && !v->isStaticLocal() &&
                       !v->getType()->isReferenceType() && !v->getType().isVolatileQualified();
    return plain ? v : nullptr;
}

}  // namespace spmvgen::specializer
