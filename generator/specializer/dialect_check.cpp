#include "specializer/dialect_check.hpp"

#include <algorithm>
#include <set>

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "specializer/instantiation.hpp"
#include "specializer/rules.hpp"
#include "specializer/syntax/source.hpp"
#include "specializer/syntax/syntax_walk.hpp"
#include "specializer/syntax/tokens.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

class DirectiveCheck {
  public:
    explicit DirectiveCheck(const Files& files) : files_(files) {}

    void check(const std::string& file) {
        if (!done_.insert(file).second) return;
        for (auto& d : directives(files_.at(file))) check(d, file + ":" + std::to_string(d.line));
    }

  private:
    void check(const Directive& d, const std::string& place) {
        if (d.name == "pragma") return check_pragma(d.argument, place);
        if (d.name == "include") return check_include(d.argument, place);
        if (d.name == "define" || d.name == "undef")
            refuse(Rule::macro, place,
                   "#" + d.name + "; write a constexpr value or a function template");
        refuse(Rule::conditional, place,
               "#" + d.name + "; make it a template parameter and use if constexpr");
    }
    void check_include(const std::string& argument, const std::string& place) {
        const bool quoted = argument.size() > 2 && argument.front() == '"' &&
                            argument.find('"', 1) == argument.size() - 1;
        const std::string path = quoted ? argument.substr(1, argument.size() - 2) : "";
        if (!path.starts_with("dialect/") || !files_.contains(path))
            refuse(Rule::include, place,
                   "#include " + argument + "; only headers below dialect/ can be included");
        check(path);
    }
    static void check_pragma(const std::string& argument, const std::string& place) {
        static constexpr std::string_view allowed[] = {"once", "GCC unroll ", "GCC ivdep",
                                                       "omp simd"};
        for (auto a : allowed)
            if (argument.starts_with(a)) return;
        refuse(Rule::pragma, place,
               "#pragma " + argument + "; use one of once, GCC unroll N, GCC ivdep, omp simd …");
    }

    const Files& files_;
    std::set<std::string> done_;
};

class DeclarationCheck : public SyntaxWalk {
  public:
    DeclarationCheck(clang::ASTContext& context, const std::vector<Variable>& variables)
        : source_(context), variables_(variables) {}

    bool traverse_declaration(clang::Decl* d) override {
        if (!llvm::isa<clang::TranslationUnitDecl>(d) && source_.is_gpu_builtin(*d)) return true;
        if (auto* n = llvm::dyn_cast<clang::NamespaceDecl>(d)) {
            if (!n->getName().starts_with(bindings_scope))
                no(Rule::name_space, n->getLocation(),
                   "a namespace; emitted text is flat, so names are unique instead");
            return true;
        }
        return SyntaxWalk::traverse_declaration(d);
    }

  private:
    bool visit_declaration(clang::Decl* d) override {
        if (llvm::isa<clang::UsingDirectiveDecl>(d))
            return no(Rule::name_space, d->getLocation(), "a using directive");
        if (auto* t = llvm::dyn_cast<clang::TemplateDecl>(d)) return check_template(*t);
        if (auto* r = llvm::dyn_cast<clang::CXXRecordDecl>(d)) return check_record(*r);
        if (auto* f = llvm::dyn_cast<clang::FunctionDecl>(d)) return check_function(*f);
        if (auto* v = llvm::dyn_cast<clang::VarDecl>(d)) return check_variable(*v);
        return true;
    }
    bool visit_statement(clang::Stmt* s) override {
        const auto begin = s->getBeginLoc();
        if (begin.isMacroID())
            no(Rule::macro, begin, "a macro is used; write a constexpr value or a function");
        if (auto* l = llvm::dyn_cast<clang::LambdaExpr>(s); l && l->isGenericLambda())
            no(Rule::generic_lambda, begin,
               "a generic lambda; give its parameters types or make it a function template");
        if (llvm::isa<clang::CXXThrowExpr>(s))
            no(Rule::exception, begin, "throw; kernels have no way to fail");
        if (llvm::isa<clang::CXXTryStmt>(s))
            no(Rule::exception, begin, "try; kernels have no way to fail");
        if (llvm::isa<clang::GotoStmt, clang::IndirectGotoStmt>(s)) jump(begin, "goto");
        if (auto* a = llvm::dyn_cast<clang::AsmStmt>(s)) jump(a->getAsmLoc(), "asm");
        if (llvm::isa<clang::CXXNewExpr>(s)) library(begin, "new");
        if (llvm::isa<clang::CXXDeleteExpr>(s)) library(begin, "delete");
        if (llvm::isa<clang::CXXDynamicCastExpr>(s)) library(begin, "dynamic_cast");
        if (llvm::isa<clang::CXXTypeidExpr>(s)) library(begin, "typeid");
        return true;
    }

