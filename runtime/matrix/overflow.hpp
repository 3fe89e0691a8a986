#pragma once
#include <cstdint>
#include <string>

#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

namespace spmvgen {

/// Place of the first value that has a finite part which would be stored as infinite in type
/// `storage`; nnz when there is none.
std::int64_t first_overflow(const CsrView& matrix, ValueType storage);

/// The row that holds entry `place`.
std::int64_t entry_row(const CsrView& matrix, std::int64_t place);

/// "1.5" or "(1.5, -2)": element `place` of an array of `type`.
std::string number_text(ValueType type, const void* values, std::int64_t place);

/// "value 1e+200 in row 3, column 4 (counted from 0)": entry `place`, for messages. The column is
/// "unknown" where the view has none.
std::string entry_text(const CsrView& matrix, std::int64_t place);

}  // namespace spmvgen
