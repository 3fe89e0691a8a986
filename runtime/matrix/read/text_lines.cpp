#include "matrix/read/text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "matrix/files/text_source.hpp"
#include "matrix/read/market_parser.hpp"
#include "matrix/read/number.hpp"
#include "matrix/sort_rows.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// Calls f(line, offset) for the lines of the text, line end included, until f returns false or no
/// whole line can be read any more. Whether the rest of the text could not be read.
template <typename F>
bool for_each_line(const InputFile& file, F&& f) {
    const auto source = open_text(file, block_bytes);
    TextBlock block;
    while (source->next(block)) {
        for (std::size_t at = 0; at < block.text.size();) {
            const std::size_t end = block.text.find('\n', at) + 1;
            const std::int64_t offset = block.offset + static_cast<std::int64_t>(at);
            if (!f(block.text.substr(at, end - at), offset)) return false;
            at = end;
        }
        if (block.trouble) return true;
    }
    return false;
}

}  // namespace

std::int64_t line_number(const InputFile& file, std::int64_t offset) {
    std::int64_t number = 0, end = 0;
    const bool damaged = for_each_line(file, [&](std::string_view line, std::int64_t start) {
        if (start > offset) return false;
        ++number;
        end = start + static_cast<std::int64_t>(line.size());
        return true;
    });
    if (damaged && offset >= end) ++number;
    return std::max<std::int64_t>(number, 1);
}

std::int64_t entry_offset(const InputFile& file, std::int64_t data_offset, std::int64_t ordinal) {
    std::int64_t found = INT64_MAX;
    for_each_line(file, [&](std::string_view line, std::int64_t start) {
        if (start < data_offset || entry_in_line(&line.front()) == nullptr || ordinal-- > 0)
            return true;
        found = start;
        return false;
    });
    return found;
}

TextError find_conflict(const InputFile& file, std::int64_t data_offset,
                        const MirrorConflict& conflict) {
    bool as_named = false, swapped = false;
    std::int64_t found = data_offset;
    for_each_line(file, [&](std::string_view line, std::int64_t start) {
        const char* p = entry_in_line(&line.front());
        if (start < data_offset || p == nullptr) return true;
        std::int64_t row = 0, col = 0;
        if (scan_index(p, row) != Scan::ok) return true;
        skip_blanks(p);
        if (scan_index(p, col) != Scan::ok) return true;
        as_named |= row - 1 == conflict.row && col - 1 == conflict.col;
        swapped |= col - 1 == conflict.row && row - 1 == conflict.col;
        found = start;
        return !(as_named && swapped);
    });
    return {found,
            fmt::format("entries ({0}, {1}) and ({1}, {0}) are both stored and do not mirror "
                        "each other, as the banner says they do",
                        conflict.row + 1, conflict.col + 1)};
}

Error located(const InputFile& file, const TextError& error) {
    return Error(
        ErrorCode::invalid_input,
        fmt::format("{}:{}: {}", file.path(), line_number(file, error.offset), error.what));
}

}  // namespace spmvgen
