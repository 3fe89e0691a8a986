#pragma once

namespace clang {
class Decl;
class Stmt;
class TypeLoc;
}  // namespace clang

namespace spmvgen::specializer {

/// A walk over Clang's syntax tree. Clang's RecursiveASTVisitor, which does the walking, is a class
/// template of a thousand functions that compiles for half a minute; here that happens once, for
/// all who walk.
///
/// What is below a node is walked over by traverse_…, which a class overrides to decide that for
/// itself; SyntaxWalk's own version, called from there, goes on below the node. visit_… sees each
/// node before what is below it. All give false when the walk is to end.
class SyntaxWalk {
  public:
    virtual ~SyntaxWalk() = default;
    virtual bool traverse_statement(clang::Stmt* statement);
    virtual bool traverse_declaration(clang::Decl* declaration);
    virtual bool traverse_type(clang::TypeLoc type);

  protected:
    SyntaxWalk() = default;
    virtual bool visit_statement(clang::Stmt*) { return true; }
    virtual bool visit_declaration(clang::Decl*) { return true; }
    virtual bool visit_type(clang::TypeLoc);
    /// Whether instantiations are walked over where their template stands.
    virtual bool visits_instantiations() const { return false; }

  private:
    class Visitor;
};

}  // namespace spmvgen::specializer
