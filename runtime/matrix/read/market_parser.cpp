#include "matrix/read/market_parser.hpp"

#include <fmt/format.h>

#include <cstring>

#include "matrix/read/foreign_format.hpp"
#include "matrix/read/number.hpp"

namespace spmvgen {
namespace {

std::string_view token_at(const char* p) {
    const char* end = p;
    while (!ends_token(end)) ++end;
    return {p, static_cast<std::size_t>(end - p)};
}

const char* next_line(const char* p, const char* end) {
    return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p))) + 1;
}

}  // namespace

const char* entry_in_line(const char* line) {
    skip_blanks(line);
    return *line == '%' || at_line_end(line) ? nullptr : line;
}

std::string_view diagonal_trouble(MarketSymmetry symmetry, std::complex<double> value) {
    if (symmetry == MarketSymmetry::skew_symmetric && value != 0.0)
        return "a nonzero entry on the diagonal of a skew-symmetric matrix";
    if (symmetry == MarketSymmetry::hermitian && value.imag() != 0.0)
        return "an imaginary part on the diagonal of a hermitian matrix, which is real";
    return {};
}

template <typename Row, typename Col, typename Value>
const BlockEntries& MarketParser<Row, Col, Value>::parse(const TextBlock& block) {
    line_offset_ = block.offset;
    const auto most = static_cast<std::int64_t>(block.text.size()) / least_entry_bytes(h_) + 1;
    Entries& out = list_.room_for(static_cast<std::size_t>(most));
    list_.blocks.push_back({block.index, block.offset, list_.segments.size() - 1, out.size, 0, 0});
    BlockEntries& record = list_.blocks.back();
    // Parsing looks for line ends only, so a NUL byte must not hide in a comment.
    const std::size_t nul = block.text.find('\0');
    if (nul == std::string_view::npos) {
        parse_lines(block.text, out, record);
        return record;
    }
    const std::size_t line_end = block.text.substr(0, nul).rfind('\n');
    const std::size_t good = line_end == std::string_view::npos ? 0 : line_end + 1;
    parse_lines(block.text.substr(0, good), out, record);
    line_offset_ = block.offset + static_cast<std::int64_t>(good);
    fail("a NUL byte: this is not a text of numbers");
}

template <typename Row, typename Col, typename Value>
void MarketParser<Row, Col, Value>::parse_lines(std::string_view text, Entries& out,
                                                BlockEntries& record) {
    const bool array = h_.layout == MarketLayout::array;
    const std::int64_t text_offset = line_offset_;
    const char* const end = text.data() + text.size();
    for (const char* line = text.data(); line < end;) {
        const char* p = entry_in_line(line);
        if (p == nullptr) {
            line = next_line(line, end);
            continue;
        }
        line_offset_ = text_offset + (line - text.data());
        if (array)
            parse_array_entry(p, out, record.count);
        else
            parse_entry(p, out);
        finish_line(p);
        line = p;
        ++record.count;
        record.kept = out.size - record.begin;
    }
}

template <typename Row, typename Col, typename Value>
void MarketParser<Row, Col, Value>::parse_entry(const char*& p, Entries& out) {
    const std::int64_t row = parse_index(p, h_.rows, "row") - 1;
    const std::int64_t col = parse_index(p, h_.cols, "column") - 1;
    if constexpr (Entries::has_values) {
        const Value value = parse_value(p);
        if (row == col) check_diagonal(value);
        out.values[out.size] = value;
    }
    triangles_.lower |= row > col;
    triangles_.upper |= row < col;
    out.rows[out.size] = static_cast<Row>(row);
    out.cols[out.size] = static_cast<Col>(col);
    ++out.size;
}

template <typename Row, typename Col, typename Value>
void MarketParser<Row, Col, Value>::parse_array_entry(const char*& p, Entries& out,
                                                      std::int64_t number) {
    if constexpr (Entries::has_values) {
        const Value value = parse_value(p);
        if (value == Value(0)) return;
        out.values[out.size] = value;
        out.rows[out.size] = static_cast<Row>(number);
        out.cols[out.size] = 0;
        ++out.size;
    }
}

