#include "specializer/folding.hpp"

#include <algorithm>

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/TypeLoc.h"
#include "llvm/ADT/StringExtras.h"
#include "specializer/dependence.hpp"
#include "specializer/rules.hpp"
#include "specializer/syntax/constants.hpp"
#include "specializer/syntax/doc_comments.hpp"
#include "specializer/syntax/statements.hpp"
#include "specializer/syntax/syntax_walk.hpp"
#include "specializer/syntax/tokens.hpp"
#include "specializer/views.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

/// Edits of one instantiated declaration.
class Folder : public SyntaxWalk {
  public:
    explicit Folder(Entities& entities, clang::FunctionDecl* function = nullptr)
        : entities_(entities), source_(entities.source()), views_(entities, function) {}
    TextEdits edits;

    void finish() { views_.finish(edits); }

    bool traverse_statement(clang::Stmt* s) override {
        parents_.push_back(s);
        const bool result = fold_statement(s) || SyntaxWalk::traverse_statement(s);
        parents_.pop_back();
        return result;
    }
    bool traverse_declaration(clang::Decl* d) override {
        auto* p = llvm::dyn_cast<clang::ParmVarDecl>(d);
        if (!p || !is_view(p->getType())) return SyntaxWalk::traverse_declaration(d);
        return true;  // written when it is finished
    }
    bool traverse_type(clang::TypeLoc l) override {
        if (is_view(l.getType())) views_.refuse_other_use(l.getBeginLoc());
        if (auto e = l.getAs<clang::ElaboratedTypeLoc>(); e && e.getQualifierLoc()) {
            replace(l.getSourceRange(), entities_.spell(l.getType()));
            return true;
        }
        if (auto t = l.getAs<clang::TemplateSpecializationTypeLoc>()) return name_template(t);
        return SyntaxWalk::traverse_type(l);
    }

  private:
    bool visits_instantiations() const override { return true; }
    bool visit_type(clang::TypeLoc l) override {
        if (l.getAs<clang::SubstTemplateTypeParmTypeLoc>())
            replace(l.getSourceRange(), entities_.spell(l.getType()));
        if (auto t = l.getAs<clang::TypedefTypeLoc>()) name_alias(t);
        if (auto t = l.getAs<clang::TagTypeLoc>();
            t && !t.getDecl()->getDeclContext()->isFunctionOrMethod())
            replace(l.getSourceRange(), entities_.spell(l.getType().getUnqualifiedType()));
        return true;
    }
    bool name_template(clang::TemplateSpecializationTypeLoc l) {
        const auto* type = l.getTypePtr();
        auto* pattern = type->getTemplateName().getAsTemplateDecl();
        const bool names_vector =
            type->isTypeAlias() && type->getCanonicalTypeInternal()->isVectorType();
        replace(l.getSourceRange(), names_vector ? entities_.reference_vector(l.getType(), *pattern)
                                                 : entities_.spell(l.getType()));
        return true;
    }
    void name_alias(clang::TypedefTypeLoc l) {
        auto* alias = l.getTypedefNameDecl();
        if (alias->getDeclContext()->isFunctionOrMethod()) return;
        replace(l.getSourceRange(), l.getType()->isVectorType()
                                        ? entities_.reference_vector(l.getType(), *alias)
                                        : entities_.spell(l.getType()));
    }
    void name(clang::DeclRefExpr* e) {
        if (auto* f = llvm::dyn_cast<clang::FunctionDecl>(e->getDecl());
            f && !llvm::isa<clang::CXXMethodDecl>(f) && !f->getBuiltinID() &&
            !source_.is_gpu_builtin(*f))
            replace({e->getBeginLoc(), e->getEndLoc()}, entities_.reference(f));
        if (auto* c = llvm::dyn_cast<clang::EnumConstantDecl>(e->getDecl())) enumerator(e, c);
        if (auto* c = named_constant(e)) replace(e->getSourceRange(), entities_.reference(c));
    }

    /// True when the statement is dealt with, its children included.
    bool fold_statement(clang::Stmt* s) {
        if (auto* e = llvm::dyn_cast<clang::Expr>(s)) {
            if (fold_view(e) || fold(e) || drop_conversion(e)) return true;
            if (auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(e)) {
                name(reference);
                return true;
            }
            auto* c = llvm::dyn_cast<clang::ConditionalOperator>(e);
            return c && pick(c);
        }
        if (auto* i = llvm::dyn_cast<clang::IfStmt>(s)) return fold_if(i);
        if (auto* d = llvm::dyn_cast<clang::DeclStmt>(s); d && d->isSingleDecl())
            return fold_declaration(d);
        if (auto* a = llvm::dyn_cast<clang::AttributedStmt>(s))
            // The expression of a loop hint is not among the statement's children.
            for (auto* attribute : a->getAttrs())
                if (auto* hint = llvm::dyn_cast<clang::LoopHintAttr>(attribute))
                    traverse_statement(hint->getValue());
        return false;
    }

