#include "handle/plan/number_types.hpp"

#include <fmt/format.h>

#include "kernel/refuse.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// The type that option `name` gives, else `preset`.
ValueType parsed(const char* name, const std::string& text, ValueType preset) {
    if (text.empty()) return preset;
    try {
        return parse_value_type(text);
    } catch (const Error& error) {
        throw Error(error.code(), fmt::format("options.{}: {}", name, error.what()));
    }
}

bool fits(ValueType narrow, ValueType wide) {
    return narrow == wide || is_narrower(narrow, wide);
}

void check_vectors(ValueType vectors, ValueType stored, ValueType matrix) {
    if (is_storage_only(vectors))
        refuse(
            fmt::format("options.vectors is {}, a storage type: use f32 or f64 vectors, and "
                        "options.storage {}",
                        to_string(vectors), to_string(vectors)));
    if (is_complex(vectors) != is_complex(matrix))
        refuse(
            fmt::format("options.vectors is {}, but the matrix is {}: real and complex numbers "
                        "do not mix; give the matrix's values as {}",
                        to_string(vectors), to_string(matrix), to_string(vectors)));
    if (!fits(stored, vectors))
        refuse(
            fmt::format("options.vectors {} is narrower than the matrix's values, {}: set "
                        "options.storage to {} to round them, or leave options.vectors out",
                        to_string(vectors), to_string(stored), to_string(vectors)));
}

}  // namespace

void check_encodings(std::string_view text) {
    if (text != "auto" && text != "none")
        refuse(fmt::format("unknown encodings '{}': use auto or none", text));
}

void set_number_types(Signature& s, const Options& o, ValueType matrix) {
    const ValueType stored = parsed("storage", o.storage, matrix);
    const ValueType vectors = parsed("vectors", o.vectors, matrix);
    const ValueType sums = parsed("accumulator", o.accumulator, vectors);
    if (!fits(stored, matrix))
        refuse(
            fmt::format("options.storage {} is not a narrower type of the numbers that the "
                        "matrix has, {}: use f16 or bf16 for f32; these or f32 for f64; c32 for "
                        "c64",
                        to_string(stored), to_string(matrix)));
    check_vectors(vectors, stored, matrix);
    if (!fits(vectors, sums))
        refuse(
            fmt::format("options.accumulator {} is not wider than the vectors, {}: use f64 for "
                        "f32, c64 for c32, or leave it out",
                        to_string(sums), to_string(vectors)));
    s.value = vectors;
    s.storage.reset();
    s.accumulator.reset();
    if (stored != vectors) s.storage = stored;
    if (sums != vectors) s.accumulator = sums;
}

}  // namespace spmvgen
