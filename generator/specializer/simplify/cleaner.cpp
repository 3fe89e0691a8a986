#include "specializer/simplify/cleaner.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "clang/AST/ExprCXX.h"
#include "clang/AST/TypeLoc.h"
#include "specializer/simplify/aliases.hpp"
#include "specializer/simplify/arithmetic.hpp"
#include "specializer/simplify/assignments.hpp"
#include "specializer/simplify/loops.hpp"
#include "specializer/simplify/single_elements.hpp"
#include "specializer/syntax/constants.hpp"
#include "specializer/syntax/doc_comments.hpp"
#include "specializer/syntax/liveness.hpp"
#include "specializer/syntax/statements.hpp"
#include "specializer/syntax/syntax_walk.hpp"
#include "specializer/syntax/tokens.hpp"

namespace spmvgen::specializer {
namespace {

std::string type_text(clang::QualType type, const clang::ASTContext& context) {
    clang::PrintingPolicy policy(context.getLangOpts());
    policy.SuppressTagKeyword = true;
    type.removeLocalRestrict();
    std::string text = type.getUnqualifiedType().getAsString(policy);
    if (const auto star = text.find(" *"); star != text.npos) text.erase(star, 1);
    return text;
}

class Cleaner : public SyntaxWalk {
  public:
    Cleaner(clang::ASTContext& context, const std::string& text)
        : source_(context), text_(text), expressions_(source_, edits), singles_(source_, edits) {}
    TextEdits edits;
    bool settled = true;

    void clean(const std::vector<std::string>& steps) {
        auto* unit = source_.context.getTranslationUnitDecl();
        std::vector<clang::NamedDecl*> declarations;
        for (auto* d : unit->decls())
            if (auto* n = llvm::dyn_cast<clang::NamedDecl>(d);
                n && !n->isImplicit() && source_.manager.isWrittenInMainFile(n->getLocation()))
                declarations.push_back(n);
        for (auto* d : declarations) {
            if (std::ranges::count(steps, d->getNameAsString()) > 0) liveness_.keep(d);
            visit_top(d);
        }
        liveness_.spread();
        for (auto* d : declarations)
            if (!liveness_.live(d)) remove_declaration(*d, source_, edits);
        remove_dead_locals();
        remove_dead_parameters();
        singles_.rewrite([&](const clang::Decl* d) { return liveness_.live(d); });
        settled = settled && expressions_.settled() && singles_.settled();
    }

    bool traverse_statement(clang::Stmt* s) override {
        parents_.push_back(s);
        const bool result = clean_statement(s) || SyntaxWalk::traverse_statement(s);
        parents_.pop_back();
        return result;
    }
    bool traverse_declaration(clang::Decl* d) override {
        if (auto* v = llvm::dyn_cast<clang::VarDecl>(d); v && v->isLocalVarDecl())
            return traverse_local(v);
        const bool owner = llvm::isa<clang::ParmVarDecl, clang::TypedefNameDecl>(d);
        return owned_by(owner ? liveness_.owner(d) : owner_,
                        [&] { return SyntaxWalk::traverse_declaration(d); });
    }

    /// The step as it is when the edits are done.
    FunctionSignature signature(const std::string& step) const {
        FunctionSignature result{step, {}};
        for (auto* f : functions_)
            for (auto* p : f->parameters())
                if (f->getNameAsString() == step && liveness_.live(p))
                    result.parameters.push_back(
                        {type_text(p->getType(), source_.context), p->getNameAsString()});
        return result;
    }

  private:
    void visit_top(clang::NamedDecl* d) {
        auto* f = llvm::dyn_cast<clang::FunctionDecl>(d);
        if (f) {
            functions_.push_back(f);
            aliases_.enter(*f);
            const Range range = source_.range(f->getSourceRange());
            words_.reset();
            pragma_names_.clear();
            for (auto& w : pragma_identifiers(text_, range)) pragma_names_.insert(w.text);
            for (auto* p : f->parameters()) {
                refer_if_in_pragma(p, f);
                if (!liveness_.live(f)) singles_.note_parameter(p);  // no step's
            }
        }
        owned_by(d, [&] { return traverse_declaration(d); });
    }

