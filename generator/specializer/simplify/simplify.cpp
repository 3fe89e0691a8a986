#include "specializer/simplify/simplify.hpp"

#include <memory>

#include "inlining/inline_helpers.hpp"
#include "specializer/simplify/cleaner.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

/// More rounds than any sane template needs.
constexpr int round_limit = 50;
const std::string file = "kernel.cpp";

/// Throws when the text is not legal C++.
std::unique_ptr<Parsed> read(const std::string& text, const FrontEndOptions& options) {
    auto parsed = std::make_unique<Parsed>(Files{{file, text}}, file, options);
    if (parsed->failed())
        throw Error(ErrorCode::internal, "the specialised text is not legal C++: " +
                                             to_string(parsed->diagnostics()) + "\n" + text);
    return parsed;
}

std::string edited(const std::string& text, const TextEdits& edits) {
    return edits.apply(text, {0, static_cast<unsigned>(text.size())});
}

/// A text that needs no further round. `parsed` is what was read of it, unless the last round has
/// changed it.
struct Cleaned {
    SimplifiedText simplified;
    std::unique_ptr<Parsed> parsed;
};

Cleaned cleaned(std::string text, const std::vector<std::string>& steps,
                const FrontEndOptions& options) {
    for (int round = 0; round < round_limit; ++round) {
        auto parsed = read(text, options);
        auto cleaning = clean(parsed->context(), text, steps);
        std::string changed = edited(text, cleaning.edits);
        if (changed == text)
            return {{std::move(text), std::move(cleaning.functions)}, std::move(parsed)};
        text = std::move(changed);
        if (cleaning.settled) return {{std::move(text), std::move(cleaning.functions)}, nullptr};
    }
    throw Error(ErrorCode::internal, "simplifying the specialised text does not end");
}

}  // namespace

SimplifiedText simplify(const std::string& text, const std::vector<std::string>& steps,
                        const FrontEndOptions& all_options, Helpers helpers) {
    const auto options = with_named_builtins(all_options, text);
    auto [simplified, parsed] = cleaned(text, steps, options);
    if (helpers == Helpers::stay) return simplified;
    if (!parsed) parsed = read(simplified.text, options);
    const auto edits = inline_helpers(parsed->context(), simplified.text, steps);
    return edits.empty() ? simplified
                         : cleaned(edited(simplified.text, edits), steps, options).simplified;
}

}  // namespace spmvgen::specializer
