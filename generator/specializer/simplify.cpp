#include "specializer/simplify.hpp"

#include <algorithm>

#include "clang/AST/ASTContext.h"
#include "clang/Frontend/ASTUnit.h"
#include "specializer/cleaner.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

/// More rounds than any sane template needs.
constexpr int round_limit = 50;

std::string type_text(clang::QualType type, const clang::ASTContext& context) {
    clang::PrintingPolicy policy(context.getLangOpts());
    policy.SuppressTagKeyword = true;
    type.removeLocalRestrict();
    std::string text = type.getUnqualifiedType().getAsString(policy);
    if (const auto star = text.find(" *"); star != text.npos) text.erase(star, 1);
    return text;
}

FunctionSignature signature(const clang::FunctionDecl& function) {
    FunctionSignature result{function.getNameAsString(), {}};
    for (auto* p : function.parameters())
        result.parameters.push_back(
            {type_text(p->getType(), function.getASTContext()), p->getNameAsString()});
    return result;
}

std::vector<FunctionSignature> signatures(clang::ASTContext& context,
                                          const std::vector<std::string>& steps) {
    std::vector<FunctionSignature> result;
    for (auto& name : steps)
        for (auto* d : context.getTranslationUnitDecl()->decls())
            if (auto* f = llvm::dyn_cast<clang::FunctionDecl>(d); f && f->getNameAsString() == name)
                result.push_back(signature(*f));
    return result;
}

}  // namespace

SimplifiedText simplify(std::string text, const std::vector<std::string>& steps,
                        const FrontEndOptions& options) {
    const std::string file = "kernel.cpp";
    for (int round = 0; round < round_limit; ++round) {
        Parsed parsed({{file, text}}, file, options);
        if (parsed.failed())
            throw Error(ErrorCode::internal, "the specialised text is not legal C++: " +
                                                 to_string(parsed.diagnostics()) + "\n" + text);
        auto& context = parsed.unit().getASTContext();
        const TextEdits edits = cleaning_edits(context, text, steps);
        if (edits.empty()) return {std::move(text), signatures(context, steps)};
        text = edits.apply(text, {0, static_cast<unsigned>(text.size())});
    }
    throw Error(ErrorCode::internal, "simplifying the specialised text does not end");
}

}  // namespace spmvgen::specializer
