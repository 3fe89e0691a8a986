#include "bench/table.hpp"

#include <fmt/format.h>

namespace spmvgen::cli {
namespace {

constexpr const char* layout = "{:<28} {:<4} {:<24} {:>10} {:<21} {:>6} {:>10} {:<21} {:>9} {:>8}";

struct Cells {
    std::string us, quartiles, gb_s;
};

Cells cells_of(const Json& row, const char* which) {
    if (!row.contains(which)) return {"-", "", ""};
    const Json& t = row[which];
    return {fmt::format("{:.2f}", t["us"].get<double>()),
            fmt::format("[{:.2f} {:.2f}]", t["low_us"].get<double>(), t["high_us"].get<double>()),
            t.contains("gb_s") ? fmt::format("{:.1f}", t["gb_s"].get<double>()) : ""};
}

std::string text_of(const Json& row, const char* field) {
    return row.value(field, std::string());
}

/// The case, with what the matrix's numbers are where they are not its own.
std::string name_of(const Json& row) {
    const std::string numbers = row.value("numbers", "own");
    return text_of(row, "case") + (numbers == "own" ? "" : " (" + numbers + ")");
}

}  // namespace

std::string bench_title() {
    return fmt::format(fmt::runtime(layout), "matrix", "", "case", "hot us", "[quartiles]", "GB/s",
                       "cold us", "[quartiles]", "convert ms", "plan ms") +
           "\n";
}

std::string bench_line(const Json& row) {
    const std::string head = fmt::format("{:<28} {:<4} {:<24} ", text_of(row, "matrix"),
                                         text_of(row, "value"), name_of(row));
    if (row.contains("wrong")) return head + "WRONG: " + text_of(row, "wrong") + "\n";
    if (row.contains("none")) return head + "none: " + text_of(row, "none") + "\n";
    const Cells hot = cells_of(row, "hot"), cold = cells_of(row, "cold");
    return fmt::format(fmt::runtime(layout), text_of(row, "matrix"), text_of(row, "value"),
                       name_of(row), hot.us, hot.quartiles, hot.gb_s, cold.us, cold.quartiles,
                       fmt::format("{:.2f}", row["convert_ms"].get<double>()),
                       fmt::format("{:.2f}", row["plan_ms"].get<double>())) +
           "\n";
}

}  // namespace spmvgen::cli
