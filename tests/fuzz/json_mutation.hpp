#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace spmvgen::fuzz {

/// The JSON text with one place changed: another value, one that is gone, doubled, or moved to
/// another name. "" when the text is no JSON, or the turn is that of changes that know nothing.
std::string mutated_json(std::string_view text, unsigned seed);

}  // namespace spmvgen::fuzz