    /// A view's field, or a view that is handed on.
    bool fold_view(clang::Expr* e) {
        if (auto* m = llvm::dyn_cast<clang::MemberExpr>(e); m && is_view(m->getBase()->getType())) {
            replace(e->getSourceRange(), views_.field(*m));
            return true;
        }
        const auto* view = llvm::dyn_cast<clang::DeclRefExpr>(e);
        if (!view || !is_view(view->getType())) return false;
        const auto above = std::find_if(parents_.rbegin() + 1, parents_.rend(), [](auto* s) {
            return !llvm::isa<clang::ImplicitCastExpr, clang::CXXConstructExpr>(s);
        });
        auto* call = above == parents_.rend() ? nullptr : llvm::dyn_cast<clang::CallExpr>(*above);
        if (!call || llvm::isa<clang::CXXOperatorCallExpr>(call) || !call->getDirectCallee())
            views_.refuse_other_use(e->getBeginLoc());
        unsigned index = 0;
        while (call->getArg(index)->IgnoreUnlessSpelledInSource() != view) ++index;
        replace(e->getSourceRange(), views_.arguments(*view, *call->getDirectCallee(), index));
        return true;
    }

    bool fold_declaration(clang::DeclStmt* d) {
        if (llvm::isa<clang::StaticAssertDecl>(d->getSingleDecl())) {
            edits.remove(with_comments(text(d), source_.range(d->getSourceRange())));
            return true;
        }
        if (auto* v = llvm::dyn_cast<clang::VarDecl>(d->getSingleDecl());
            v && !v->getType()->isReferenceType() && is_view(v->getType())) {
            for (auto* value : views_.declare(*d, *v)) traverse_statement(value);
            return true;
        }
        auto* alias = llvm::dyn_cast<clang::TypedefNameDecl>(d->getSingleDecl());
        const auto type = alias ? alias->getUnderlyingType() : clang::QualType();
        if (alias && type->isRecordType()) {  // every use has the struct's own name
            remove_statement(d, true, source_, edits);
            return true;
        }
        if (!alias || !type->isVectorType()) return false;
        // Clang keeps no trace of a vector size that depended on a parameter: write it anew.
        const auto element = type->getAs<clang::VectorType>()->getElementType();
        replace(d->getSourceRange(),
                vector_typedef(type, entities_.spell(element), alias->getNameAsString(), alias,
                               source_.context) +
                    ";");
        return true;
    }

    bool fold(clang::Expr* e) {
        const auto* inner = e->IgnoreImplicit();
        const auto* bare = inner;
        while (auto* p = llvm::dyn_cast<clang::ParenExpr>(bare))
            bare = p->getSubExpr()->IgnoreImplicit();
        // A lone sizeof says more than its value.
        if (llvm::isa<clang::IntegerLiteral, clang::CXXBoolLiteralExpr, clang::InitListExpr,
                      clang::UnaryExprOrTypeTraitExpr>(bare) ||
            named_constant(bare) || !depends_on_bindings(e))
            return false;
        if (fold_floating(inner)) return true;
        const auto value = constant(e, source_.context);
        if (!value) return false;
        const auto type = inner->getType();
        const bool converted = !same_type(e->getType(), type) || is_declared();
        replace(inner->getSourceRange(), converted && !type->isUnscopedEnumerationType()
                                             ? converted_literal(*value, e->getType())
                                             : own_literal(*value, type));
        return true;
    }

    /// The constant of the dialect that the expression names; null for others, for what is decided
    /// by the target or by what a template is bound to, and for truth values.
    const clang::VarDecl* named_constant(const clang::Expr* e) const {
        const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
        const auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
        const bool constant = v && v->isConstexpr() && v->isFileVarDecl() &&
                              !v->isStaticDataMember() && !v->getType()->isBooleanType() &&
                              !llvm::isa<clang::VarTemplateSpecializationDecl>(v) &&
                              v->getDeclContext()->isTranslationUnit();
        return constant && source_.place(v->getLocation()).find("target.hpp:") == std::string::npos
                   ? v
                   : nullptr;
    }

