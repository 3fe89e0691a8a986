#include "emission/comment_lines.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace spmvgen {
namespace {

/// Characters that a text of UTF-8 takes on a screen.
std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

std::string comment_lines(const std::string& first, const std::string& further,
                          const std::string& text) {
    constexpr std::size_t columns = 100;
    std::istringstream words(text);
    std::string result, line = first, word;
    bool begins = true;
    while (words >> word) {
        if (!begins && columns_of(line) + 1 + columns_of(word) > columns) {
            result += line + "\n";
            line = further;
            begins = true;
        }
        line += (begins ? "" : " ") + word;
        begins = false;
    }
    return result + line + "\n";
}

}  // namespace spmvgen
