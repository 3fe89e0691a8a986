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
    Parsed parsed(files, bindings_file, use.options);
    check_diagnostics(parsed);
    auto& context = parsed.unit().getASTContext();
    check_declarations(context);
    Entities entities(context);
    for (auto* step : instantiate(parsed, use.file, use.functions, use.bindings)) {
        check_step(*step);
        entities.add_step(step);
    }
    return entities.text();
}

}  // namespace

Specialized specialize(const TemplateUse& use) {
    check_directives(use.files, use.file);
    auto simplified = simplify(specialised_text(use), use.functions, use.options, use.helpers);
    return {leading_comment(use.files.at(use.file)), std::move(simplified.text),
            std::move(simplified.functions)};
}

}  // namespace spmvgen::specializer