    bool check_template(const clang::TemplateDecl& t) {
        for (auto* p : *t.getTemplateParameters()) {
            if (p->isParameterPack())
                no(Rule::pack, p->getLocation(),
                   "a parameter pack; write the cases out or loop up to a constant");
            if (llvm::isa<clang::TemplateTemplateParmDecl>(p))
                no(Rule::template_argument, p->getLocation(),
                   "a template template parameter; take types and numbers");
            if (p->getNameAsString().empty())
                no(Rule::named_parameter, p->getLocation(),
                   "a template parameter without a name; parameters are bound by name");
        }
        return true;
    }
    bool check_record(const clang::CXXRecordDecl& r) {
        if (!r.isThisDeclarationADefinition() || r.isLambda()) return true;
        if (r.getNumBases() > 0)
            no(Rule::plain_struct, r.getLocation(),
               "'" + r.getNameAsString() + "' has a base class; structs hold data only");
        return true;
    }
    bool check_function(const clang::FunctionDecl& f) {
        const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&f);
        if (f.isOverloadedOperator() && !(method && method->getParent()->isLambda()))
            no(Rule::operator_overload, f.getLocation(),
               "an overloaded operator; give the operation a name");
        if (method && !method->getParent()->isLambda())
            no(Rule::plain_struct, f.getLocation(),
               "'" + method->getParent()->getNameAsString() +
                   "' has a member function; structs hold data only");
        if (f.getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
            no(Rule::full_specialisation, f.getLocation(),
               "'" + f.getNameAsString() + "' is specialised explicitly; use if constexpr");
        if (f.isVariadic())
            no(Rule::pack, f.getLocation(), "'" + f.getNameAsString() + "' is variadic");
        for (auto* p : f.parameters())
            if (p->getNameAsString().empty())
                no(Rule::named_parameter, p->getBeginLoc(),
                   "a parameter without a name; one that is not used is dropped by itself");
        return true;
    }
    bool check_variable(const clang::VarDecl& v) {
        if (v.isStaticLocal() || v.getTLSKind() != clang::VarDecl::TLS_None)
            return no(Rule::state, v.getLocation(),
                      "'" + v.getNameAsString() + "' outlives the call; keep state in arguments");
        if (!v.isFileVarDecl()) return true;
        if (std::ranges::count(variables_, v.getNameAsString(), &Variable::name) > 0) return true;
        const auto type = v.getType();
        if (!v.isConstexpr())
            no(Rule::state, v.getLocation(),
               "'" + v.getNameAsString() + "' is a global variable; only constexpr is allowed");
        if (!type->isDependentType() && !type->isIntegralOrEnumerationType())
            no(Rule::state, v.getLocation(),
               "'" + v.getNameAsString() + "' is no number; constants are constexpr integers");
        return true;
    }
    bool no(Rule rule, clang::SourceLocation place, const std::string& what) {
        refuse(rule, source_.place(place), what);
    }
    bool jump(clang::SourceLocation place, const std::string& what) {
        return no(Rule::jump, place, what + "; use loops, if and return");
    }
    bool library(clang::SourceLocation place, const std::string& what) {
        return no(Rule::runtime_library, place,
                  what + "; kernels need no run-time library: memory comes from the caller");
    }
    Source source_;
    const std::vector<Variable>& variables_;
};

}  // namespace

void check_directives(const Files& files, const std::string& file) {
    if (!files.contains(file))
        throw Error(ErrorCode::internal, "there is no template file templates/" + file);
    DirectiveCheck(files).check(file);
}

void check_declarations(clang::ASTContext& context, const std::vector<Variable>& variables) {
    DeclarationCheck(context, variables).traverse_declaration(context.getTranslationUnitDecl());
}

void check_step(const clang::FunctionDecl& function) {
    const Source source(function.getASTContext());
    const std::string name = "step '" + function.getNameAsString() + "' ";
    if (!function.getReturnType()->isVoidType())
        refuse(Rule::step, source.place(function.getLocation()), name + "must return void");
    bool share = false;
    for (auto* p : function.parameters()) {
        const auto type = p->getType().getCanonicalType();
        const bool is_share = p->getName() == "thread" || p->getName() == "threads";
        if (type->isReferenceType() || type->isArrayType())
            refuse(Rule::step, source.place(p->getLocation()),
                   name + "takes '" + p->getNameAsString() +
                       "' by reference; take values and pointers");
        if (is_share && !type->isSpecificBuiltinType(clang::BuiltinType::Int))
            refuse(Rule::step, source.place(p->getLocation()),
                   name + "takes '" + p->getNameAsString() + "' that is not an int");
        if (share && !is_share)
            refuse(Rule::step, source.place(p->getLocation()),
                   name + "takes '" + p->getNameAsString() +
                       "' behind thread, threads; these come last");
        share = is_share;
    }
}

}  // namespace spmvgen::specializer
