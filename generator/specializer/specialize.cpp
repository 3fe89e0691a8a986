#include "specializer/specialize.hpp"

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

std::string specialised_text(const TemplateUse& use, KeptTemplates& kept) {
    auto read = kept.take(use);
    Parsed& parsed = read->parsed();
    const std::string scope = read->bind(use.bindings);
    check_diagnostics(parsed);
    auto& context = parsed.context();
    if (!use.options.bodies_on_demand) check_declarations(context, use.variables);
    Entities entities(context);
    std::vector<std::string> functions = use.callees;
    functions.insert(functions.end(), use.functions.begin(), use.functions.end());
    const auto steps = instantiate(parsed, use.file, functions, use.bindings, scope);
    if (use.options.bodies_on_demand) check_declarations(context, use.variables);
    for (auto* step : steps) {
        check_step(*step);
        entities.add_step(step);
    }
    const std::string text = entities.text();
    kept.give_back(std::move(read));
    return use.variables.empty() ? text
                                 : pass_variables(text, use.variables, use.functions, use.options);
}

}  // namespace

Specialized specialize(const TemplateUse& use, KeptTemplates& kept) {
    std::string text = specialised_text(use, kept);
    std::vector<std::string> steps = use.functions;
    if (use.rewrite)
        for (auto& added : use.rewrite(text)) steps.push_back(added);
    auto simplified = simplify(text, steps, use.options, use.helpers);
    return {leading_comment(use.files.at(use.file)), std::move(simplified.text),
            std::move(simplified.functions)};
}

Specialized specialize(const TemplateUse& use) {
    KeptTemplates none;
    return specialize(use, none);
}

}  // namespace spmvgen::specializer
