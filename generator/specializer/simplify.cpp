#include "specializer/simplify.hpp"

#include "clang/Frontend/ASTUnit.h"
#include "specializer/cleaner.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::specializer {
namespace {

/// More rounds than any sane template needs.
constexpr int round_limit = 50;

}  // namespace

SimplifiedText simplify(std::string text, const std::vector<std::string>& steps,
                        const FrontEndOptions& options) {
    const std::string file = "kernel.cpp";
    for (int round = 0; round < round_limit; ++round) {
        Parsed parsed({{file, text}}, file, options);
        if (parsed.failed())
            throw Error(ErrorCode::internal, "the specialised text is not legal C++: " +
                                                 to_string(parsed.diagnostics()) + "\n" + text);
        auto cleaning = clean(parsed.unit().getASTContext(), text, steps);
        if (!cleaning.edits.empty())
            text = cleaning.edits.apply(text, {0, static_cast<unsigned>(text.size())});
        if (cleaning.edits.empty() || cleaning.settled)
            return {std::move(text), std::move(cleaning.functions)};
    }
    throw Error(ErrorCode::internal, "simplifying the specialised text does not end");
}

}  // namespace spmvgen::specializer
