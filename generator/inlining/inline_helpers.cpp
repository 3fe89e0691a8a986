#include "inlining/inline_helpers.hpp"

#include <algorithm>
#include <optional>

#include "inlining/call_checks.hpp"
#include "inlining/composed_helper.hpp"
#include "inlining/name_tokens.hpp"
#include "specializer/syntax/liveness.hpp"
#include "specializer/syntax/statements.hpp"
#include "specializer/syntax/syntax_walk.hpp"
#include "specializer/syntax/tokens.hpp"

namespace spmvgen::specializer {
namespace {

/// Characters up to which an expression is as easy to read as its name, and lines of a function
/// that fit a screen.
constexpr std::size_t short_text = 60;
constexpr std::ptrdiff_t screen = 48;

std::vector<std::string> parameter_names(const clang::FunctionDecl& f) {
    std::vector<std::string> names;
    for (auto* p : f.parameters()) names.push_back(p->getNameAsString());
    return names;
}

/// Composes one function from those before it.
class FunctionInliner : public SyntaxWalk {
  public:
    FunctionInliner(Source& source, const std::string& text,
                    std::map<const clang::FunctionDecl*, Composed>& composed, Composed& self)
        : source_(source), text_(text), composed_(composed), self_(self) {
        for (auto* p : self_.helper.function->parameters())
            parameters_.insert(p->getNameAsString());
    }

    bool inlined() const { return inlined_; }

    void compose() {
        auto* body = const_cast<clang::CompoundStmt*>(self_.helper.body);
        lines_ = std::ranges::count(part(body), '\n');
        traverse_statement(body);
        const Range all = source_.range(body->getSourceRange());
        const Range inner{all.begin + 1, all.end - 1};
        whole_ = edits_.apply(text_, inner);
        const auto* result = self_.helper.movable ? self_.helper.result : nullptr;
        if (!result) {
            self_.body = whole_;
            return;
        }
        self_.value = placed(result->getRetValue());
        const Range end = with_comments(text_, statement_range(result, source_));
        self_.body = edits_.apply(text_, {inner.begin, end.begin}) + before_result_;
    }
    /// The whole body as source again.
    std::string source_text() const {
        return "{" + with_plain_names(whole_, parameter_names(*self_.helper.function)) + "}";
    }

    bool traverse_statement(clang::Stmt* s) override {
        parents_.push_back(s);
        const bool result = SyntaxWalk::traverse_statement(s);
        parents_.pop_back();
        if (auto* e = llvm::dyn_cast<clang::DeclRefExpr>(s)) mark_name(e);
        if (auto* call = llvm::dyn_cast<clang::CallExpr>(s)) inline_expression(call);
        if (is_statement_place()) inline_statement(s);
        return result;
    }

  private:
    bool visit_declaration(clang::Decl* d) override {
        auto* v = llvm::dyn_cast<clang::VarDecl>(d);
        if (v && v->isLocalVarDecl())
            edits_.replace(source_.range(v->getLocation()), local_token(v->getNameAsString()));
        return true;
    }
    void mark_name(const clang::DeclRefExpr* e) {
        const auto* v = llvm::dyn_cast<clang::VarDecl>(e->getDecl());
        if (!v || v->getDeclContext() != self_.helper.function) return;
        if (auto* p = llvm::dyn_cast<clang::ParmVarDecl>(v))
            edits_.replace(range(e),
                           parameter_token(p->getFunctionScopeIndex(), place_of(e, parents_)));
        else if (v->isLocalVarDecl())
            edits_.replace(range(e), local_token(v->getNameAsString()));
    }

    Range range(const clang::Stmt* s) const { return source_.range(s->getSourceRange()); }
    Range range(const clang::FunctionDecl* f) const { return source_.range(f->getSourceRange()); }
    std::string part(const clang::Stmt* s) const { return edits_.apply(text_, range(s)); }

    /// The expression as the edits so far make it.
    PlacedText placed(const clang::Expr* e) const {
        const auto known = replaced_.find(bare(e));
        if (known != replaced_.end()) return known->second;
        return {part(e), binding_of(e), bare(e)->getType()};
    }

