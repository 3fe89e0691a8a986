// The readable sheet of a matrix's features.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "matrix/features/features.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t page_width = 80, label_width = 12;

/// 1234567 → "1,234,567".
std::string grouped(std::int64_t number) {
    std::string text = std::to_string(number);
    const std::size_t sign = number < 0;
    for (std::size_t end = text.size(); end > sign + 3;) text.insert(end -= 3, ",");
    return text;
}

/// Two decimals for small numbers, none for large ones.
std::string decimal(double number) {
    if (number >= 1e12) return fmt::format("{:.3g}", number);
    return number >= 1000 ? grouped(std::llround(number)) : fmt::format("{:.2f}", number);
}

/// A share in percent; 100 % and 0 % are said of all and none only.
std::string percent(double share) {
    if (share == 0 || share == 1) return share == 0 ? "0 %" : "100 %";
    return fmt::format("{:.1f} %", std::clamp(100 * share, 0.1, 99.9));
}

/// Characters on the screen of UTF-8 text.
std::size_t width(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

/// "label   item, item, …" with line breaks between items where the page ends.
std::string paragraph(const std::string& label, const std::vector<std::string>& items) {
    std::string text = fmt::format("{:<{}}", label, label_width);
    std::size_t used = label_width;
    for (std::size_t k = 0; k < items.size(); ++k) {
        const std::string item = items[k] + (k + 1 < items.size() ? "," : "");
        if (used > label_width && used + 1 + width(item) > page_width) {
            text += '\n' + std::string(label_width, ' ');
            used = label_width;
        }
        text += (used > label_width ? " " : "") + item;
        used += width(item) + (used > label_width ? 1 : 0);
    }
    return text + '\n';
}

/// A bar of eighths of a character; never empty for a share above 0.
std::string bar(double share, int characters) {
    static constexpr const char* eighths[]{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    int units = static_cast<int>(std::lround(share * characters * 8));
    if (share > 0) units = std::max(units, 1);
    std::string text;
    for (; units >= 8; units -= 8) text += "█";
    return text + eighths[units];
}

std::string length_class(const Features& f, std::size_t c) {
    if (c == 0) return "0";
    const std::int64_t low = std::max(std::int64_t{1} << (c - 1), f.min_row);
    if (c + 1 == f.row_histogram.size()) return grouped(low) + " and up";
    const std::int64_t high = std::min((std::int64_t{1} << c) - 1, f.max_row);
    return low >= high ? grouped(high) : grouped(low) + " – " + grouped(high);
}

std::string histogram(const Features& f) {
    std::size_t first = f.row_histogram.size(), last = 0, label = 0, number = 0;
    std::int64_t most = 0;
    for (std::size_t c = 0; c < f.row_histogram.size(); ++c) {
        if (f.row_histogram[c] == 0) continue;
        first = std::min(first, c);
        last = c;
        most = std::max(most, f.row_histogram[c]);
        label = std::max(label, width(length_class(f, c)));
        number = std::max(number, grouped(f.row_histogram[c]).size());
    }
    const std::size_t before_bar = label_width + label + 2 + number + 7;
    const int bar_width =
        before_bar + 24 <= page_width ? 24 : static_cast<int>(page_width - before_bar);
    std::string text;
    for (std::size_t c = first; c <= last; ++c) {
        const std::int64_t rows = f.row_histogram[c];
        if (rows == 0) {  // one line for a gap, however wide
            if (f.row_histogram[c - 1] > 0)
                text += fmt::format("{:>{}}\n", "⋮", label_width + label);
            continue;
        }
        const std::string name = length_class(f, c);
        text += fmt::format("{:>{}}{}  {:>{}} {}  {}\n", "", label_width + label - width(name),
                            name, grouped(rows), number, rows == 1 ? "row " : "rows",
                            bar(static_cast<double>(rows) / static_cast<double>(most), bar_width));
    }
    return text;
}

/// What is worth knowing about the rows' lengths.
void remark_rows(const Features& f, std::vector<std::string>& remarks) {
    if (f.min_row == f.max_row)
        remarks.push_back(fmt::format("every row has {} {}", grouped(f.max_row),
                                      f.max_row == 1 ? "entry" : "entries"));
    else if (f.mean_row < 4)
        remarks.push_back("very short rows");
    if (f.empty_rows > 0)
        remarks.push_back(percent(static_cast<double>(f.empty_rows) / static_cast<double>(f.rows)) +
                          " of the rows are empty");
    const double longest = static_cast<double>(f.max_row);
    if (longest < 64 || longest < 16 * f.mean_row) return;
    std::int64_t count =
        0;  // rows of the longest row's class and of all that are far from the mean
    for (std::size_t c = f.row_histogram.size(); c-- > 1;)
        if (count == 0 || std::ldexp(1.0, static_cast<int>(c) - 1) >= 16 * f.mean_row)
            count += f.row_histogram[c];
    remarks.push_back(count > 1                                      ? grouped(count) + " long rows"
                      : longest >= 0.5 * static_cast<double>(f.cols) ? "one dense row"
                                                                     : "one long row");
}

void remark_columns(const Features& f, std::vector<std::string>& remarks) {
    const double mean = static_cast<double>(f.nnz) / static_cast<double>(f.cols);
    const double longest = static_cast<double>(f.max_col);
    if (longest >= 64 && longest >= 16 * mean && f.max_col >= f.rows - f.max_col)
        remarks.push_back("a dense column");
    if (f.cols >= 100 && f.top_cols_share >= 0.2)
        remarks.push_back("1 % of the columns hold " + percent(f.top_cols_share) +
                          " of the entries");
}

void remark_places(const Features& f, std::vector<std::string>& remarks) {
    if (f.bandwidth <= 1 && f.rows == f.cols && f.rows > 1)
        remarks.push_back(f.bandwidth == 0 ? "diagonal" : "tridiagonal");
    else if (f.pattern_symmetry == 1)
        remarks.push_back(f.value_symmetry == 1 ? "symmetric" : "symmetric pattern");
    static constexpr int sizes[]{2, 3, 4, 8};
    for (std::size_t b = 4; b-- > 0;) {  // the largest that is nearly full
        if (f.block_fill[b] > 1.1) continue;
        remarks.push_back(fmt::format("dense {0}×{0} blocks", sizes[b]));
        break;
    }
    if (f.delta_share[0] >= 0.9 && f.max_row > 1 && f.bandwidth > 1)
        remarks.push_back("runs of consecutive columns");
    if (!f.sorted) remarks.push_back("rows are not sorted by column");
    if (f.duplicates) remarks.push_back("some places are stored more than once");
}

void remark_values(const Features& f, std::vector<std::string>& remarks) {
    if (f.all_equal)
        remarks.push_back("all values equal");
    else if (f.distinct_values <= 256)
        remarks.push_back(grouped(f.distinct_values) + " different values");
    const bool wide = f.value_type == ValueType::f64 || f.value_type == ValueType::c64;
    const char* const narrowest = f.exact_int8          ? "int8"
                                  : f.exact_bf16        ? "bf16"
                                  : f.exact_f16         ? "f16"
                                  : f.exact_f32 && wide ? "f32"
                                                        : nullptr;
    if (narrowest != nullptr) remarks.push_back(fmt::format("values exact in {}", narrowest));
    if (f.explicit_zeros > 0)
        remarks.push_back(grouped(f.explicit_zeros) +
                          (f.explicit_zeros == 1 ? " stored zero" : " stored zeros"));
    if (f.non_finite > 0)
        remarks.push_back(grouped(f.non_finite) + (f.non_finite == 1 ? " value" : " values") +
                          " not finite");
}

std::vector<std::string> remarks_of(const Features& f) {
    if (f.nnz == 0) return {"no entries"};
    std::vector<std::string> remarks;
    remark_rows(f, remarks);
    remark_columns(f, remarks);
    remark_places(f, remarks);
    remark_values(f, remarks);
    if (remarks.empty()) remarks.push_back("nothing");
    return remarks;
}

std::string three(const std::array<double, 3>& numbers) {
    return fmt::format("{} / {} / {}", decimal(numbers[0]), decimal(numbers[1]),
                       decimal(numbers[2]));
}

std::string values_line(const Features& f) {
    std::vector<std::string> items{f.distinct_values > 256
                                       ? "more than 256 different"
                                       : grouped(f.distinct_values) + " different"};
    std::string exact;
    for (const auto& [holds, name] : {std::pair{f.exact_f32, "f32"},
                                      {f.exact_f16, "f16"},
                                      {f.exact_bf16, "bf16"},
                                      {f.exact_int8, "int8"}})
        if (holds) exact += std::string(exact.empty() ? "exact in " : " ") + name;
    items.push_back(exact.empty() ? "exact in no narrower type" : exact);
    items.push_back(grouped(f.explicit_zeros) + " zero");
    items.push_back(grouped(f.non_finite) + " not finite");
    return paragraph("values", items);
}

}  // namespace

std::string sheet(const Features& f) {
    std::string text = paragraph("matrix", {grouped(f.rows) + " × " + grouped(f.cols),
                                            grouped(f.nnz) + " entries", to_string(f.value_type)});
    text += paragraph("stands out", remarks_of(f));
    text +=
        paragraph("rows", {decimal(f.mean_row) + " entries on average",
                           grouped(f.min_row) + " to " + grouped(f.max_row),
                           "variance " + decimal(f.variance_row), grouped(f.empty_rows) + " empty",
                           "50 % up to " + grouped(f.row_p50), "90 % up to " + grouped(f.row_p90),
                           "99 % up to " + grouped(f.row_p99)});
    text += histogram(f);
    text += paragraph("padding", {"SELL-8/16/32 " + three(f.sell_padding),
                                  "rows sorted " + three(f.sell_sorted_padding),
                                  "ELL " + decimal(f.ell_padding)});
    text += paragraph("columns",
                      {"up to " + grouped(f.max_col) + " entries", grouped(f.empty_cols) + " empty",
                       percent(f.top_cols_share) + " of the entries in the top 1 %"});
    text += paragraph("places", {"bandwidth " + grouped(f.bandwidth),
                                 decimal(f.mean_distance) + " from the diagonal on average",
                                 f.diagonal_full ? "diagonal full" : "diagonal not full"});
    text += paragraph(
        "steps", {"+1 " + percent(f.delta_share[0]), "in 8 bits " + percent(f.delta_share[1]),
                  "in 16 bits " + percent(f.delta_share[2]), f.sorted ? "sorted" : "not sorted",
                  f.duplicates ? "with duplicates" : "no duplicates"});
    text += paragraph("block fill",
                      {"2×2 " + decimal(f.block_fill[0]), "3×3 " + decimal(f.block_fill[1]),
                       "4×4 " + decimal(f.block_fill[2]), "8×8 " + decimal(f.block_fill[3])});
    text += paragraph("gathers", {"sectors of x an entry: " + decimal(f.run_sectors) + " in order",
                                  decimal(f.warp_sectors[0]) + " down 32 rows",
                                  "within 32/512/8192 rows " + three(f.window_sectors)});
    text += paragraph("symmetry", {"pattern " + percent(f.pattern_symmetry),
                                   "values " + percent(f.value_symmetry)});
    return text + values_line(f);
}

}  // namespace spmvgen
