#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "specializer/entities.hpp"

namespace spmvgen::specializer {

/// Whether a type is a view, or a reference to one: a struct that holds pointers.
bool is_view(clang::QualType type);

/// Takes the views of one function apart. A view is what a helper reads of a matrix, under one
/// name; emitted text has none. Each field that is used becomes a variable, so that a compiler sees
/// where its pointer comes from. It has the field's name where that is free in the function, else
/// the view's before it: `bases` or `slice_bases`.
class ViewFolder {
  public:
    ViewFolder(Entities& entities, clang::FunctionDecl* function)
        : entities_(entities), function_(function) {}

    /// The variable that `slice.bases` is. Refuses what is no field of a variable (rule 20).
    std::string field(const clang::MemberExpr& access);
    /// The arguments that hand a view on: those fields that `callee` uses of its parameter number
    /// `index`.
    std::string arguments(const clang::DeclRefExpr& view, const clang::FunctionDecl& callee,
                          unsigned index);
    /// Notes `const slice_view<int> slice = {.bases = A, …};` and returns the values, which stay
    /// where they are. Refuses a view that does not get all its fields (rule 20).
    std::vector<clang::Expr*> declare(const clang::DeclStmt& statement, const clang::VarDecl& view);
    /// When all uses have been seen: makes variables of the views' fields, parameters or locals,
    /// and tells `entities` which fields of parameters are used.
    void finish(TextEdits& edits);
    /// Throws what rule 20 says about any other use of a view.
    [[noreturn]] void refuse_other_use(clang::SourceLocation place) const;

  private:
    struct Local {
        const clang::DeclStmt* statement;
        const clang::VarDecl* view;
        std::vector<clang::Expr*> values;
    };
    std::string use(const clang::ValueDecl& view, const std::string& field);
    std::string name(const clang::ValueDecl& view, const std::string& field);
    std::string parameters(const clang::ParmVarDecl& view);
    void write_local(const Local& local, TextEdits& edits);

    Entities& entities_;
    clang::FunctionDecl* function_;
    std::vector<Local> locals_;
    std::map<const clang::ValueDecl*, std::set<std::string>> used_;  // looked up only
    std::optional<std::set<std::string>> taken_;  ///< names, once there is a view
};

}  // namespace spmvgen::specializer
