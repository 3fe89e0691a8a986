#include "specializer/instantiation.hpp"

#include <algorithm>

#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/Template.h"
#include "specializer/syntax/constants.hpp"
#include "specializer/syntax/source.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

[[noreturn]] void defect(const std::string& message) {
    throw Error(ErrorCode::internal, message);
}

template <typename Decl>
std::vector<Decl*> named(clang::DeclContext* scope, const std::string& name) {
    std::vector<Decl*> found;
    for (auto* d : scope->decls())
        if (auto* wanted = llvm::dyn_cast<Decl>(d))
            if (wanted->getNameAsString() == name) found.push_back(wanted);
    return found;
}

/// The bindings as Clang sees them.
class BoundArguments {
  public:
    BoundArguments(clang::ASTContext& context, const std::string& scope) : context_(context) {
        const auto scopes = named<clang::NamespaceDecl>(context.getTranslationUnitDecl(), scope);
        if (scopes.size() != 1) defect("the bindings were not read");
        scope_ = scopes.front();
    }

    /// Null argument when nothing of that name and kind is bound.
    clang::TemplateArgument argument(const clang::NamedDecl* parameter) const {
        const std::string name = parameter->getNameAsString();
        if (llvm::isa<clang::TemplateTypeParmDecl>(parameter)) {
            const auto types = named<clang::TypeAliasDecl>(scope_, name);
            return types.empty() ? clang::TemplateArgument()
                                 : clang::TemplateArgument(
                                       types.front()->getUnderlyingType().getCanonicalType());
        }
        const auto* p = llvm::dyn_cast<clang::NonTypeTemplateParmDecl>(parameter);
        const auto constants = named<clang::VarDecl>(scope_, name);
        if (!p || constants.empty()) return {};
        return value_argument(*constants.front(), p->getType().getCanonicalType());
    }

  private:
    clang::TemplateArgument value_argument(const clang::VarDecl& bound,
                                           clang::QualType type) const {
        const auto value = constant(bound.getInit(), context_);
        const bool same_enum =
            !type->isEnumeralType() || same_type(type, bound.getInit()->getType());
        if (!value || !type->isIntegralOrEnumerationType() || !same_enum)
            defect("binding '" + bound.getNameAsString() + "' does not fit its template parameter");
        llvm::APSInt converted = value->extOrTrunc(context_.getIntWidth(type));
        converted.setIsSigned(type->isSignedIntegerOrEnumerationType());
        return {context_, converted, type};
    }

    clang::ASTContext& context_;
    clang::DeclContext* scope_ = nullptr;
};

clang::FunctionTemplateDecl& find_template(clang::ASTContext& context, const std::string& file,
                                           const std::string& name) {
    const auto found = named<clang::FunctionTemplateDecl>(context.getTranslationUnitDecl(), name);
    if (found.empty()) defect("templates/" + file + " has no function template '" + name + "'");
    if (found.size() > 1)
        defect("templates/" + file + " has " + std::to_string(found.size()) +
               " function templates '" + name + "'");
    return *found.front();
}

clang::FunctionDecl* instantiate_one(clang::Sema& sema, clang::FunctionTemplateDecl& pattern,
                                     const std::vector<clang::TemplateArgument>& arguments) {
    const auto place = pattern.getLocation();
    auto* list = clang::TemplateArgumentList::CreateCopy(sema.Context, arguments);
    auto* function = sema.InstantiateFunctionDeclaration(&pattern, list, place);
    if (!function) return nullptr;
    function->setTemplateSpecializationKind(clang::TSK_ImplicitInstantiation, place);
    sema.InstantiateFunctionDefinition(place, function, /*Recursive=*/true,
                                       /*DefinitionRequired=*/true, /*AtEndOfTU=*/true);
    sema.PerformPendingInstantiations();
    return function;
}

}  // namespace

std::string bindings_text(const std::string& scope, const Bindings& bindings) {
    std::string text = "namespace " + scope + " {\n";
    for (auto& [name, spelling] : bindings.types)
        text += "using " + name + " = " + spelling + ";\n";
    for (auto& [name, spelling] : bindings.constants)
        text += "constexpr auto " + name + " = " + spelling + ";\n";
    return text + "}\n";
}

void check_diagnostics(const Parsed& parsed) {
    std::vector<Diagnostic> errors;
    std::ranges::copy_if(parsed.diagnostics(), std::back_inserter(errors), &Diagnostic::error);
    if (errors.empty()) return;
    const bool ours = std::ranges::all_of(
        errors, [](auto& d) { return d.file.empty() || d.file == bindings_file; });
    if (ours) defect("the bindings do not fit the template: " + to_string(errors));
    throw Error(ErrorCode::invalid_input, to_string(errors, "templates/"));
}

std::vector<clang::FunctionDecl*> instantiate(Parsed& parsed, const std::string& file,
                                              const std::vector<std::string>& functions,
                                              const Bindings& bindings, const std::string& scope) {
    auto& context = parsed.context();
    const Source source(context);
    const BoundArguments bound(context, scope);
    std::set<std::string> unused;
    for (auto& [name, spelling] : bindings.types) unused.insert(name);
    for (auto& [name, spelling] : bindings.constants) unused.insert(name);

    for (auto& name : bindings.optional) unused.erase(name);

    std::vector<clang::FunctionDecl*> result;
    for (auto& name : functions) {
        auto& pattern = find_template(context, file, name);
        std::vector<clang::TemplateArgument> arguments;
        for (auto* parameter : *pattern.getTemplateParameters()) {
            arguments.push_back(bound.argument(parameter));
            if (arguments.back().isNull())
                defect("templates/" + source.place(parameter->getLocation()) +
                       ": template parameter '" + parameter->getNameAsString() + "' of " + name +
                       " is bound by nothing: add it to the registry entry");
            unused.erase(parameter->getNameAsString());
        }
        result.push_back(instantiate_one(parsed.sema(), pattern, arguments));
        check_diagnostics(parsed);
        if (!result.back()) defect("templates/" + file + ": " + name + " cannot be instantiated");
    }
    if (!unused.empty())
        defect("templates/" + file + ": no function has a template parameter '" + *unused.begin() +
               "', which is bound");
    return result;
}

}  // namespace spmvgen::specializer