template <typename Row, typename Col, typename Value>
std::int64_t MarketParser<Row, Col, Value>::parse_index(const char*& p, std::int64_t limit,
                                                        const char* what) const {
    skip_blanks(p);
    std::int64_t index = 0;
    const Scan status = scan_index(p, index);
    if (status == Scan::ok && index >= 1 && index <= limit) return index;
    if (at_line_end(p) && status == Scan::malformed) fail_missing(what);
    if (status == Scan::malformed)
        fail(fmt::format("the {} index is {}, not a whole number", what, in_quotes(token_at(p))));
    if (status == Scan::ok && index == 0)
        fail(fmt::format("{} index 0 is outside 1…{}: indices start at 1", what, limit));
    const std::string text =
        status == Scan::ok ? std::to_string(index) : std::string(token_at(p).substr(0, 40));
    fail(fmt::format("{} index {} is outside 1…{}", what, text, limit));
}

template <typename Row, typename Col, typename Value>
Value MarketParser<Row, Col, Value>::parse_value(const char*& p) const {
    if constexpr (std::is_same_v<Value, std::complex<double>>) {
        const double re = parse_number(p, "real part");
        return {re, parse_number(p, "imaginary part")};
    } else if constexpr (Entries::has_values) {
        return parse_number(p, "value");
    } else {
        return {};
    }
}

template <typename Row, typename Col, typename Value>
double MarketParser<Row, Col, Value>::parse_number(const char*& p, const char* what) const {
    skip_blanks(p);
    const bool integer = h_.field == MarketField::integer;
    double value = 0;
    const Scan status = integer ? scan_integer(p, value) : scan_real(p, value);
    if (status == Scan::ok) return value;
    if (at_line_end(p)) fail_missing(what);
    if (status == Scan::too_large)
        fail(fmt::format("the {} {} is beyond the range of double", what, in_quotes(token_at(p))));
    fail(fmt::format("the {} is {}, not {}", what, in_quotes(token_at(p)),
                     integer ? "an integer" : "a number"));
}

template <typename Row, typename Col, typename Value>
void MarketParser<Row, Col, Value>::check_diagonal(Value value) const {
    if constexpr (Entries::has_values) {
        if (h_.symmetry == MarketSymmetry::general || h_.symmetry == MarketSymmetry::symmetric)
            return;
        const std::string_view trouble = diagonal_trouble(h_.symmetry, value);
        if (!trouble.empty()) fail(std::string(trouble));
    }
}

template <typename Row, typename Col, typename Value>
void MarketParser<Row, Col, Value>::finish_line(const char*& p) const {
    skip_blanks(p);
    if (at_line_end(p)) {
        p += *p == '\r' ? 2 : 1;
        return;
    }
    const std::string extra = in_quotes(token_at(p));
    if (h_.field == MarketField::pattern)
        fail(fmt::format("{} after row and column: a pattern matrix has no values", extra));
    if (h_.layout == MarketLayout::array)
        fail(fmt::format("{} after the value: an array has one entry on a line", extra));
    fail(fmt::format("{} after the entry", extra));
}

template <typename Row, typename Col, typename Value>
void MarketParser<Row, Col, Value>::fail(std::string what) const {
    throw TextError{line_offset_, std::move(what)};
}

template <typename Row, typename Col, typename Value>
void MarketParser<Row, Col, Value>::fail_missing(const char* what) const {
    fail(fmt::format("the line ends before the {}",
                     what == std::string_view("row") || what == std::string_view("column")
                         ? std::string(what) + " index"
                         : std::string(what)));
}

template class MarketParser<std::int32_t, std::int32_t, double>;
template class MarketParser<std::int32_t, std::int32_t, std::complex<double>>;
template class MarketParser<std::int32_t, std::int32_t, NoValue>;
template class MarketParser<std::int32_t, std::int64_t, double>;
template class MarketParser<std::int32_t, std::int64_t, std::complex<double>>;
template class MarketParser<std::int32_t, std::int64_t, NoValue>;
template class MarketParser<std::int64_t, std::int32_t, double>;
template class MarketParser<std::int64_t, std::int32_t, std::complex<double>>;
template class MarketParser<std::int64_t, std::int32_t, NoValue>;
template class MarketParser<std::int64_t, std::int64_t, double>;
template class MarketParser<std::int64_t, std::int64_t, std::complex<double>>;
template class MarketParser<std::int64_t, std::int64_t, NoValue>;

}  // namespace spmvgen
