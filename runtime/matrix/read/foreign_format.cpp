#include "matrix/read/foreign_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace spmvgen {
namespace {

struct Magic {
    std::string_view bytes;
    std::string_view name;
};
constexpr std::array<Magic, 10> magics{
    {{"BZh", "bzip2 data"},
     {"\xfd"
      "7zXZ",
      "xz data"},
     {"\x28\xb5\x2f\xfd", "zstd data"},
     {"PK\x03\x04", "a zip archive"},
     {"\x89HDF", "an HDF5 file"},
     {"MATLAB 5.0 MAT-file", "a MATLAB file"},
     {"\x89SPMVCSR", "a CSR binary file that was compressed"},
     {"\xef\xbb\xbf%%MatrixMarket", "Matrix Market after a byte-order mark"},
     {"\xff\xfe%", "UTF-16 text"},
     {"\x7f"
      "ELF",
      "a program"}}};

bool only_numbers(std::string_view line) {
    const bool digits = line.find_first_of("0123456789") != std::string_view::npos;
    return digits && line.find_first_not_of("0123456789+-.eE \t\r") == std::string_view::npos;
}

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

/// Harwell-Boeing and Rutherford-Boeing: title; counts; a three-letter type and sizes.
bool looks_like_boeing(std::string_view ahead) {
    const std::string_view counts = take_line(ahead);
    const std::string_view type = take_line(ahead);
    const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    return only_numbers(counts) && type.size() > 4 && letter(type[0]) && letter(type[1]) &&
           letter(type[2]) && type[3] == ' ' && only_numbers(type.substr(3));
}

}  // namespace

std::string in_quotes(std::string_view text) {
    constexpr std::size_t longest = 40;
    std::string result = "'";
    for (const char c : text.substr(0, longest)) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte >= 0x7f)
            result += fmt::format("\\x{:02x}", byte);
        else
            result += c;
    }
    return result + (text.size() > longest ? "…'" : "'");
}

std::string explain_no_banner(std::string_view first, std::string_view ahead) {
    const std::string rule =
        "the file must start with '%%MatrixMarket matrix LAYOUT FIELD SYMMETRY'";
    for (const Magic& magic : magics)
        if (first.starts_with(magic.bytes))
            return fmt::format("this looks like {}: {}", magic.name, rule);
    if (looks_like_boeing(ahead))
        return "this looks like a Harwell-Boeing or Rutherford-Boeing file: convert it to Matrix "
               "Market";
    if (only_numbers(first)) return "no Matrix Market banner, the numbers start at once: " + rule;
    const std::size_t text = first.find_first_not_of(" \t\r");
    if (text == std::string_view::npos) return "the first line is empty: " + rule;
    if (text > 0 && first[text] == '%')
        return "the banner is indented: " + rule + " in the first column";
    return fmt::format("no Matrix Market banner but {}: {}", in_quotes(first), rule);
}

}  // namespace spmvgen
