#include "specializer/views.hpp"

#include <algorithm>

#include "specializer/rules.hpp"
#include "specializer/syntax/syntax_walk.hpp"

namespace spmvgen::specializer {
namespace {

const clang::RecordDecl* record_of(clang::QualType type) {
    const auto* record = type.getNonReferenceType()->getAsRecordDecl();
    return record ? record->getDefinition() : nullptr;
}

/// The names that a function may not give to a field: those of its variables, of what it calls, and
/// of fields that two of its views have.
class TakenNames : public SyntaxWalk {
  public:
    std::set<std::string> names;

  private:
    bool visit_declaration(clang::Decl* d) override {
        auto* v = llvm::dyn_cast<clang::VarDecl>(d);
        if (!v) return true;
        if (!is_view(v->getType()))
            names.insert(v->getNameAsString());
        else
            for (auto* field : record_of(v->getType())->fields())
                if (!fields_.insert(field->getNameAsString()).second)
                    names.insert(field->getNameAsString());
        return true;
    }
    bool visit_statement(clang::Stmt* s) override {
        if (auto* e = llvm::dyn_cast<clang::DeclRefExpr>(s);
            e && !llvm::isa<clang::VarDecl>(e->getDecl()))
            names.insert(e->getDecl()->getNameAsString());
        return true;
    }
    std::set<std::string> fields_;
};

/// The initialiser with a value for each field, in their order; null when there is none.
const clang::InitListExpr* values_of(const clang::VarDecl& view) {
    const auto* list = llvm::dyn_cast_or_null<clang::InitListExpr>(
        view.getInit() ? view.getInit()->IgnoreImplicit() : nullptr);
    if (list && list->isSyntacticForm() && list->getSemanticForm()) list = list->getSemanticForm();
    return list;
}

}  // namespace

bool is_view(clang::QualType type) {
    const auto* record = record_of(type);
    return record && !record->isLambda() &&
           std::ranges::any_of(record->fields(), [](const clang::FieldDecl* field) {
               return field->getType()->isPointerType();
           });
}

std::string ViewFolder::name(const clang::ValueDecl& view, const std::string& field) {
    if (!taken_) {
        TakenNames taken;
        taken.traverse_declaration(function_);
        taken_ = std::move(taken.names);
    }
    return taken_->contains(field) ? view.getNameAsString() + "_" + field : field;
}

std::string ViewFolder::use(const clang::ValueDecl& view, const std::string& field) {
    used_[&view].insert(field);
    return name(view, field);
}

std::string ViewFolder::field(const clang::MemberExpr& access) {
    const auto* view = llvm::dyn_cast<clang::DeclRefExpr>(access.getBase()->IgnoreParenImpCasts());
    const auto* field = llvm::dyn_cast<clang::FieldDecl>(access.getMemberDecl());
    if (!view || !field) refuse_other_use(access.getBeginLoc());
    return use(*view->getDecl(), field->getNameAsString());
}

std::string ViewFolder::arguments(const clang::DeclRefExpr& view, const clang::FunctionDecl& callee,
                                  unsigned index) {
    entities_.reference(const_cast<clang::FunctionDecl*>(&callee));
    std::string text;
    for (auto& field : entities_.view_fields(callee, index))
        text += (text.empty() ? "" : ", ") + use(*view.getDecl(), field);
    return text;
}

std::vector<clang::Expr*> ViewFolder::declare(const clang::DeclStmt& statement,
                                              const clang::VarDecl& view) {
    const auto* list = values_of(view);
    Local local{&statement, &view, {}};
    for (auto* field : record_of(view.getType())->fields()) {
        const auto i = static_cast<unsigned>(local.values.size());
        auto* value =
            list && i < list->getNumInits() ? const_cast<clang::Expr*>(list->getInit(i)) : nullptr;
        if (!value || llvm::isa<clang::ImplicitValueInitExpr>(value))
            refuse(Rule::view, entities_.source().place(view.getLocation()),
                   "view '" + view.getNameAsString() + "' gets no '" + field->getNameAsString() +
                       "'; give all fields where it is declared: {.a = …, .b = …}");
        local.values.push_back(value);
    }
    locals_.push_back(local);
    return local.values;
}

std::string ViewFolder::parameters(const clang::ParmVarDecl& view) {
    const auto type = view.getType();
    const bool changes = type->isReferenceType() && !type.getNonReferenceType().isConstQualified();
    auto& used = used_[&view];
    // One stays of a view that is not used: no parameter has no text.
    if (used.empty()) used.insert((*record_of(type)->field_begin())->getNameAsString());
    std::vector<std::string> fields;
    std::string text;
    for (auto* field : record_of(type)->fields()) {
        if (!used.contains(field->getNameAsString())) continue;
        fields.push_back(field->getNameAsString());
        text += (text.empty() ? "" : ", ") + entities_.spell(field->getType()) +
                (changes ? "& " : " ") + name(view, fields.back());
    }
    entities_.set_view_fields(*function_, view.getFunctionScopeIndex(), std::move(fields));
    return text;
}

void ViewFolder::write_local(const Local& local, TextEdits& edits) {
    const Source& source = entities_.source();
    const Range whole = source.range(local.statement->getSourceRange());
    const auto& used = used_[local.view];
    unsigned done = whole.begin;
    bool first = true;
    for (auto* field : record_of(local.view->getType())->fields()) {
        const auto type = field->getType();
        const Range value = source.range(local.values[field->getFieldIndex()]->getSourceRange());
        if (used.contains(field->getNameAsString())) {
            const bool constant =
                local.view->getType().isConstQualified() && !type->isPointerType();
            edits.replace({done, value.begin},
                          std::string(first ? "" : ";\n") + (constant ? "const " : "") +
                              entities_.spell(type) + " " +
                              name(*local.view, field->getNameAsString()) + " = ");
            first = false;
        } else {
            edits.remove({done, value.end});
        }
        done = value.end;
    }
    if (first)
        edits.remove(with_line(source.text(local.statement->getBeginLoc()), whole));
    else
        edits.replace({done, whole.end}, ";");
}

void ViewFolder::finish(TextEdits& edits) {
    for (auto* p : function_->parameters())
        if (is_view(p->getType()))
            edits.replace(entities_.source().range(p->getSourceRange()), parameters(*p));
    for (auto& local : locals_) write_local(local, edits);
}

void ViewFolder::refuse_other_use(clang::SourceLocation place) const {
    refuse(Rule::view, entities_.source().place(place),
           "a struct that holds pointers is a view; declare it with all fields, read these, or "
           "hand it to a helper, and do nothing else with it");
}

}  // namespace spmvgen::specializer
