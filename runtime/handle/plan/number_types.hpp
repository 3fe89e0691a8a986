#pragma once
#include <string_view>

#include "spmvgen/signature.hpp"
#include "spmvgen/spmvgen.hpp"

namespace spmvgen {

/// Throws Error(invalid_argument) for a value that options.encodings does not have.
void check_encodings(std::string_view text);

/// Throws Error(invalid_argument) for a value that options.compile does not have.
void check_compile(std::string_view text);

/// Whether the options leave it open how values are stored.
inline bool may_encode(const Options& options) {
    return options.encodings == "auto" && options.storage.empty() && options.updates != "often";
}

/// Puts the types of the vectors, of A's stored values and of the sums that the options ask for
/// into `signature`, for a matrix of values of type `matrix`. Throws Error(invalid_argument) that
/// names the option.
void set_number_types(Signature& signature, const Options& options, ValueType matrix);

}  // namespace spmvgen