    /// Whether the expression at hand is converted to a declared type, or is an array bound or an
    /// alignment.
    bool is_declared() const {
        const auto* d = parents_.size() > 1
                            ? llvm::dyn_cast<clang::DeclStmt>(parents_[parents_.size() - 2])
                            : nullptr;
        return d && llvm::none_of(d->decls(), [](const clang::Decl* x) {
                   const auto* v = llvm::dyn_cast<clang::ValueDecl>(x);
                   return !v || v->getType()->getContainedDeducedType() ||
                          v->getType()->isEnumeralType();
               });
    }

    /// Value(0), static_cast<Value>(1), Value{} for a floating-point Value.
    bool fold_floating(const clang::Expr* e) {
        if (!e->getType()->isRealFloatingType()) return false;
        const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(e);
        const auto* list =
            cast ? llvm::dyn_cast<clang::InitListExpr>(cast->getSubExpr()->IgnoreImplicit())
                 : nullptr;
        std::optional<llvm::APSInt> value;
        if (llvm::isa<clang::CXXScalarValueInitExpr>(e) || (list && list->getNumInits() == 0))
            value = llvm::APSInt::get(0);
        else if (cast && !list)
            value = constant(cast->getSubExpr()->IgnoreParenImpCasts(), source_.context);
        if (!value) return false;
        replace(e->getSourceRange(), floating_literal(*value, e->getType()));
        return true;
    }

    std::string own_literal(const llvm::APSInt& value, clang::QualType type) {
        const auto* enumeration = type->getAs<clang::EnumType>();
        if (!enumeration) return literal(value, type);
        const std::string name = entities_.reference(enumeration->getDecl());
        for (auto* e : enumeration->getDecl()->enumerators())
            if (llvm::APSInt::isSameValue(e->getInitVal(), value))
                return (enumeration->getDecl()->isScoped() ? name + "::" : "") +
                       e->getNameAsString();
        return "static_cast<" + name + ">(" + llvm::toString(value, 10) + ")";
    }

    /// A call of a conversion that does nothing becomes its argument.
    bool drop_conversion(clang::Expr* e) {
        auto* call = llvm::dyn_cast<clang::CallExpr>(e);
        const auto* callee = call ? call->getDirectCallee() : nullptr;
        if (!callee || call->getNumArgs() != 1 || !converts_nothing(*callee, source_.context))
            return false;
        auto* argument = call->getArg(0);
        const auto* bare = argument->IgnoreUnlessSpelledInSource();
        // Around an operator the call's parentheses stay.
        const bool alone = llvm::isa<clang::DeclRefExpr, clang::ArraySubscriptExpr, clang::CallExpr,
                                     clang::MemberExpr, clang::ParenExpr>(bare);
        const Range whole = source_.range(call->getSourceRange());
        const unsigned parenthesis = source_.end(call->getCallee()->getEndLoc());
        edits.keep_only(whole, alone ? source_.range(argument->getSourceRange())
                                     : Range{parenthesis, whole.end});
        return traverse_statement(argument);
    }

    bool pick(clang::ConditionalOperator* c) {
        const auto value = constant(c->getCond(), source_.context);
        if (!value || !depends_on_bindings(c->getCond())) return false;
        auto* live = value->getBoolValue() ? c->getTrueExpr() : c->getFalseExpr();
        if (!same_type(live->IgnoreImplicit()->getType(), c->getType())) return false;
        edits.keep_only(source_.range(c->getSourceRange()), source_.range(live->getSourceRange()));
        return traverse_statement(live);
    }

    bool fold_if(clang::IfStmt* i) {
        const auto value = constant(i->getCond(), source_.context);
        if (!value || i->hasVarStorage() || i->hasInitStorage()) return false;
        if (!i->isConstexpr() && !depends_on_bindings(i->getCond())) return false;
        auto* live = value->getBoolValue() ? i->getThen() : i->getElse();
        if (!live) {
            const auto* parent = parents_.size() > 1 ? parents_[parents_.size() - 2] : nullptr;
            remove_statement(i, parent && llvm::isa<clang::CompoundStmt>(parent), source_, edits);
            return true;
        }
        keep_statement(i, live, source_, edits);
        return traverse_statement(live);
    }

    void enumerator(const clang::DeclRefExpr* e, const clang::EnumConstantDecl* c) {
        const auto* type = llvm::cast<clang::EnumDecl>(c->getDeclContext());
        if (type->getDeclContext()->isFunctionOrMethod()) return;
        const std::string name = entities_.reference(type);
        replace(e->getSourceRange(), (type->isScoped() ? name + "::" : "") + c->getNameAsString());
    }

    void replace(clang::SourceRange range, std::string text) {
        if (range.isValid() && !edits.replace(source_.range(range), std::move(text)))
            refuse(Rule::two_meanings, source_.place(range.getBegin()),
                   "one text stands for several things here; write it out");
    }
    std::string_view text(const clang::Stmt* s) const { return source_.text(s->getBeginLoc()); }

