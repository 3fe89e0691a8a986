#pragma once
#include <string>
#include <string_view>

namespace spmvgen {

inline constexpr std::size_t sha256_bytes = 32;

/// The SHA-256 digest, 32 raw bytes.
std::string sha256(std::string_view bytes);

/// Lower-case hexadecimal digits, two for each byte.
std::string to_hex(std::string_view bytes);

}  // namespace spmvgen
