#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "registry.hpp"
#include "spmvgen/types.hpp"

namespace spmvgen {

/// An argument's type as an emitted text spells it: "const int* __restrict__" is a pointer to
/// constant "int".
struct ArgumentType {
    bool pointer = false;
    bool constant = false;
    std::string element;
};

ArgumentType parse_argument_type(std::string_view text);

/// The integer type that `element` spells on this machine: "int", "long", "std::int64_t", ….
std::optional<IndexType> integer_type(std::string_view element);

/// Whether `element` spells `type`: "float", "double", or the dialect's "complex_f32",
/// "complex_f64", "f16", "bf16".
bool spells(std::string_view element, ValueType type);

/// Whether `element` spells what the elements of an array are for the signature; no for scalars.
bool spells(std::string_view element, Element kind, const Signature& signature);

}  // namespace spmvgen