    Entities& entities_;
    const Source& source_;
    ViewFolder views_;
    std::vector<clang::Stmt*> parents_;
};

/// Pragmas that Clang skips are mere text: template parameters in them are bound by name.
void bind_pragmas(const clang::FunctionDecl& function, Range body, Folder& folder,
                  const Source& source) {
    const auto* pattern = function.getPrimaryTemplate();
    if (!pattern) return;
    const auto whole = source.text(function.getLocation());
    const auto arguments = function.getTemplateSpecializationArgs()->asArray();
    for (auto& token : pragma_identifiers(whole, body)) {
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const auto* parameter =
                pattern->getTemplateParameters()->getParam(static_cast<unsigned>(i));
            if (parameter->getNameAsString() != token.text ||
                arguments[i].getKind() != clang::TemplateArgument::Integral)
                continue;
            folder.edits.replace(
                token.range, literal(arguments[i].getAsIntegral(), arguments[i].getIntegralType()));
        }
    }
}

}  // namespace

/// The comment above a function, about this specialisation: numbers that its template is bound to
/// instead of their names, and nothing on truth values that are decided.
std::string folded_comment(const clang::FunctionDecl& function, const std::string& comment) {
    const auto* pattern = function.getPrimaryTemplate();
    const auto* arguments = function.getTemplateSpecializationArgs();
    if (!pattern || !arguments) return comment;
    std::map<std::string, std::string> values;
    std::set<std::string> decided;
    for (unsigned i = 0; i < pattern->getTemplateParameters()->size(); ++i) {
        const auto& argument = arguments->get(i);
        const std::string name = pattern->getTemplateParameters()->getParam(i)->getNameAsString();
        if (argument.getKind() != clang::TemplateArgument::Integral) continue;
        if (argument.getIntegralType()->isBooleanType())
            decided.insert(name);
        else if (!argument.getIntegralType()->isEnumeralType())
            values[name] = llvm::toString(argument.getAsIntegral(), 10);
    }
    return without_sentences_on(with_values(comment, values), decided);
}

std::string folded_function(clang::FunctionDecl* function, const std::string& name,
                            Entities& entities) {
    const Source& source = entities.source();
    const auto whole = source.text(function->getLocation());
    Folder folder(entities, function);
    folder.traverse_declaration(function);
    folder.finish();

    unsigned head = source.declaration_begin(*function);
    unsigned begin = head;
    if (auto* pattern = function->getPrimaryTemplate()) {
        head = source.begin(pattern->getBeginLoc());
        begin = skip_space(whole, source.end(pattern->getTemplateParameters()->getRAngleLoc()));
    }
    const Range all{begin, source.end(function->getBody()->getEndLoc())};
    const Range name_range{source.begin(function->getLocation()),
                           source.end(function->getLocation())};
    folder.edits.replace(name_range, name);
    for (auto& token : identifiers(whole, {begin, name_range.begin}))
        if (token.text == "static" || token.text == "inline" || token.text == "extern")
            folder.edits.remove(token.range);
    bind_pragmas(*function, all, folder, source);

    unsigned after_attributes = begin;
    while (whole.substr(after_attributes).starts_with("[["))
        after_attributes =
            skip_space(whole, static_cast<unsigned>(whole.find("]]", after_attributes)) + 2);
    return folded_comment(*function, comment_above(whole, head)) +
           folder.edits.apply(whole, {begin, after_attributes}) + "static inline " +
           folder.edits.apply(whole, {after_attributes, all.end});
}

std::string folded_type(clang::TagDecl* type, const std::string& name, Entities& entities) {
    const Source& source = entities.source();
    Folder folder(entities);
    const clang::TagDecl* pattern = type;
    clang::SourceLocation head = type->getBeginLoc();
    if (auto* spec = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(type)) {
        if (auto* from = spec->getTemplateInstantiationPattern()) {
            pattern = from;
            head = from->getDescribedClassTemplate()
                       ? from->getDescribedClassTemplate()->getBeginLoc()
                       : from->getBeginLoc();
        }
    }
    for (auto* member : type->decls())
        if (!member->isImplicit()) folder.traverse_declaration(member);
    const auto whole = source.text(pattern->getLocation());
    folder.edits.replace(source.range({pattern->getLocation(), pattern->getLocation()}), name);
    const Range all{source.begin(pattern->getInnerLocStart()),
                    source.end(pattern->getBraceRange().getEnd())};
    return comment_above(whole, source.begin(head)) + folder.edits.apply(whole, all) + ";";
}

}  // namespace spmvgen::specializer