    Composed* callee(const clang::CallExpr* call) const {
        if (!call || llvm::isa<clang::CXXOperatorCallExpr>(call) || !call->getDirectCallee())
            return nullptr;
        const auto found = composed_.find(call->getDirectCallee()->getCanonicalDecl());
        if (found == composed_.end() || !found->second.helper.movable) return nullptr;
        for (auto* a : call->arguments())
            if (llvm::isa<clang::CXXDefaultArgExpr>(a)) return nullptr;
        return &found->second;
    }

    // A call within an expression.

    void inline_expression(clang::CallExpr* call) {
        const Composed* from = callee(call);
        if (!from || !from->is_value() || !worth_it(*from, from->value->text)) return;
        for (unsigned i = 0; i < call->getNumArgs(); ++i)
            if (!may_stand_in(call, i, from->helper.parameters[i])) return;
        if (!references_are_places(call, source_, text_)) return;
        PlacedText result = placed_value(call, *from->value);
        edits_.replace(range(call), result.text);
        replaced_[call] = std::move(result);
        inlined_ = true;
    }
    PlacedText placed_value(const clang::CallExpr* call, const PlacedText& value) const {
        const Place place = place_of(call, parents_);
        const auto wanted = call->getType();
        const std::string text = fitted(value, place, wanted, false, source_.context);
        if (is_parameter_token(text)) return placed_argument(call, text);
        const auto argument = [&](unsigned i, const Place& at) {
            return argument_text(call, i, at);
        };
        return {with_arguments(text, argument),
                text == value.text ? value.binding : Binding::primary,
                text.starts_with("static_cast<") ? wanted : value.type};
    }
    /// Of a helper that gives back its argument.
    PlacedText placed_argument(const clang::CallExpr* call, const std::string& token) const {
        const unsigned index = token_index(token);
        const auto given = placed(call->getArg(index));
        const std::string text = with_arguments(
            token, [&](unsigned i, const Place& at) { return argument_text(call, i, at); });
        if (text == given.text || is_parameter_token(text))
            return {text, given.binding, given.type};
        const bool parentheses = text == "(" + given.text + ")";
        return {text, Binding::primary,
                parentheses ? given.type : call->getDirectCallee()->getParamDecl(index)->getType()};
    }
    static unsigned token_index(const std::string& token) {
        unsigned index = 0;
        with_arguments(token, [&](unsigned i, const Place&) {
            index = i;
            return std::string();
        });
        return index;
    }
    std::string argument_text(const clang::CallExpr* call, unsigned i, const Place& at) const {
        const auto* argument = call->getArg(i);
        const auto* parameter = call->getDirectCallee()->getParamDecl(i);
        return fitted(placed(argument), at, parameter->getType(), is_integer_literal(argument),
                      source_.context);
    }

    bool worth_it(const Composed& from, const std::string& text) const {
        const std::vector<std::string> letters(from.helper.parameters.size(), "p");
        return from.helper.calls == 1 || with_plain_names(text, letters).size() <= short_text;
    }

    // A call that is a statement, or all that a statement assigns, declares or returns.

    bool is_statement_place() const {
        if (parents_.empty()) return false;
        return llvm::isa<clang::CompoundStmt>(parents_.back());
    }

    void inline_statement(clang::Stmt* s) {
        auto* call = whole_call(s);
        Composed* from = callee(call);
        if (!from || replaced_.contains(call)) return;
        const bool one = from->helper.is_statement() && worth_it(*from, from->body);
        const bool fits = from->helper.calls == 1 && lines_ + from->lines() <= screen;
        if (!one && !fits) return;
        const bool same = changes_in_place(s, call, *from);
        const bool unused = is_unused(s, *from);
        if (unused && returns_local(*from)) return;  // which it would fill for nothing
        if (!references_are_places(call, source_, text_) ||
            loses_effects(call, from->helper.parameters))
            return;
        std::string text = spliced(call, *from, same);
        if (!same && !unused && from->value) {
            if (s == self_.helper.result) before_result_ = text;
            const std::string value = value_text(call, *from, s);
            edits_.replace(range(call), value);
            replaced_[call] = {value, Binding::any, call->getType()};
            text += (text.empty() ? "" : "\n") + edits_.apply(text_, statement_range(s, source_));
        }
        edits_.replace(statement_range(s, source_), text);
        lines_ += from->lines();
        inlined_ = true;
    }