    bool visit_statement(clang::Stmt* s) override {
        auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s);
        if (!name) return true;
        refer(name->getDecl());
        singles_.whole(name->getDecl());
        if (auto* c = llvm::dyn_cast<clang::EnumConstantDecl>(name->getDecl()))
            refer(llvm::cast<clang::EnumDecl>(c->getDeclContext()));
        return true;
    }
    bool visit_type(clang::TypeLoc l) override {
        if (auto t = l.getAs<clang::TypedefTypeLoc>()) refer(t.getTypedefNameDecl());
        if (auto t = l.getAs<clang::TagTypeLoc>()) refer(t.getDecl());
        return true;
    }
    bool traverse_local(clang::VarDecl* v) {
        if (!pragma_names_.contains(v->getNameAsString())) {
            singles_.note_local(v);
            if (v->getInit()) aliases_.note(*v, *expressions_.left_of(v->getInit()));
        }
        const bool removable = !v->getInit() || can_go(v->getInit());
        if (!removable) refer(v);
        return owned_by(removable ? liveness_.owner(v) : owner_,
                        [&] { return SyntaxWalk::traverse_declaration(v); });
    }
    /// True when the callee is a function of ours: its arguments belong to its parameters.
    bool clean_call(clang::CallExpr* call) {
        auto* callee = call->getDirectCallee();
        if (!callee || callee->getBuiltinID() || source_.is_gpu_builtin(*callee)) return false;
        calls_.push_back(call);
        traverse_statement(call->getCallee());
        for (unsigned i = 0; i < call->getNumArgs(); ++i) {
            auto* argument = call->getArg(i);
            auto* parameter = i < callee->getNumParams() ? callee->getParamDecl(i) : nullptr;
            if (!parameter) {
                traverse_statement(argument);
                continue;
            }
            if (!can_go(argument)) refer(parameter);
            const auto* given = singles_.given(argument, expressions_);
            singles_.passed(given, parameter);
            owned_by(liveness_.owner(parameter, owner_), [&] {
                if (!given) return traverse_statement(argument);
                refer(given);
                return true;
            });
        }
        return true;
    }

    template <typename F>
    bool owned_by(const clang::Decl* owner, F traverse) {
        return owned_by(liveness_.owner(owner), traverse);
    }
    template <typename F>
    bool owned_by(const Liveness::Owner* owner, F traverse) {
        const auto* before = owner_;
        owner_ = owner;
        const bool result = traverse();
        owner_ = before;
        return result;
    }
    void refer(const clang::Decl* target) { liveness_.refer(target, owner_); }
    void refer_if_in_pragma(const clang::NamedDecl* d, const clang::Decl* owner) {
        if (pragma_names_.contains(d->getNameAsString()))
            liveness_.refer(d, liveness_.owner(owner));
    }

    /// True when the statement is dealt with, its children included.
    bool clean_statement(clang::Stmt* s) {
        if (auto* e = llvm::dyn_cast<clang::Expr>(s)) {
            if (const auto* v = in_block() && !writer_ ? written_local(e) : nullptr)
                return clean_write(v, e);
            if (idle_call(e) || clean_expression(e)) return true;
            auto* call = llvm::dyn_cast<clang::CallExpr>(e);
            // A lambda that is called is the first argument of an operator.
            return call && !llvm::isa<clang::CXXOperatorCallExpr>(call) && clean_call(call);
        }
        if (auto* f = llvm::dyn_cast<clang::ForStmt>(s)) return clean_loop(f);
        if (auto* i = llvm::dyn_cast<clang::IfStmt>(s)) return clean_if(i);
        if (auto* c = llvm::dyn_cast<clang::CompoundStmt>(s)) strip_braces(c);
        if (auto* d = llvm::dyn_cast<clang::DeclStmt>(s)) note_locals(d);
        return false;
    }

    /// What only serves a local goes with it.
    bool clean_write(const clang::VarDecl* local, clang::Expr* e) {
        writes_.emplace_back(local, e);
        writer_ = true;
        const bool result = owned_by(
            local, [&] { return clean_statement(e) || SyntaxWalk::traverse_statement(e); });
        writer_ = false;
        return result;
    }
    /// A call that does nothing, its value unused.
    bool idle_call(const clang::Expr* e) {
        if (!llvm::isa<clang::CallExpr>(e) || !in_block() || !can_go(e)) return false;
        remove_statement(e, true, source_, edits);
        return true;
    }

