#pragma once
#include <string>

#include "spmvgen/signature.hpp"

namespace spmvgen::cli {

/// The signature of that name: to_string(parse_signature(text)) == text. Throws
/// Error(invalid_argument) for other text, and for a kernel with an epilogue, whose name holds only
/// a hash of it.
Signature parse_signature(const std::string& text);

}  // namespace spmvgen::cli
