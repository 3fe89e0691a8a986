#include "text/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace spmvgen::cli {

std::string in_digits(double value) {
    const double size = std::abs(value);
    if (size == 0) return "0";
    if (size < 0.0995) return fmt::format("{:.2g}", value);
    return fmt::format("{:.{}f}", value, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

std::string in_bytes(double bytes) {
    constexpr std::array units{"bytes", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    for (; unit + 1 < units.size() && bytes >= 999.5; ++unit) bytes /= 1000;
    return (unit == 0 ? fmt::format("{:.0f}", bytes) : in_digits(bytes)) + " " + units[unit];
}

std::string in_seconds(double s) {
    if (s < 0.9995e-6) return in_digits(1e9 * s) + " ns";
    if (s < 0.9995e-3) return in_digits(1e6 * s) + " us";
    if (s < 0.9995) return in_digits(1e3 * s) + " ms";
    return in_digits(s) + " s";
}

std::string in_percent(double share) {
    return in_digits(100 * share) + " %";
}

std::string plural(std::int64_t count, const std::string& noun) {
    const auto instead = [&](std::size_t letters, const char* ending) {
        return noun.substr(0, noun.size() - letters) + ending;
    };
    const std::string several = noun.ends_with("y")    ? instead(1, "ies")
                                : noun.ends_with("ix") ? instead(1, "ces")
                                                       : noun + "s";
    return fmt::format("{} {}", count, count == 1 ? noun : several);
}

}  // namespace spmvgen::cli
