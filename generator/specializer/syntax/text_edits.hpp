#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spmvgen::specializer {

/// Half-open range of byte offsets in one text.
struct Range {
    unsigned begin = 0;
    unsigned end = 0;
    bool contains(const Range& r) const { return begin <= r.begin && r.end <= end; }
    bool operator==(const Range&) const = default;
};

/// Edits of one text. Edits inside a removed range vanish with it; removed ranges may overlap.
class TextEdits {
  public:
    /// False when the very same range already has another text (one text, two meanings).
    bool replace(Range range, std::string text);
    void remove(Range range) { replace(range, ""); }
    /// Removes all of `all` but `kept`, which lies inside it.
    void keep_only(Range all, Range kept);
    /// Removes the items of a list with commas that are not wanted, with commas that go.
    void keep_items(const std::vector<Range>& items, const std::vector<bool>& wanted);
    bool empty() const { return edits_.empty(); }
    /// The part `range` of `text` with the edits in it done.
    std::string apply(std::string_view text, Range range) const;

  private:
    /// By place, the widest of one place first.
    struct Outwards {
        bool operator()(const Range& a, const Range& b) const {
            return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
        }
    };
    std::map<Range, std::string, Outwards> edits_;
};

/// The range widened over the comment lines right above it, over a comment behind it on its last
/// line, and over the line break when nothing else is on these lines.
Range with_comments(std::string_view text, Range range);

/// The range widened over its lines when nothing else is on them, else over the white space behind
/// it up to the line break.
Range with_line(std::string_view text, Range range);

/// The comment lines right above `offset`, or "".
std::string comment_above(std::string_view text, unsigned offset);

/// Offset of the first character that is not white space.
unsigned skip_space(std::string_view text, unsigned offset);

/// The range widened over a ';' that follows.
Range with_semicolon(std::string_view text, Range range);

/// The range widened over the #pragma lines right above it.
Range with_pragmas(std::string_view text, Range range);

}  // namespace spmvgen::specializer
