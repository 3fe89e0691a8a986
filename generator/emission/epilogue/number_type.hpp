#pragma once
#include "spmvgen/types.hpp"

namespace spmvgen {

/// The type as emitted texts spell it: "double", "complex_f32".
constexpr const char* number_type(ValueType t) {
    switch (t) {
        case ValueType::f32:
            return "float";
        case ValueType::f64:
            return "double";
        case ValueType::c32:
            return "complex_f32";
        case ValueType::c64:
            return "complex_f64";
        case ValueType::f16:
            return "f16";
        case ValueType::bf16:
            return "bf16";
    }
    return "?";
}

}  // namespace spmvgen