    static bool is_unused(const clang::Stmt* s, const Composed& from) {
        return llvm::isa<clang::CallExpr>(s) && from.value &&
               can_go(from.helper.result->getRetValue());
    }
    static bool returns_local(const Composed& from) {
        const auto* name =
            llvm::dyn_cast<clang::DeclRefExpr>(bare(from.helper.result->getRetValue()));
        const auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
        return v && v->isLocalVarDecl();
    }
    /// `a = f(a, …)` where f changes its parameter and gives it back.
    bool changes_in_place(const clang::Stmt* s, const clang::CallExpr* call,
                          const Composed& from) const {
        const auto* o = llvm::dyn_cast<clang::BinaryOperator>(s);
        if (!o || !from.helper.result || !is_cheap_place(o->getLHS())) return false;
        const auto returned = returned_parameter(from);
        if (!returned) return false;
        const std::string place = part(o->getLHS());
        if (is_named_elsewhere(o->getLHS(), call, *returned, source_, text_)) return false;
        for (unsigned i = 0; i < call->getNumArgs(); ++i)
            if ((part(call->getArg(i)) == place) != (i == *returned)) return false;
        return true;
    }
    static std::optional<unsigned> returned_parameter(const Composed& from) {
        const auto* name =
            llvm::dyn_cast<clang::DeclRefExpr>(bare(from.helper.result->getRetValue()));
        const auto* p = name ? llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
        if (!p) return std::nullopt;
        return p->getFunctionScopeIndex();
    }

    /// The helper's statements with arguments for parameters; names of locals that the caller has,
    /// too, get a number.
    std::string spliced(const clang::CallExpr* call, const Composed& from, bool same) {
        in_place_ = same ? returned_parameter(from) : std::nullopt;
        std::set<std::string> named;  // in the arguments
        for (auto* a : call->arguments())
            for (auto& w : identifiers(text_, range(a))) named.insert(w.text);
        renamed_.clear();
        of_callee_ = from.helper.locals;
        for (auto& local : from.helper.locals)
            if (named.contains(local) ||
                (from.helper.outer_locals.contains(local) && is_taken(local)))
                renamed_[local] = free_name(local);
        for (auto& local : from.helper.outer_locals)
            added_[parents_.back()].insert(renamed_.contains(local) ? renamed_[local] : local);

        std::string locals;
        local_parameters_.clear();
        for (unsigned i = 0; i < call->getNumArgs(); ++i)
            if (in_place_ != i && from.helper.parameters[i].count > 0 &&
                !is_plain_argument(call, i, from))
                locals += parameter_as_local(call, i, from);
        for (auto& [index, name] : local_parameters_) self_.helper.locals.insert(name);
        for (auto& local : from.helper.locals) {
            const std::string name = renamed_.contains(local) ? renamed_[local] : local;
            self_.helper.locals.insert(name);
            self_.helper.outer_locals.insert(name);
        }
        return locals + with_call(trimmed_lines(from.body), call);
    }
    std::string with_call(std::string_view text, const clang::CallExpr* call) const {
        return with_arguments(with_locals_renamed(text, renamed_),
                              [&](unsigned i, const Place& at) {
                                  const auto local = local_parameters_.find(i);
                                  if (local != local_parameters_.end())
                                      return local_token(local->second);
                                  return argument_text(call, i, at);
                              });
    }
    bool is_plain_argument(const clang::CallExpr* call, unsigned i, const Composed& from) const {
        const auto* parameter = call->getDirectCallee()->getParamDecl(i);
        if (parameter->getType()->isReferenceType()) return true;
        const auto& use = from.helper.parameters[i];
        if (from.helper.is_statement() && may_stand_in(call, i, use)) return true;
        return !use.written && is_cheap(call->getArg(i)) &&
               (use.count <= 2 || is_cheap(call->getArg(i), 1));
    }
    std::string parameter_as_local(const clang::CallExpr* call, unsigned i, const Composed& from) {
        const auto* p = from.helper.function->getParamDecl(i);
        const std::string name = p->getNameAsString();
        const std::string own = is_taken(name) ? free_name(name) : name;
        added_[parents_.back()].insert(own);
        std::string type = type_name(p->getType(), source_.context);
        const bool constant = !from.helper.parameters[i].written && !p->getType()->isPointerType();
        std::string text = (constant ? "const " : "") + type + " " + local_token(own) + " = " +
                           argument_text(call, i, {Binding::any, true}) + ";\n";
        local_parameters_[i] = own;
        self_.helper.outer_locals.insert(own);
        return text;
    }
    /// Whether the name means something in the block at hand, or around it.
    bool is_taken(const std::string& name) const {
        if (parameters_.contains(name)) return true;
        if (words_of(parents_.back()).contains(name)) return true;
        return std::ranges::any_of(parents_, [&](const clang::Stmt* s) {
            const auto added = added_.find(s);
            return (added != added_.end() && added->second.contains(name)) || declares(s, name);
        });
    }
    const std::set<std::string>& words_of(const clang::Stmt* block) const {
        const auto [words, added] = words_.try_emplace(block);
        if (added)
            for (auto& w : identifiers(text_, range(block))) words->second.insert(w.text);
        return words->second;
    }
    /// One that means nothing here, nor in the helper that is called.
    std::string free_name(const std::string& name) {
        for (int n = 2;; ++n) {
            const std::string other = name + std::to_string(n);
            if (!is_taken(other) && of_callee_.insert(other).second) return other;
        }
    }
    /// The value where the call stood.
    std::string value_text(const clang::CallExpr* call, const Composed& from,
                           const clang::Stmt* s) const {
        const bool deduced =
            llvm::isa<clang::ReturnStmt>(s) ||
            (llvm::isa<clang::DeclStmt>(s) && part(s).find("auto ") != std::string::npos);
        const std::string text =
            fitted(*from.value, {Binding::any, !deduced}, call->getType(), false, source_.context);
        return with_call(text, call);
    }

