#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace spmvgen {

/// Bytes: "500000", "200M", "1.5G", "1Gi"; k, M, G, T are powers of 1000, Ki, Mi, Gi, Ti of 1024.
/// Nothing for other text, or 2^63 bytes and more.
std::optional<std::int64_t> parse_size(std::string_view text);

/// Seconds: "90d", "12h", "30m", "45s", "2w". Nothing for other text.
std::optional<std::int64_t> parse_age(std::string_view text);

}  // namespace spmvgen
