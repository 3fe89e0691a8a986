#include "matrix/read/market_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "matrix/read/foreign_format.hpp"
#include "matrix/read/number.hpp"

namespace spmvgen {
namespace {

/// A line of the header, without its end, and where it starts.
struct Line {
    std::string_view text;
    std::int64_t offset = 0;
};

/// Takes the lines of a text one after the other.
class LineReader {
  public:
    explicit LineReader(TextSource& source) : source_(source) {}

    std::optional<Line> next() {
        while (position_ == block_.text.size()) {
            if (block_.trouble) throw *block_.trouble;
            if (!source_.next(block_)) return std::nullopt;
            position_ = 0;
        }
        const std::size_t end = block_.text.find('\n', position_);
        Line line{block_.text.substr(position_, end - position_), offset()};
        position_ = end + 1;
        if (line.text.ends_with('\r')) line.text.remove_suffix(1);
        return line;
    }
    /// Text that has been read but not taken.
    std::string_view ahead() const { return block_.text.substr(position_); }
    /// Where the next line starts.
    std::int64_t offset() const { return block_.offset + static_cast<std::int64_t>(position_); }
    void hand_back() { source_.resume_at(block_, offset()); }

  private:
    TextSource& source_;
    TextBlock block_;
    std::size_t position_ = 0;
};

std::vector<std::string_view> words(std::string_view line) {
    std::vector<std::string_view> result;
    std::size_t at = 0;
    while ((at = line.find_first_not_of(" \t", at)) != std::string_view::npos) {
        const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
        result.push_back(line.substr(at, end - at));
        at = end;
    }
    return result;
}

std::string lower(std::string_view word) {
    std::string result(word);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
    return result;
}

template <typename Enum>
struct Word {
    std::string_view word;
    Enum meaning;
};
constexpr std::array<Word<MarketLayout>, 2> layouts{
    {{"coordinate", MarketLayout::coordinate}, {"array", MarketLayout::array}}};
constexpr std::array<Word<MarketField>, 6> fields{{{"real", MarketField::real},
                                                   {"double", MarketField::real},
                                                   {"integer", MarketField::integer},
                                                   {"unsigned-integer", MarketField::integer},
                                                   {"complex", MarketField::complex},
                                                   {"pattern", MarketField::pattern}}};
constexpr std::array<Word<MarketSymmetry>, 4> symmetries{
    {{"general", MarketSymmetry::general},
     {"symmetric", MarketSymmetry::symmetric},
     {"skew-symmetric", MarketSymmetry::skew_symmetric},
     {"hermitian", MarketSymmetry::hermitian}}};

template <typename Enum, std::size_t n>
Enum meaning(const std::array<Word<Enum>, n>& known, const std::string& word, const char* what) {
    std::string list;
    for (const auto& k : known) {
        if (k.word == word) return k.meaning;
        list += (list.empty() ? "" : ", ") + std::string(k.word);
    }
    throw TextError{
        0, fmt::format("unknown {} {} in the banner: use one of {}", what, in_quotes(word), list)};
}

template <typename Enum, std::size_t n>
std::string word_of(const std::array<Word<Enum>, n>& known, Enum meaning) {
    for (const auto& k : known)
        if (k.meaning == meaning) return std::string(k.word);
    return "?";
}

void check_combination(const MarketHeader& h) {
    const bool pattern = h.field == MarketField::pattern;
    if (h.layout == MarketLayout::array && pattern)
        throw TextError{0, "'array pattern' is no Matrix Market format: an array has values"};
    if (h.symmetry == MarketSymmetry::hermitian && h.field != MarketField::complex)
        throw TextError{0, fmt::format("'{} hermitian' is no Matrix Market format: only complex "
                                       "matrices are hermitian",
                                       h.field_name)};
    if (h.symmetry == MarketSymmetry::skew_symmetric && pattern)
        throw TextError{0,
                        "'pattern skew-symmetric' is no Matrix Market format: a pattern has no "
                        "signs"};
}

MarketHeader parse_banner(const Line& line, std::string_view ahead) {
    constexpr std::string_view banner = "%%matrixmarket";
    const std::vector<std::string_view> all = words(line.text);
    const bool starts_right = lower(line.text.substr(0, banner.size())) == banner;
    if (!starts_right || lower(all[0]) != banner)
        throw TextError{0, explain_no_banner(line.text, ahead)};
    if (line.text.find('\r') != std::string_view::npos)
        throw TextError{0,
                        "lines end in a carriage return alone: convert the file to LF or CR LF "
                        "line ends"};
    if (all.size() != 5)
        throw TextError{0, fmt::format("the banner has {} words, not 5: %%MatrixMarket matrix "
                                       "LAYOUT FIELD SYMMETRY",
                                       all.size())};
    if (lower(all[1]) != "matrix")
        throw TextError{0, fmt::format("the banner announces the object {}: only 'matrix' is read",
                                       in_quotes(all[1]))};
    MarketHeader h;
    h.layout = meaning(layouts, lower(all[2]), "layout");
    h.field_name = lower(all[3]);
    h.field = meaning(fields, h.field_name, "field");
    h.symmetry = meaning(symmetries, lower(all[4]), "symmetry");
    check_combination(h);
    return h;
}

std::int64_t parse_size(const Line& line, std::string_view word, const char* what) {
    const std::string text = std::string(word) + '\n';
    const char* p = text.c_str();
    std::int64_t value = 0;
    const Scan status = scan_index(p, value);
    if (status == Scan::malformed)
        throw TextError{line.offset, fmt::format("the number of {} is {}, not a whole number", what,
                                                 in_quotes(word))};
    if (status == Scan::too_large)
        throw TextError{line.offset, fmt::format("the number of {} is {}, beyond 64 bits", what,
                                                 in_quotes(word))};
    if (value < 0)
        throw TextError{line.offset, fmt::format("the number of {} is {}, negative", what, value)};
    return value;
}

/// rows·cols, or entries of one triangle; throws when it overflows.
std::int64_t array_entries(const MarketHeader& h) {
    std::int64_t all = 0;
    if (__builtin_mul_overflow(h.rows, h.cols, &all))
        throw TextError{h.size_offset, fmt::format("an array of {} x {} has more than 2^63 entries",
                                                   h.rows, h.cols)};
    if (h.symmetry == MarketSymmetry::general) return all;
    if (h.symmetry == MarketSymmetry::skew_symmetric) return (all - h.rows) / 2;
    return (all - h.rows) / 2 + h.rows;
}

void parse_size_line(MarketHeader& h, const Line& line) {
    const std::vector<std::string_view> all = words(line.text);
    const bool coordinate = h.layout == MarketLayout::coordinate;
    const std::size_t wanted = coordinate ? 3 : 2;
    if (all.size() != wanted)
        throw TextError{line.offset,
                        fmt::format("the size line has {} words, not the {} of the {} layout ({})",
                                    all.size(), wanted, word_of(layouts, h.layout),
                                    coordinate ? "rows, columns, entries" : "rows, columns")};
    h.size_offset = line.offset;
    h.rows = parse_size(line, all[0], "rows");
    h.cols = parse_size(line, all[1], "columns");
    if (h.is_symmetric() && h.rows != h.cols)
        throw TextError{line.offset, fmt::format("a {} matrix must be square, not {} x {}",
                                                 word_of(symmetries, h.symmetry), h.rows, h.cols)};
    h.stored = coordinate ? parse_size(line, all[2], "entries") : array_entries(h);
    if (h.stored > 0 && (h.rows == 0 || h.cols == 0))
        throw TextError{line.offset, fmt::format("a matrix of {} x {} cannot have {} entries",
                                                 h.rows, h.cols, h.stored)};
}

}  // namespace

MarketHeader read_market_header(TextSource& source) {
    LineReader lines(source);
    std::optional<Line> line = lines.next();
    if (!line) throw TextError{0, "the file is empty"};
    MarketHeader header = parse_banner(*line, lines.ahead());
    while ((line = lines.next())) {
        if (line->text.find('\0') != std::string_view::npos)
            throw TextError{line->offset, "a NUL byte: this is not a text of numbers"};
        const std::size_t first = line->text.find_first_not_of(" \t");
        if (first == std::string_view::npos || line->text[first] == '%') continue;
        parse_size_line(header, *line);
        header.data_offset = lines.offset();
        lines.hand_back();
        return header;
    }
    throw TextError{lines.offset(), "the file ends before its size line"};
}

FileHeader describe(const MarketHeader& h) {
    return {"matrix market", word_of(layouts, h.layout), h.field_name,
            word_of(symmetries, h.symmetry), h.stored};
}

std::int64_t least_entry_bytes(const MarketHeader& h) {
    const std::int64_t indices = h.layout == MarketLayout::coordinate ? 4 : 0;
    switch (h.field) {
        case MarketField::pattern:
            return indices;
        case MarketField::complex:
            return indices + 4;
        default:
            return indices + 2;
    }
}

}  // namespace spmvgen