    Source& source_;
    const std::string& text_;
    std::map<const clang::FunctionDecl*, Composed>& composed_;
    Composed& self_;
    TextEdits edits_;
    std::vector<clang::Stmt*> parents_;
    std::map<const clang::Expr*, PlacedText> replaced_;  // looked up only
    std::set<std::string> parameters_;
    std::map<const clang::Stmt*, std::set<std::string>> added_;          // names, to blocks
    mutable std::map<const clang::Stmt*, std::set<std::string>> words_;  // of blocks, as read
    std::string whole_;          // its body with tokens, return included
    std::string before_result_;  // what a call that it returns became, without the value
    std::ptrdiff_t lines_ = 0;
    bool inlined_ = false;
    // Of the call at hand.
    std::map<std::string, std::string> renamed_;
    std::set<std::string> of_callee_;  // names of its locals, those that they get among them
    std::map<unsigned, std::string> local_parameters_;
    std::optional<unsigned> in_place_;
};

/// The functions that no step calls any more, by the names in their texts.
class Reached {
  public:
    void add(const clang::FunctionDecl* function, const std::string& body) {
        auto& names = names_[function->getNameAsString()];
        for (auto& w : identifiers(body, {0, static_cast<unsigned>(body.size())}))
            names.insert(w.text);
    }
    void mark(const std::string& name) {
        const auto found = names_.find(name);
        if (found == names_.end() || !reached_.insert(name).second) return;
        for (auto& called : found->second) mark(called);
    }
    bool contains(const clang::FunctionDecl* function) const {
        return reached_.contains(function->getNameAsString());
    }

  private:
    std::map<std::string, std::set<std::string>> names_;
    std::set<std::string> reached_;
};

}  // namespace

TextEdits inline_helpers(clang::ASTContext& context, const std::string& text,
                         const std::vector<std::string>& steps) {
    Source source(context);
    TextEdits edits;
    std::map<const clang::FunctionDecl*, Composed> composed;  // looked up only
    Reached reached;
    const auto helpers = helper_functions(source, text);
    for (auto& helper : helpers) {
        const auto* function = helper.function->getCanonicalDecl();
        const Range body = source.range(helper.body->getSourceRange());
        Composed self{helper, "", std::nullopt};
        FunctionInliner inliner(source, text, composed, self);
        inliner.compose();
        const std::string made = inliner.inlined() ? inliner.source_text()
                                                   : text.substr(body.begin, body.end - body.begin);
        if (inliner.inlined()) edits.replace(body, made);
        reached.add(function, made);
        if (std::ranges::count(steps, helper.function->getNameAsString()) == 0)
            composed.emplace(function, std::move(self));
    }
    for (auto& step : steps) reached.mark(step);
    for (auto& helper : helpers)
        if (!reached.contains(helper.function)) remove_declaration(*helper.function, source, edits);
    return edits;
}

}  // namespace spmvgen::specializer
