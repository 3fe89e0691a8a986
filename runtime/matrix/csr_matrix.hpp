#pragma once
#include <cstdint>

#include "matrix/buffer.hpp"
#include "spmvgen/matrix.hpp"

namespace spmvgen {

/// The narrowest type that has all numbers up to that one.
inline IndexType narrowest(std::int64_t largest) {
    return largest <= INT32_MAX ? IndexType::i32 : IndexType::i64;
}

/// A CSR matrix that owns its arrays. Made by readers, the gallery and conversions: rows ascending
/// by column, no duplicates; columns int32 when cols < 2^31, offsets int32 when nnz < 2^31, else
/// int64.
struct CsrMatrix {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t nnz = 0;
    IndexType offset_type = IndexType::i32;
    IndexType index_type = IndexType::i32;
    ValueType value_type = ValueType::f64;
    Buffer row_ptr;
    Buffer col_idx;
    Buffer values;

    CsrView view() const {
        return {rows,           cols,           nnz,          offset_type, index_type, value_type,
                row_ptr.data(), col_idx.data(), values.data()};
    }
    /// Bytes of the three arrays.
    std::size_t bytes() const { return row_ptr.bytes() + col_idx.bytes() + values.bytes(); }
};

/// The same matrix with values of another type. Real → complex and wider or narrower (rounding) are
/// allowed; complex → real, and a finite value that would become infinite, throw
/// Error(invalid_argument). Parallel.
CsrMatrix convert_values(const CsrView& matrix, ValueType type);

/// The part of validate() that reads no array.
void validate_shape(const CsrView& matrix);

/// The part that has to hold before columns and values are read: row_ptr ends at nnz.
void validate_end(const CsrView& matrix);

/// Throws Error(invalid_argument), naming the row and entry, when row_ptr does not ascend from 0 or
/// a column is outside 0…cols-1, or an array is missing. Parallel, one pass; threads = 0: what
/// OpenMP would use.
void validate(const CsrView& matrix, int threads = 0);

/// Whether row_ptr ascends from 0 to nnz. Parallel; threads = 0: what OpenMP would use.
bool rows_are_right(const CsrView& matrix, int threads = 0);

}  // namespace spmvgen