    bool clean_expression(clang::Expr* e) {
        if (in_block()) {
            if (is_idle_assignment(e, source_)) {
                // A helper, no step, may now do nothing.
                settled = settled && liveness_.live(functions_.back());
                remove_statement(e, true, source_, edits);
                return true;
            }
            shorten_assignment(e, source_, edits);
        }
        if (const auto* original = aliases_.original(e)) {
            edits.replace(source_.range(e->getSourceRange()), original->getNameAsString());
            refer(original);
            return true;
        }
        const auto* inner = e->IgnoreImplicit();
        if (const auto value = expressions_.value_of(inner)) {
            edits.replace(source_.range(inner->getSourceRange()),
                          loop_value(llvm::APSInt::get(*value), e, inner));
            return true;
        }
        if (auto* a = llvm::dyn_cast<clang::ArraySubscriptExpr>(e); a && note_subscript(a))
            return true;
        const auto outcome = expressions_.clean(
            e, llvm::isa<clang::CXXStaticCastExpr>(e) ? parent_left() : parent());
        if (outcome.operand) traverse_statement(const_cast<clang::Expr*>(outcome.operand));
        return outcome.left != ExpressionCleaner::Left::all;
    }

    /// A loop variable's value where `e`, implicit conversions included, stands.
    std::string loop_value(const llvm::APSInt& value, const clang::Expr* e,
                           const clang::Expr* name) const {
        return same_type(e->getType(), name->getType()) ? placed_literal(value, e, parent())
                                                        : converted_literal(value, e->getType());
    }

    const clang::Stmt* parent(std::size_t above = 1) const {
        return parents_.size() > above ? parents_[parents_.size() - 1 - above] : nullptr;
    }
    /// The next above that is still there when the edits are done.
    const clang::Stmt* parent_left() const {
        std::size_t above = 1;
        while (expressions_.gone(parent(above))) ++above;
        return parent(above);
    }
    bool in_block() const {
        const auto* p = parent();
        if (llvm::isa_and_nonnull<clang::AttributedStmt>(p)) p = parent(2);
        return llvm::isa_and_nonnull<clang::CompoundStmt>(p);
    }

    bool clean_loop(clang::ForStmt* loop) {
        const auto found = short_loop(loop, expressions_);
        if (!found) return false;
        if (!found->runs) {
            settled = false;
            remove_statement(loop, in_block(), source_, edits);
            return true;
        }
        if (pragma_names_.contains(found->variable->getNameAsString())) return false;
        keep_statement(loop, loop->getBody(), source_, edits);
        expressions_.set_value(found->variable, found->value);
        if (auto* block = llvm::dyn_cast<clang::CompoundStmt>(loop->getBody()); block && in_block())
            strip_braces_of(block);
        return traverse_statement(loop->getBody());
    }

    bool clean_if(clang::IfStmt* i) {
        if (i->hasVarStorage() || i->hasInitStorage() || i->isConstexpr()) return false;
        const auto value = expressions_.value(i->getCond());
        if (!value) return false;
        auto* live = *value != 0 ? i->getThen() : i->getElse();
        if (*value != 0 ? i->getElse() : i->getThen()) settled = false;  // a branch goes
        if (!live) {
            remove_statement(i, in_block(), source_, edits);
            return true;
        }
        keep_statement(i, live, source_, edits);
        if (auto* block = llvm::dyn_cast<clang::CompoundStmt>(live); block && in_block())
            strip_braces_of(block);
        return traverse_statement(live);
    }

    void strip_braces(const clang::CompoundStmt* block) {
        if (llvm::isa_and_nonnull<clang::CompoundStmt>(parent())) strip_braces_of(block);
    }
    void strip_braces_of(const clang::CompoundStmt* block) {
        const Range range = source_.range(block->getSourceRange());
        for (auto* s : block->body())
            if (auto* d = llvm::dyn_cast<clang::DeclStmt>(s))
                for (auto* declared : d->decls())
                    if (auto* n = llvm::dyn_cast<clang::NamedDecl>(declared);
                        n && named_outside(n->getNameAsString(), range))
                        return;
        edits.remove(with_line(text_, {range.begin, range.begin + 1}));
        edits.remove(with_line(text_, {range.end - 1, range.end}));
    }
    bool named_outside(const std::string& name, Range range) {
        if (!words_)
            words_ = identifiers(text_, source_.range(functions_.back()->getSourceRange()));
        return std::ranges::any_of(
            *words_, [&](const Word& w) { return w.text == name && !range.contains(w.range); });
    }

