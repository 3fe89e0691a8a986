#pragma once
#include <cstdint>
#include <string>

#include "matrix/files/text_source.hpp"
#include "matrix/read/reader.hpp"

namespace spmvgen {

enum class MarketLayout { coordinate, array };
enum class MarketField { real, integer, complex, pattern };
enum class MarketSymmetry { general, symmetric, skew_symmetric, hermitian };

/// The banner and the size line of a Matrix Market text.
struct MarketHeader {
    MarketLayout layout = MarketLayout::coordinate;
    MarketField field = MarketField::real;
    MarketSymmetry symmetry = MarketSymmetry::general;
    std::string field_name;  ///< as written, in lower case: "double" is read as real
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t stored = 0;       ///< entries in the text
    std::int64_t size_offset = 0;  ///< where the size line starts
    std::int64_t data_offset = 0;  ///< where the line after it starts

    bool is_symmetric() const { return symmetry != MarketSymmetry::general; }
};

/// Reads banner, comments and size line, checks what the two lines alone can tell, and leaves
/// `source` at the line after. Throws TextError.
MarketHeader read_market_header(TextSource& source);

/// The words of the banner and the count, as callers see them.
FileHeader describe(const MarketHeader& header);

/// The fewest bytes that one entry takes, with its line end.
std::int64_t least_entry_bytes(const MarketHeader& header);

}  // namespace spmvgen
