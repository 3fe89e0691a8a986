#include "specializer/specialize.hpp"

#include "clang/Frontend/ASTUnit.h"
#include "specializer/dialect_check.hpp"
#include "specializer/entities.hpp"

namespace spmvgen::specializer {
namespace {

/// The comment lines that a file begins with.
std::string leading_comment(const std::string& text) {
    std::size_t end = 0;
    while (text.compare(end, 2, "//") == 0) {
        const auto newline = text.find('\n', end);
        if (newline == text.npos) return text + "\n";
        end = newline + 1;
    }
    return text.substr(0, end);
}

std::string specialised_text(const TemplateUse& use) {
    Files files = use.files;
    files[bindings_file] = bindings_text(use.file, use.bindings);
    if (!use.callees_file.empty())
        files[bindings_file].insert(0, "#include \"" + use.callees_file + "\"\n");
    Parsed parsed(files, bindings_file, use.options);
    check_diagnostics(parsed);
    auto& context = parsed.unit().getASTContext();
    check_declarations(context, use.variables);
    Entities entities(context);
    std::vector<std::string> functions = use.callees;
    functions.insert(functions.end(), use.functions.begin(), use.functions.end());
    for (auto* step : instantiate(parsed, use.file, functions, use.bindings)) {
        check_step(*step);
        entities.add_step(step);
    }
    const std::string text = entities.text();
    return use.variables.empty() ? text
                                 : pass_variables(text, use.variables, use.functions, use.options);
}

}  // namespace

Specialized specialize(const TemplateUse& use) {
    check_directives(use.files, use.file);
    if (!use.callees_file.empty()) check_directives(use.files, use.callees_file);
    std::string text = specialised_text(use);
    std::vector<std::string> steps = use.functions;
    if (use.rewrite)
        for (auto& added : use.rewrite(text)) steps.push_back(added);
    auto simplified = simplify(text, steps, use.options, use.helpers);
    return {leading_comment(use.files.at(use.file)), std::move(simplified.text),
            std::move(simplified.functions)};
}

}  // namespace spmvgen::specializer
