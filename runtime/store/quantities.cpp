#include "store/quantities.hpp"

#include <charconv>
#include <cmath>
#include <initializer_list>

namespace spmvgen {
namespace {

struct Unit {
    std::string_view name;
    double factor;
};

/// A number that is not negative, times the factor of the unit behind it.
std::optional<std::int64_t> parse(std::string_view text, std::initializer_list<Unit> units) {
    double number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
    for (const Unit& unit : units) {
        if (error != std::errc() || name != unit.name) continue;
        const double product = std::floor(number * unit.factor);
        if (product >= 0 && product < 0x1p63) return static_cast<std::int64_t>(product);
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> parse_size(std::string_view text) {
    return parse(text, {{"", 1},
                        {"k", 1e3},
                        {"M", 1e6},
                        {"G", 1e9},
                        {"T", 1e12},
                        {"Ki", 0x1p10},
                        {"Mi", 0x1p20},
                        {"Gi", 0x1p30},
                        {"Ti", 0x1p40}});
}

std::optional<std::int64_t> parse_age(std::string_view text) {
    return parse(text, {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}, {"w", 7 * 86400}});
}

}  // namespace spmvgen