    void note_locals(const clang::DeclStmt* d) {
        if (llvm::isa_and_nonnull<clang::CompoundStmt>(parent())) local_statements_.push_back(d);
        for (auto* declared : d->decls())
            if (auto* n = llvm::dyn_cast<clang::NamedDecl>(declared))
                refer_if_in_pragma(n, functions_.back());
    }
    bool note_subscript(clang::ArraySubscriptExpr* a) {
        const auto* noted = singles_.named(a->getBase());
        if (!noted || expressions_.value(a->getIdx()) != 0) return false;
        refer(noted);
        singles_.element(noted, a);
        return true;
    }

    void remove_dead_locals() {
        for (auto& [local, write] : writes_)
            if (!liveness_.live(local)) remove_statement(write, true, source_, edits);
        for (auto* d : local_statements_) {
            const bool dead = std::ranges::none_of(d->decls(), [&](const clang::Decl* x) {
                const bool kind = llvm::isa<clang::VarDecl, clang::TypedefNameDecl>(x);
                return !kind || liveness_.live(x);
            });
            if (dead) remove_statement(d, true, source_, edits);
        }
    }

    void remove_dead_parameters() {
        for (auto* f : functions_) {
            if (!liveness_.live(f)) continue;
            std::vector<Range> all;
            for (auto* p : f->parameters()) all.push_back(source_.range(p->getSourceRange()));
            remove_dead(all, *f);
            clean_comment(*f);
        }
        for (auto* call : calls_) {
            std::vector<Range> all;
            for (unsigned i = 0; i < call->getNumArgs(); ++i) {
                const auto* a = call->getArg(i);
                if (llvm::isa<clang::CXXDefaultArgExpr>(a)) continue;
                all.push_back(source_.range(a->getSourceRange()));
            }
            remove_dead(all, *call->getDirectCallee());
        }
    }
    /// What the function's comment says of parameters that go.
    void clean_comment(const clang::FunctionDecl& f) {
        std::set<std::string> gone;
        for (auto* p : f.parameters())
            if (!liveness_.live(p)) gone.insert(p->getNameAsString());
        const unsigned begin = source_.declaration_begin(f);
        const std::string comment = comment_above(text_, begin);
        const std::string cleaned = without_sentences_on(comment, gone);
        if (cleaned != comment)
            edits.replace({begin - static_cast<unsigned>(comment.size()), begin}, cleaned);
    }
    /// Removes the items of a parameter or argument list that belong to dead parameters of f.
    void remove_dead(const std::vector<Range>& items, const clang::FunctionDecl& f) {
        std::vector<bool> live;
        for (std::size_t i = 0; i < items.size(); ++i)
            live.push_back(liveness_.live(f.getParamDecl(static_cast<unsigned>(i))));
        edits.keep_items(items, live);
    }

    Source source_;
    const std::string& text_;
    Liveness liveness_;
    const Liveness::Owner* owner_ = nullptr;
    std::vector<clang::Stmt*> parents_;
    std::vector<clang::FunctionDecl*> functions_;
    std::vector<clang::CallExpr*> calls_;
    std::vector<const clang::DeclStmt*> local_statements_;
    std::optional<std::vector<Word>> words_;  // of the function at hand, once asked for
    std::set<std::string> pragma_names_;      // of the function at hand
    ExpressionCleaner expressions_;
    std::vector<std::pair<const clang::VarDecl*, const clang::Expr*>> writes_;
    bool writer_ = false;  // within one of these
    SingleElements singles_;
    Aliases aliases_;
};

}  // namespace

Cleaning clean(clang::ASTContext& context, const std::string& text,
               const std::vector<std::string>& steps) {
    Cleaner cleaner(context, text);
    cleaner.clean(steps);
    Cleaning result{std::move(cleaner.edits), cleaner.settled, {}};
    for (auto& step : steps) result.functions.push_back(cleaner.signature(step));
    return result;
}

}  // namespace spmvgen::specializer
