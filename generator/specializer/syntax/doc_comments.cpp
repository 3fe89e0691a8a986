#include "specializer/syntax/doc_comments.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

namespace spmvgen::specializer {
namespace {

constexpr std::string_view mark = "///";
constexpr std::size_t columns = 100;

std::string quoted(const std::string& name) {
    return "`" + name + "`";
}

/// The comment's words, one blank between.
std::string words_of(const std::string& comment) {
    std::istringstream lines(comment);
    std::string text;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(std::min(line.find(mark) + mark.size(), line.size())));
        for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

/// As lines of at most 100 characters (of UTF-8), or "" for no text.
std::string as_comment(const std::string& text) {
    const auto width = [](std::string_view s) {
        return static_cast<std::size_t>(
            std::ranges::count_if(s, [](char c) { return (c & 0xc0) != 0x80; }));
    };
    std::istringstream words(text);
    std::string result, line;
    for (std::string word; words >> word;) {
        if (!line.empty() && width(line) + 1 + width(word) > columns) {
            result += line + "\n";
            line.clear();
        }
        line += (line.empty() ? std::string(mark) + " " : " ") + word;
    }
    return line.empty() ? "" : result + line + "\n";
}

/// A sentence ends with a full stop before a capital letter or a backtick.
std::vector<std::string> sentences_of(const std::string& text) {
    std::vector<std::string> sentences;
    std::size_t begin = 0;
    for (std::size_t at = text.find(". "); at != text.npos; at = text.find(". ", at + 1)) {
        const char next = text[at + 2];
        if (next != '`' && (next < 'A' || next > 'Z')) continue;
        sentences.push_back(text.substr(begin, at + 1 - begin));
        begin = at + 2;
    }
    sentences.push_back(text.substr(begin));
    return sentences;
}

}  // namespace

std::string with_values(const std::string& comment,
                        const std::map<std::string, std::string>& values) {
    std::string text = comment;
    for (auto& [name, value] : values)
        for (std::size_t at; (at = text.find(quoted(name))) != text.npos;)
            text.replace(at, name.size() + 2, value);
    return text == comment ? comment : as_comment(words_of(text));
}

std::string without_sentences_on(const std::string& comment, const std::set<std::string>& names) {
    const auto is_gone = [&](const std::string& sentence) {
        return std::ranges::any_of(
            names, [&](auto& name) { return sentence.find(quoted(name)) != sentence.npos; });
    };
    if (!is_gone(comment)) return comment;
    std::string text;
    for (auto& sentence : sentences_of(words_of(comment)))
        if (text.empty() || !is_gone(sentence)) text += (text.empty() ? "" : " ") + sentence;
    return as_comment(text);
}

}  // namespace spmvgen::specializer
