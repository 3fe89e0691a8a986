#pragma once
#include <cstdint>
#include <string>

/// Figures for people: three significant digits and a unit.
namespace spmvgen::cli {

std::string in_bytes(double bytes);                               ///< "12.3 MB" (decimal units)
std::string in_seconds(double s);                                 ///< "12.3 us"
std::string in_percent(double share);                             ///< 0.123 → "12.3 %"
std::string in_digits(double value);                              ///< "12.3"
std::string plural(std::int64_t count, const std::string& noun);  ///< "1 entry", "2 entries"

}  // namespace spmvgen::cli
