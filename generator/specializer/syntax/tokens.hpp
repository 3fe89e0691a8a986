#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "specializer/syntax/text_edits.hpp"

namespace spmvgen::specializer {

/// A word of a text: identifier or keyword, never inside a comment or a string.
struct Word {
    std::string text;
    Range range;
};

/// The words in a part of the text, in order.
std::vector<Word> identifiers(std::string_view text, Range range);

/// The words in a part of the text that are arguments of pragmas: N of `#pragma GCC unroll N`.
std::vector<Word> pragma_identifiers(std::string_view text, Range range);

/// One preprocessor line.
struct Directive {
    std::string name;      ///< "include", "pragma", "define", …
    std::string argument;  ///< the rest, trimmed
    unsigned line;         ///< from 1
};

std::vector<Directive> directives(std::string_view text);

}  // namespace spmvgen::specializer
