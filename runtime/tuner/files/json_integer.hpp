#pragma once
#include <cstdint>
#include <optional>

namespace spmvgen {

/// The integer that a JSON value holds, when it is one and within least … most. json::get would
/// round fractions, wrap what is too large, and convert numbers that no integer can hold.
template <typename Json>
std::optional<std::int64_t> integer_of(const Json& value, std::int64_t least, std::int64_t most) {
    if (!value.is_number_integer()) return {};
    if (value.is_number_unsigned() &&
        value.template get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        return {};
    const auto number = value.template get<std::int64_t>();
    if (number < least || number > most) return {};
    return number;
}

}  // namespace spmvgen
