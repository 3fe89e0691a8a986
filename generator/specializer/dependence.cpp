#include "specializer/dependence.hpp"

#include "clang/AST/ExprCXX.h"
#include "clang/AST/TypeLoc.h"
#include "specializer/syntax/constants.hpp"
#include "specializer/syntax/syntax_walk.hpp"

namespace spmvgen::specializer {
namespace {

/// Finds what makes an expression depend on the bindings.
class Dependence : public SyntaxWalk {
  public:
    static bool on_bindings(clang::Stmt* s) {
        Dependence d;
        d.traverse_statement(s);
        return d.found_;
    }

  private:
    bool visit_statement(clang::Stmt* s) override {
        if (llvm::isa<clang::SubstNonTypeTemplateParmExpr>(s)) found_ = true;
        if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s))
            found_ |= is_bound(*name->getDecl());
        return !found_;
    }
    bool visit_type(clang::TypeLoc l) override {
        found_ |= !l.getAs<clang::SubstTemplateTypeParmTypeLoc>().isNull();
        return !found_;
    }
    static bool is_bound(const clang::ValueDecl& d) {
        if (auto* v = llvm::dyn_cast<clang::VarDecl>(&d))
            return v->isConstexpr() && v->isFileVarDecl();
        auto* f = llvm::dyn_cast<clang::FunctionDecl>(&d);
        return f && f->isConstexpr() && f->isTemplateInstantiation();
    }
    bool found_ = false;
};

/// Whether the instantiated body comes down to `return p;`.
bool returns_parameter(const clang::Stmt* s, const clang::ParmVarDecl* p,
                       const clang::ASTContext& context) {
    if (auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(s))
        return block->size() == 1 && returns_parameter(block->body_front(), p, context);
    if (auto* i = llvm::dyn_cast_or_null<clang::IfStmt>(s)) {
        const auto value = i->isConstexpr() ? constant(i->getCond(), context) : std::nullopt;
        return value &&
               returns_parameter(value->getBoolValue() ? i->getThen() : i->getElse(), p, context);
    }
    const auto* r = llvm::dyn_cast_or_null<clang::ReturnStmt>(s);
    if (!r || !r->getRetValue()) return false;
    const auto* name =
        llvm::dyn_cast<clang::DeclRefExpr>(r->getRetValue()->IgnoreUnlessSpelledInSource());
    return name && name->getDecl() == p;
}

}  // namespace

bool depends_on_bindings(clang::Stmt* s) {
    return Dependence::on_bindings(s);
}

bool converts_nothing(const clang::FunctionDecl& function, const clang::ASTContext& context) {
    const auto* pattern = function.getTemplateInstantiationPattern();
    const clang::FunctionDecl* definition = nullptr;
    if (!pattern || pattern->getNumParams() != 1 || !function.isDefined(definition)) return false;
    const auto* parameter = definition->getParamDecl(0);
    return !same_type(pattern->getReturnType(), pattern->getParamDecl(0)->getType()) &&
           same_type(definition->getReturnType(), parameter->getType()) &&
           returns_parameter(definition->getBody(), parameter, context);
}

}  // namespace spmvgen::specializer
