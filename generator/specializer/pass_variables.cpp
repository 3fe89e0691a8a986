#include "specializer/pass_variables.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "clang/AST/Expr.h"
#include "clang/AST/TypeLoc.h"
#include "specializer/syntax/source.hpp"
#include "specializer/syntax/syntax_walk.hpp"
#include "specializer/syntax/text_edits.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

const std::string passed_file = "kernel.cpp";

/// What one function of the text uses and calls.
struct Function {
    const clang::FunctionDecl* definition = nullptr;
    std::set<std::string> variables;
    std::vector<const clang::CallExpr*> calls;
};

class Uses : public SyntaxWalk {
  public:
    Uses(const std::vector<Variable>& variables, Function& function)
        : variables_(variables), function_(function) {}

  private:
    bool visit_statement(clang::Stmt* s) override {
        if (auto* call = llvm::dyn_cast<clang::CallExpr>(s)) function_.calls.push_back(call);
        if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(s)) {
            const std::string spelled = name->getDecl()->getNameAsString();
            if (std::ranges::count(variables_, spelled, &Variable::name) > 0)
                function_.variables.insert(spelled);
        }
        return true;
    }
    const std::vector<Variable>& variables_;
    Function& function_;
};

/// The functions that are written in the text, with the variables that they need themselves or for
/// what they call, in the order of the text.
class Functions {
  public:
    Functions(const Source& source, const std::vector<Variable>& variables) {
        for (auto* d : source.context.getTranslationUnitDecl()->decls()) {
            auto* f = llvm::dyn_cast<clang::FunctionDecl>(d);
            if (!f || !f->isThisDeclarationADefinition() || source.is_gpu_builtin(*f)) continue;
            Function& own = functions_.emplace_back();
            own.definition = f;
            Uses(variables, own).traverse_statement(f->getBody());
            // What is called stands above.
            for (auto* call : own.calls)
                if (const Function* callee = find(call))
                    own.variables.merge(std::set(callee->variables));
        }
    }
    const std::vector<Function>& all() const { return functions_; }
    const Function* find(const clang::CallExpr* call) const {
        const auto* callee = call->getDirectCallee();
        const auto found = std::ranges::find_if(functions_, [&](const Function& f) {
            return callee && f.definition->getCanonicalDecl() == callee->getCanonicalDecl();
        });
        return found == functions_.end() ? nullptr : &*found;
    }

  private:
    std::vector<Function> functions_;
};

bool is_share(const clang::ParmVarDecl& p) {
    return p.getName() == "thread" || p.getName() == "threads";
}

class Passing {
  public:
    Passing(const Source& source, const std::vector<Variable>& variables,
            const std::vector<std::string>& steps, TextEdits& edits)
        : source_(source), variables_(variables), steps_(steps), edits_(edits) {}

    void add_parameters(const Function& f) {
        const auto parameters = f.definition->parameters();
        std::string text;
        for (auto& v : variables_)
            if (f.variables.contains(v.name))
                text += (text.empty() ? "" : ", ") + v.type + " __restrict__ " + v.name;
        if (std::ranges::count(steps_, f.definition->getNameAsString()) == 0) {
            // In front of the others, which may have default arguments.
            const unsigned begin = source_.end(f.definition->getFunctionTypeLoc().getLParenLoc());
            return insert(begin, text + (parameters.empty() ? "" : ", "));
        }
        const auto share = std::ranges::find_if(parameters, [](auto* p) { return is_share(*p); });
        if (share != parameters.end())
            return insert(source_.begin((*share)->getBeginLoc()), text + ", ");
        const unsigned end = source_.begin(f.definition->getFunctionTypeLoc().getRParenLoc());
        insert(end, (parameters.empty() ? "" : ", ") + text);
    }
    void add_arguments(const clang::CallExpr& call, const Function& callee) {
        std::string text;
        for (auto& v : variables_)
            if (callee.variables.contains(v.name)) text += (text.empty() ? "" : ", ") + v.name;
        // Behind the parenthesis, which follows the name.
        const unsigned name = source_.end(call.getCallee()->getEndLoc());
        const auto whole = source_.text(call.getBeginLoc());
        const auto begin = static_cast<unsigned>(whole.find('(', name)) + 1;
        const bool alone = skip_space(whole, begin) == source_.begin(call.getRParenLoc());
        insert(begin, text + (alone ? "" : ", "));
    }

  private:
    void insert(unsigned at, std::string text) { edits_.replace({at, at}, std::move(text)); }

    const Source& source_;
    const std::vector<Variable>& variables_;
    const std::vector<std::string>& steps_;
    TextEdits& edits_;
};

}  // namespace

std::string declarations(const std::vector<Variable>& variables) {
    std::string text;
    for (auto& v : variables) text += "extern " + v.type + " " + v.name + ";\n";
    return text;
}

std::string pass_variables(const std::string& text, const std::vector<Variable>& variables,
                           const std::vector<std::string>& steps, const FrontEndOptions& options) {
    const std::string head = declarations(variables);
    const std::string whole = head + text;
    Parsed parsed({{passed_file, whole}}, passed_file, options);
    if (parsed.failed())
        throw Error(ErrorCode::internal, "the specialised text is not legal C++: " +
                                             to_string(parsed.diagnostics()) + "\n" + whole);
    const Source source(parsed.context());
    const Functions functions(source, variables);
    TextEdits edits;
    Passing passing(source, variables, steps, edits);
    for (auto& f : functions.all()) {
        if (!f.variables.empty()) passing.add_parameters(f);
        for (auto* call : f.calls)
            if (const Function* callee = functions.find(call);
                callee != nullptr && !callee->variables.empty())
                passing.add_arguments(*call, *callee);
    }
    const auto size = static_cast<unsigned>(whole.size());
    return edits.apply(whole, {static_cast<unsigned>(head.size()), size});
}

}  // namespace spmvgen::specializer
