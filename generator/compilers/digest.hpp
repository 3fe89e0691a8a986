#pragma once
#include <string>

namespace spmvgen {

/// SHA-256 of the text, in hex.
std::string hex_sha256(const std::string& text);

}  // namespace spmvgen
