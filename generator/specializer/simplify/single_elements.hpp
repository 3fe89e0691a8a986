#pragma once
#include <map>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "specializer/simplify/arithmetic.hpp"
#include "specializer/syntax/source.hpp"

namespace spmvgen::specializer {

/// Local arrays of one element, and pointers that helpers are given to them: where every use is the
/// element itself they become plain variables and references.
class SingleElements {
  public:
    SingleElements(const Source& source, TextEdits& edits) : source_(source), edits_(edits) {}

    /// A local array, when it has one element that is no array.
    void note_local(const clang::VarDecl* array);
    /// A parameter of a helper, when it is a pointer to numbers.
    void note_parameter(const clang::ParmVarDecl* pointer);
    /// The declaration that an expression names, when it is a noted one; else null.
    const clang::VarDecl* named(const clang::Expr* e) const;
    /// The noted declaration that is all that is left of an argument, or null; the argument's edits
    /// are then done.
    const clang::VarDecl* given(const clang::Expr* argument, const ExpressionCleaner& expressions);
    /// `use` is [0] of a noted declaration.
    void element(const clang::VarDecl* noted, const clang::ArraySubscriptExpr* use);
    /// The argument for a parameter; what is given is null when it is no noted declaration.
    void passed(const clang::VarDecl* given, const clang::ParmVarDecl* parameter);
    /// Any other use.
    void whole(const clang::Decl* d);

    /// The edits, once all uses are known; `live`: whether a declaration is in use.
    template <typename Live>
    void rewrite(Live live) {
        settle();
        for (auto& [decl, use] : uses_)
            if (live(decl)) rewrite_one(decl, use);
    }
    /// Whether the edits leave nothing to clean: not when an extent that is gone named a constant.
    bool settled() const { return settled_; }

  private:
    struct Use {
        bool scalar = true;
        std::vector<Range> subscripts;
    };
    void settle();
    void rewrite_one(const clang::VarDecl* decl, const Use& use);
    void make_reference(const clang::ParmVarDecl* parameter);
    void make_variable(const clang::VarDecl* array);
    bool has_plain_initialiser(const clang::VarDecl* array) const;

    const Source& source_;
    TextEdits& edits_;
    std::map<const clang::VarDecl*, Use> uses_;  // edits do not depend on its order
    std::vector<std::pair<const clang::VarDecl*, const clang::VarDecl*>> links_;
    bool settled_ = true;
};

}  // namespace spmvgen::specializer
