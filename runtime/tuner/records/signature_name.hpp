#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "spmvgen/signature.hpp"

namespace spmvgen {

/// The complete signature of the kernel of that name, when today's registry has such a kernel for
/// that target. A parameter that the name lacks has its preset: a kernel of before its parameter
/// did what it does with that. Nothing for another text, for parameters that are not those of today
/// or not allowed for the target, and for a kernel with an epilogue, whose name holds only a hash
/// of it. Never throws.
std::optional<Signature> parse_kernel_name(std::string_view name, const Target& target);

/// The signature of that canonical text: to_string(parse_signature(text)) == text. Throws
/// Error(invalid_argument) for other text, and for a kernel with an epilogue.
Signature parse_signature(const std::string& text);

}  // namespace spmvgen
