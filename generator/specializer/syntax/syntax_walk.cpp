#include "specializer/syntax/syntax_walk.hpp"

#include "clang/AST/RecursiveASTVisitor.h"

namespace spmvgen::specializer {

class SyntaxWalk::Visitor : public clang::RecursiveASTVisitor<Visitor> {
  public:
    using Base = clang::RecursiveASTVisitor<Visitor>;
    explicit Visitor(SyntaxWalk& walk) : walk_(walk) {}

    bool shouldVisitTemplateInstantiations() const { return walk_.visits_instantiations(); }
    // Without the queue, each node's children are walked over before its next sibling is.
    bool TraverseStmt(clang::Stmt* s, DataRecursionQueue* = nullptr) {
        return !s || walk_.traverse_statement(s);
    }
    bool TraverseDecl(clang::Decl* d) { return !d || walk_.traverse_declaration(d); }
    bool TraverseTypeLoc(clang::TypeLoc l) { return l.isNull() || walk_.traverse_type(l); }
    bool VisitStmt(clang::Stmt* s) { return walk_.visit_statement(s); }
    bool VisitDecl(clang::Decl* d) { return walk_.visit_declaration(d); }
    bool VisitTypeLoc(clang::TypeLoc l) { return walk_.visit_type(l); }

  private:
    SyntaxWalk& walk_;
};

bool SyntaxWalk::traverse_statement(clang::Stmt* statement) {
    return Visitor(*this).Visitor::Base::TraverseStmt(statement);
}
bool SyntaxWalk::traverse_declaration(clang::Decl* declaration) {
    return Visitor(*this).Visitor::Base::TraverseDecl(declaration);
}
bool SyntaxWalk::traverse_type(clang::TypeLoc type) {
    return Visitor(*this).Visitor::Base::TraverseTypeLoc(type);
}
bool SyntaxWalk::visit_type(clang::TypeLoc) {
    return true;
}

}  // namespace spmvgen::specializer
