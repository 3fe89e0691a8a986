#pragma once
#include <complex>
#include <cstdint>
#include <string>
#include <string_view>

#include "matrix/files/text_source.hpp"
#include "matrix/read/entry_list.hpp"
#include "matrix/read/market_header.hpp"

namespace spmvgen {

/// Which triangles hold entries off the diagonal.
struct Triangles {
    bool lower = false;
    bool upper = false;
};

/// The first byte of the line at `line` that is neither blank nor part of a comment or empty line;
/// null for comments and empty lines.
const char* entry_in_line(const char* line);

/// Parses blocks of data lines into an entry list. Indices become 0-based. Entries of an array get
/// their number within the block as row, and column 0; zeros are dropped.
template <typename Row, typename Col, typename Value>
class MarketParser {
  public:
    using List = EntryList<Row, Col, Value>;

    MarketParser(const MarketHeader& header, List& list) : h_(header), list_(list) {}

    /// Parses one block and records it in the list. Throws TextError at the first line that is
    /// wrong; the lines before are recorded then, too. The record stays valid until the next call.
    const BlockEntries& parse(const TextBlock& block);

    const Triangles& triangles() const { return triangles_; }

  private:
    using Entries = Segment<Row, Col, Value>;

    void parse_lines(std::string_view text, Entries& out, BlockEntries& record);
    void parse_entry(const char*& p, Entries& out);
    void parse_array_entry(const char*& p, Entries& out, std::int64_t number);
    std::int64_t parse_index(const char*& p, std::int64_t limit, const char* what) const;
    Value parse_value(const char*& p) const;
    double parse_number(const char*& p, const char* what) const;
    void check_diagonal(Value value) const;
    void finish_line(const char*& p) const;
    [[noreturn]] void fail(std::string what) const;
    [[noreturn]] void fail_missing(const char* what) const;

    const MarketHeader& h_;
    List& list_;
    Triangles triangles_;
    std::int64_t line_offset_ = 0;  ///< of the line being parsed
};

/// What is wrong with `value` on the diagonal of a matrix of this symmetry; "" when nothing is.
std::string_view diagonal_trouble(MarketSymmetry symmetry, std::complex<double> value);

extern template class MarketParser<std::int32_t, std::int32_t, double>;
extern template class MarketParser<std::int32_t, std::int32_t, std::complex<double>>;
extern template class MarketParser<std::int32_t, std::int32_t, NoValue>;
extern template class MarketParser<std::int32_t, std::int64_t, double>;
extern template class MarketParser<std::int32_t, std::int64_t, std::complex<double>>;
extern template class MarketParser<std::int32_t, std::int64_t, NoValue>;
extern template class MarketParser<std::int64_t, std::int32_t, double>;
extern template class MarketParser<std::int64_t, std::int32_t, std::complex<double>>;
extern template class MarketParser<std::int64_t, std::int32_t, NoValue>;
extern template class MarketParser<std::int64_t, std::int64_t, double>;
extern template class MarketParser<std::int64_t, std::int64_t, std::complex<double>>;
extern template class MarketParser<std::int64_t, std::int64_t, NoValue>;

}  // namespace spmvgen
