#include "specializer/syntax/tokens.hpp"

#include <algorithm>
#include <iterator>

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"

namespace spmvgen::specializer {
namespace {

/// Calls visit(token, range) for every token of the part; comments and white space are skipped.
template <typename Visit>
void scan(std::string_view text, Range range, Visit visit) {
    clang::LangOptions options;
    options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus17 = true;
    const std::string part(text.substr(range.begin, range.end - range.begin));
    clang::Lexer lexer(clang::SourceLocation(), options, part.data(), part.data(),
                       part.data() + part.size());
    clang::Token token;
    bool at_end = false;
    while (!at_end) {
        at_end = lexer.LexFromRawLexer(token);
        if (token.is(clang::tok::eof)) break;
        const unsigned end = static_cast<unsigned>(lexer.getBufferLocation() - part.data());
        visit(token, Range{range.begin + end - token.getLength(), range.begin + end});
    }
}

std::string_view trim(std::string_view s) {
    const auto first = s.find_first_not_of(" \t\r");
    if (first == s.npos) return "";
    return s.substr(first, s.find_last_not_of(" \t\r") - first + 1);
}

/// Ranges of the preprocessor lines, continued lines included.
std::vector<Range> directive_lines(std::string_view text, Range range) {
    std::vector<Range> lines;
    if (text.substr(range.begin, range.end - range.begin).find('#') == text.npos) return lines;
    scan(text, range, [&](const clang::Token& token, Range at) {
        if (!token.isAtStartOfLine() || token.isNot(clang::tok::hash)) return;
        std::size_t end = at.begin;
        do end = std::min(text.find('\n', end + 1), text.size());
        while (end < text.size() && text[end - 1] == '\\');
        lines.push_back({at.begin, static_cast<unsigned>(std::min<std::size_t>(end, range.end))});
    });
    return lines;
}

}  // namespace

std::vector<Word> identifiers(std::string_view text, Range range) {
    std::vector<Word> words;
    scan(text, range, [&](const clang::Token& token, Range at) {
        if (token.is(clang::tok::raw_identifier))
            words.push_back({std::string(text.substr(at.begin, at.end - at.begin)), at});
    });
    return words;
}

std::vector<Word> pragma_identifiers(std::string_view text, Range range) {
    std::vector<Word> words;
    for (auto& line : directive_lines(text, range)) {
        const auto found = identifiers(text, line);
        if (found.size() < 3 || found[0].text != "pragma") continue;
        // `omp simd CLAUSE(ARGUMENTS)`: the clauses' names are no names of the program.
        const auto argument = [&](const Word& w) {
            const auto before = text.substr(line.begin, w.range.begin - line.begin);
            return found[1].text == "GCC" ||
                   std::ranges::count(before, '(') > std::ranges::count(before, ')');
        };
        std::copy_if(found.begin() + 3, found.end(), std::back_inserter(words), argument);
    }
    return words;
}

std::vector<Directive> directives(std::string_view text) {
    std::vector<Directive> found;
    for (auto& line : directive_lines(text, {0, static_cast<unsigned>(text.size())})) {
        const auto body = trim(text.substr(line.begin + 1, line.end - line.begin - 1));
        const auto length = std::min(body.find_first_of(" \t\"<("), body.size());
        const auto number = std::ranges::count(text.substr(0, line.begin), '\n') + 1;
        found.push_back({std::string(body.substr(0, length)),
                         std::string(trim(body.substr(length))), static_cast<unsigned>(number)});
    }
    return found;
}

}  // namespace spmvgen::specializer
