#include "bench/table.hpp"

#include <fmt/format.h>

namespace spmvgen::cli {
namespace {

std::string head_of(const std::string& matrix, const std::string& value, const std::string& name) {
    return fmt::format("{:<28} {:<4} {:<30}", matrix, value, name);
}

std::string times_of(const std::string& us, const std::string& quartiles) {
    return fmt::format(" {:>10} {:<21}", us, quartiles);
}

std::string tail_of(const std::string& gb_s, const std::string& convert_ms,
                    const std::string& plan_ms) {
    return fmt::format(" {:>7} {:>10} {:>8}", gb_s, convert_ms, plan_ms);
}

std::string times_by(const Json& row, const char* clock) {
    if (!row.contains(clock)) return times_of("none", "");
    const Json& t = row[clock];
    return times_of(
        fmt::format("{:.2f}", t["us"].get<double>()),
        fmt::format("[{:.2f} {:.2f}]", t["low_us"].get<double>(), t["high_us"].get<double>()));
}

/// By the first clock that has it.
std::string bandwidth_of(const Json& row, const std::vector<Clock>& clocks) {
    for (const Clock clock : clocks)
        if (const Json times = row.value(clock_name(clock), Json::object()); times.contains("gb_s"))
            return fmt::format("{:.1f}", times["gb_s"].get<double>());
    return "";
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

std::string bench_title(const std::vector<Clock>& clocks) {
    std::string title = head_of("matrix", "", "case");
    for (const Clock clock : clocks)
        title += times_of(std::string(clock_name(clock)) + " us", "[quartiles]");
    return title + tail_of("GB/s", "convert ms", "plan ms") + "\n";
}

std::string bench_line(const Json& row, const std::vector<Clock>& clocks) {
    std::string line = head_of(text_of(row, "matrix"), text_of(row, "value"), name_of(row));
    if (row.contains("wrong")) return line + " WRONG: " + text_of(row, "wrong") + "\n";
    if (row.contains("none")) return line + " none: " + text_of(row, "none") + "\n";
    for (const Clock clock : clocks) line += times_by(row, clock_name(clock));
    line +=
        tail_of(bandwidth_of(row, clocks), fmt::format("{:.2f}", row["convert_ms"].get<double>()),
                fmt::format("{:.2f}", row["plan_ms"].get<double>()));
    if (row.contains("untimed"))
        for (auto& item : row["untimed"].items())
            line += " " + item.key() + ": " + item.value().get<std::string>();
    return line + "\n";
}

}  // namespace spmvgen::cli
