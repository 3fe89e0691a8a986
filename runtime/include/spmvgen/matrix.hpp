#pragma once
#include <cstdint>

#include "spmvgen/types.hpp"

namespace spmvgen {

/// A matrix in CSR that somebody else owns: m×n, row i holds entries row_ptr[i] … row_ptr[i+1]-1,
/// each with its column (0-based, any order within the row, duplicates add up) and value. row_ptr
/// has m+1 elements and may be null when m = 0; col_idx and values may be null when nnz = 0.
struct CsrView {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t nnz = 0;
    IndexType offset_type = IndexType::i32;
    IndexType index_type = IndexType::i32;
    ValueType value_type = ValueType::f64;
    const void* row_ptr = nullptr;
    const void* col_idx = nullptr;
    const void* values = nullptr;

    template <typename T>
    const T* row_ptr_as() const {
        return static_cast<const T*>(row_ptr);
    }
    template <typename T>
    const T* col_idx_as() const {
        return static_cast<const T*>(col_idx);
    }
    template <typename T>
    const T* values_as() const {
        return static_cast<const T*>(values);
    }
    /// row_ptr[i], whatever its type.
    std::int64_t row_begin(std::int64_t i) const {
        return offset_type == IndexType::i32 ? row_ptr_as<std::int32_t>()[i]
                                             : row_ptr_as<std::int64_t>()[i];
    }
    std::int64_t row_length(std::int64_t i) const { return row_begin(i + 1) - row_begin(i); }
    std::int64_t col(std::int64_t k) const {
        return index_type == IndexType::i32 ? col_idx_as<std::int32_t>()[k]
                                            : col_idx_as<std::int64_t>()[k];
    }
};

/// The view of typed arrays of `nnz` entries. Reads none of them: they may be device pointers.
template <typename Value, typename Index, typename Offset>
CsrView csr_view(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const Offset* row_ptr,
                 const Index* col_idx, const Value* values) {
    return {rows,
            cols,
            nnz,
            type_tag<Offset>::value,
            type_tag<Index>::value,
            type_tag<Value>::value,
            row_ptr,
            col_idx,
            values};
}

/// The same with the number of entries that row_ptr has at its end, which is read here: not for
/// device pointers.
template <typename Value, typename Index, typename Offset>
CsrView csr_view(std::int64_t rows, std::int64_t cols, const Offset* row_ptr, const Index* col_idx,
                 const Value* values) {
    const auto nnz =
        rows > 0 ? static_cast<std::int64_t>(row_ptr[rows]) - static_cast<std::int64_t>(row_ptr[0])
                 : 0;
    return csr_view(rows, cols, nnz, row_ptr, col_idx, values);
}

/// A matrix as a list of entries that somebody else owns: entry k is values[k] in row row_idx[k],
/// column col_idx[k] (0-based), in any order; entries at the same place add up. The arrays may be
/// null when nnz = 0.
struct CooView {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t nnz = 0;
    IndexType index_type = IndexType::i32;  ///< of rows and columns
    ValueType value_type = ValueType::f64;
    const void* row_idx = nullptr;
    const void* col_idx = nullptr;
    const void* values = nullptr;
};

/// The view of typed arrays, which may be device pointers.
template <typename Value, typename Index>
CooView coo_view(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const Index* row_idx,
                 const Index* col_idx, const Value* values) {
    return {rows,    cols,    nnz,   type_tag<Index>::value, type_tag<Value>::value,
            row_idx, col_idx, values};
}

/// A matrix in CSC that somebody else owns: column j holds entries col_ptr[j] … col_ptr[j+1]-1,
/// each with its row (any order within the column, duplicates add up) and value. It is the CSR of
/// the transpose. col_ptr has cols + 1 elements and may be null when cols = 0; row_idx and values
/// may be null when nnz = 0.
struct CscView {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t nnz = 0;
    IndexType offset_type = IndexType::i32;
    IndexType index_type = IndexType::i32;
    ValueType value_type = ValueType::f64;
    const void* col_ptr = nullptr;
    const void* row_idx = nullptr;
    const void* values = nullptr;
};

/// The view of typed arrays, which may be device pointers.
template <typename Value, typename Index, typename Offset>
CscView csc_view(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const Offset* col_ptr,
                 const Index* row_idx, const Value* values) {
    return {rows,
            cols,
            nnz,
            type_tag<Offset>::value,
            type_tag<Index>::value,
            type_tag<Value>::value,
            col_ptr,
            row_idx,
            values};
}

/// A matrix of dense blocks that somebody else owns: BSR, a CSR whose entries are blocks of height
/// × width numbers. Block row i holds blocks row_ptr[i] … row_ptr[i+1]-1, each with its block
/// column; block b has the values from b·height·width on, row by row unless `by_columns`. rows and
/// cols count numbers, and are multiples of height and width. The arrays may be null as those of a
/// CsrView.
struct BsrView {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::int64_t blocks = 0;
    std::int64_t height = 1;
    std::int64_t width = 1;
    bool by_columns = false;  ///< the numbers of a block come column by column
    IndexType offset_type = IndexType::i32;
    IndexType index_type = IndexType::i32;
    ValueType value_type = ValueType::f64;
    const void* row_ptr = nullptr;  ///< rows / height + 1
    const void* col_idx = nullptr;  ///< of block columns
    const void* values = nullptr;
};

/// Rows of a matrix that has no others: row i of `matrix` is row rows[i] of y = αAx + βy, of which
/// the other rows are not touched, whatever β is. Each row once, in any order.
struct RowListView {
    CsrView matrix;              ///< as many rows as are listed
    std::int64_t num_rows = 0;   ///< of A, and so of y
    const void* rows = nullptr;  ///< of matrix.index_type; may be null when none is listed
};

/// The view of typed arrays, which may be device pointers.
template <typename Value, typename Index, typename Offset>
RowListView row_list_view(std::int64_t num_rows, std::int64_t cols, std::int64_t nnz,
                          std::int64_t listed, const Index* rows, const Offset* row_ptr,
                          const Index* col_idx, const Value* values) {
    return {csr_view(listed, cols, nnz, row_ptr, col_idx, values), num_rows, rows};
}

}  // namespace spmvgen
