#include "inlining/expression_place.hpp"

#include <algorithm>

#include "clang/AST/ExprCXX.h"
#include "inlining/name_tokens.hpp"
#include "specializer/syntax/constants.hpp"

namespace spmvgen::specializer {
namespace {

bool is_transparent(const clang::Stmt* s) {
    return llvm::isa<clang::ImplicitCastExpr, clang::FullExpr, clang::MaterializeTemporaryExpr>(s);
}

Binding binding_of_operator(clang::BinaryOperatorKind kind) {
    if (clang::BinaryOperator::isMultiplicativeOp(kind)) return Binding::multiplicative;
    if (clang::BinaryOperator::isAdditiveOp(kind)) return Binding::additive;
    if (clang::BinaryOperator::isComparisonOp(kind)) return Binding::comparison;
    return Binding::any;
}

bool is_below(const clang::Expr* whole, const clang::Expr* part) {
    return whole && whole->IgnoreImplicit() == part->IgnoreImplicit();
}

/// An operand takes the common type of both, so that a narrower one does where the other has it.
bool other_decides(const clang::Expr* e, const clang::Expr* other) {
    if (other->getType()->isPointerType()) return true;
    const auto* bare = other->IgnoreImplicit();
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(bare);
    const bool may_be_narrower = llvm::isa<clang::IntegerLiteral>(bare) ||
                                 (name && llvm::isa<clang::ParmVarDecl>(name->getDecl())) || !name;
    return !may_be_narrower && same_type(bare->getType(), e->getType());
}

Place place_in_operator(const clang::Expr* e, const clang::BinaryOperator* o) {
    const bool left = is_below(o->getLHS(), e);
    if (o->isAssignmentOp()) return left ? Place{} : Place{Binding::any, true};
    const bool converts = other_decides(e, left ? o->getRHS() : o->getLHS());
    switch (binding_of_operator(o->getOpcode())) {
        case Binding::multiplicative:
            return {left ? Binding::multiplicative : Binding::unary, converts};
        case Binding::additive:
            // p + (i + j) is p + i + j, where i + j is as wide as a pointer.
            if (!left && o->getOpcode() == clang::BO_Add && o->getType()->isPointerType() &&
                e->getType()->isSpecificBuiltinType(clang::BuiltinType::Long))
                return {Binding::additive, converts};
            return {left ? Binding::additive : Binding::multiplicative, converts};
        case Binding::comparison:
            return {Binding::additive, converts};
        default:
            return {o->isLogicalOp() ? Binding::comparison : Binding::primary, false};
    }
}

/// Whether the type of an argument decides what is called.
bool deduces(const clang::CallExpr* call) {
    const auto* f = call->getDirectCallee();
    return !f || f->getBuiltinID() != 0 || f->isTemplateInstantiation();
}

bool has_deduced_type(const clang::DeclStmt* s) {
    return std::ranges::any_of(s->decls(), [](const clang::Decl* d) {
        auto* v = llvm::dyn_cast<clang::VarDecl>(d);
        return v && (v->getType()->isReferenceType() || v->getType()->getContainedAutoType());
    });
}

}  // namespace

Binding binding_of(const clang::Expr* e) {
    e = e->IgnoreImplicit();
    if (auto* o = llvm::dyn_cast<clang::BinaryOperator>(e))
        return binding_of_operator(o->getOpcode());
    if (llvm::isa<clang::UnaryOperator, clang::CStyleCastExpr, clang::UnaryExprOrTypeTraitExpr>(e))
        return Binding::unary;
    if (llvm::isa<clang::CXXOperatorCallExpr, clang::AbstractConditionalOperator,
                  clang::LambdaExpr>(e))
        return Binding::any;
    return Binding::primary;
}

Place place_of(const clang::Expr* e, const std::vector<clang::Stmt*>& parents) {
    const auto found = std::find_if_not(parents.rbegin(), parents.rend(), is_transparent);
    if (found == parents.rend()) return {Binding::any, false};
    const clang::Stmt* p = *found;
    if (auto* o = llvm::dyn_cast<clang::BinaryOperator>(p)) return place_in_operator(e, o);
    if (auto* a = llvm::dyn_cast<clang::ArraySubscriptExpr>(p))
        return is_below(a->getBase(), e) ? Place{} : Place{Binding::any, true};
    if (llvm::isa<clang::CXXOperatorCallExpr>(p)) return {};
    if (auto* call = llvm::dyn_cast<clang::CallExpr>(p))
        return is_below(call->getCallee(), e) ? Place{} : Place{Binding::any, !deduces(call)};
    if (auto* d = llvm::dyn_cast<clang::DeclStmt>(p)) return {Binding::any, !has_deduced_type(d)};
    if (llvm::isa<clang::CXXNamedCastExpr>(p)) return {Binding::any, true};
    if (llvm::isa<clang::ParenExpr>(p)) return {Binding::any, false};
    if (llvm::isa<clang::InitListExpr, clang::ReturnStmt>(p)) return {Binding::any, true};
    if (llvm::isa<clang::AbstractConditionalOperator>(p)) return {Binding::comparison, false};
    return llvm::isa<clang::Expr>(p) ? Place{} : Place{Binding::any, true};
}

bool widens(clang::QualType from, clang::QualType to, const clang::ASTContext& context) {
    if (!from->isIntegerType() || !to->isIntegerType()) return false;
    const bool signs = !from->isSignedIntegerType() || to->isSignedIntegerType();
    return signs && context.getTypeSize(from) <= context.getTypeSize(to);
}

std::string type_name(clang::QualType type, const clang::ASTContext& context) {
    clang::PrintingPolicy policy(context.getLangOpts());
    policy.SuppressTagKeyword = true;
    type.removeLocalRestrict();
    std::string text = type.getUnqualifiedType().getAsString(policy);
    if (const auto star = text.find(" *"); star != text.npos) text.erase(star, 1);
    return text;
}

std::string fitted(const PlacedText& given, const Place& place, clang::QualType wanted,
                   bool integer_literal, const clang::ASTContext& context) {
    const auto from = given.type.getNonReferenceType().getUnqualifiedType();
    const auto to = wanted.getNonReferenceType().getUnqualifiedType();
    const bool number = from->isArithmeticType() && to->isArithmeticType();
    const bool narrower_does = (place.converts || integer_literal) && widens(from, to, context);
    if (number && !same_type(from, to) && !narrower_does)
        return "static_cast<" + type_name(to, context) + ">(" + given.text + ")";
    if (is_parameter_token(given.text)) return with_place(given.text, place);
    return given.binding < place.binding ? "(" + given.text + ")" : given.text;
}

}  // namespace spmvgen::specializer
