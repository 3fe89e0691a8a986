#include "specializer/syntax/text_edits.hpp"

#include <algorithm>
#include <cstddef>

namespace spmvgen::specializer {
namespace {

unsigned line_start(std::string_view text, unsigned offset) {
    if (offset == 0) return 0;
    const auto newline = text.rfind('\n', offset - 1);
    return newline == text.npos ? 0 : static_cast<unsigned>(newline) + 1;
}

std::string_view trimmed(std::string_view line) {
    const auto begin = line.find_first_not_of(" \t");
    return begin == line.npos ? "" : line.substr(begin);
}

/// Start of the run of lines that begin with `prefix` and end right before the line of `offset`.
unsigned lines_above(std::string_view text, unsigned offset, std::string_view prefix) {
    unsigned start = line_start(text, offset);
    while (start > 0) {
        const unsigned above = line_start(text, start - 1);
        if (!trimmed(text.substr(above, start - above)).starts_with(prefix)) break;
        start = above;
    }
    return start;
}

bool only_space(std::string_view text, unsigned begin, unsigned end) {
    return text.substr(begin, end - begin).find_first_not_of(" \t") == text.npos;
}

}  // namespace

bool TextEdits::replace(Range range, std::string text) {
    const auto [edit, added] = edits_.try_emplace(range, std::move(text));
    return added || edit->second == text;
}

void TextEdits::keep_only(Range all, Range kept) {
    if (all.begin < kept.begin) remove({all.begin, kept.begin});
    if (kept.end < all.end) remove({kept.end, all.end});
}

void TextEdits::keep_items(const std::vector<Range>& items, const std::vector<bool>& wanted) {
    std::size_t kept = 0;  // wanted items so far
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (wanted[i]) {
            ++kept;
            continue;
        }
        std::size_t next = i;
        while (next < items.size() && !wanted[next]) ++next;
        if (next < items.size())
            remove({items[i].begin, items[next].begin});
        else
            remove({kept > 0 ? items[i - 1].end : items[i].begin, items.back().end});
        i = next - 1;
    }
}

std::string TextEdits::apply(std::string_view text, Range range) const {
    std::string result;
    unsigned position = range.begin;
    for (auto e = edits_.lower_bound(range); e != edits_.end() && e->first.begin <= range.end;
         ++e) {
        const auto& [edited, replacement] = *e;
        if (!range.contains(edited)) continue;
        if (edited.begin < position) {
            if (replacement.empty()) position = std::max(position, edited.end);
            continue;
        }
        result += text.substr(position, edited.begin - position);
        result += replacement;
        position = edited.end;
    }
    return result += text.substr(position, range.end - position);
}

Range with_comments(std::string_view text, Range range) {
    const unsigned size = static_cast<unsigned>(text.size());
    unsigned end = range.end;
    while (end < size && (text[end] == ' ' || text[end] == '\t')) ++end;
    if (text.substr(end).starts_with("//"))
        end = static_cast<unsigned>(std::min<std::size_t>(text.find('\n', end), size));
    if (end < size && text[end] != '\n') return range;
    const unsigned start = line_start(text, range.begin);
    if (!only_space(text, start, range.begin)) return {range.begin, end};
    return {lines_above(text, start, "//"), std::min(end + 1, size)};
}

Range with_line(std::string_view text, Range range) {
    const unsigned size = static_cast<unsigned>(text.size());
    unsigned end = range.end;
    while (end < size && (text[end] == ' ' || text[end] == '\t')) ++end;
    if (end == size || text[end] != '\n') return range;
    const unsigned start = line_start(text, range.begin);
    return {only_space(text, start, range.begin) ? start : range.begin, end + 1};
}

std::string comment_above(std::string_view text, unsigned offset) {
    const unsigned start = line_start(text, offset);
    const unsigned above = lines_above(text, start, "//");
    return std::string(text.substr(above, start - above));
}

unsigned skip_space(std::string_view text, unsigned offset) {
    const auto next = text.find_first_not_of(" \t\r\n", offset);
    return static_cast<unsigned>(next == text.npos ? text.size() : next);
}

Range with_semicolon(std::string_view text, Range range) {
    const unsigned next = skip_space(text, range.end);
    return {range.begin, next < text.size() && text[next] == ';' ? next + 1 : range.end};
}

Range with_pragmas(std::string_view text, Range range) {
    const unsigned start = line_start(text, range.begin);
    if (!only_space(text, start, range.begin)) return range;
    const unsigned above = lines_above(text, start, "#pragma");
    return above < start ? Range{above, range.end} : range;
}

}  // namespace spmvgen::specializer
