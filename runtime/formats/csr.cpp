#include "formats/layout.hpp"

namespace spmvgen {
namespace {

template <typename To, typename From>
void copy(std::int64_t count, const From* from, To* to) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
}

/// The integer array `from` under `name`, as it is when its type is right and it may be borrowed.
void add_integers(StoredMatrix& stored, std::string_view name, std::int64_t count, const void* from,
                  IndexType from_type, IndexType to_type, bool borrow) {
    if (borrow && from_type == to_type && from != nullptr) {
        stored.arrays.emplace(name, from);
        return;
    }
    dispatch(to_type, [&]<typename To>(To) {
        To* to = add_array<To>(stored, name, count);
        if (from == nullptr)  // a matrix without rows need not have offsets
            *to = 0;
        else
            dispatch(from_type,
                     [&]<typename From>(From) { copy(count, static_cast<const From*>(from), to); });
    });
}

}  // namespace

StoredMatrix store_csr(const CsrView& matrix, const Signature& signature, bool borrow) {
    StoredMatrix stored;
    stored.format = Format::csr;
    stored.scalars = {{"num_rows", matrix.rows}, {"num_cols", matrix.cols}, {"nnz", matrix.nnz}};
    add_integers(stored, "row_ptr", matrix.rows + 1, matrix.row_ptr, matrix.offset_type,
                 signature.offset, borrow);
    add_integers(stored, "col_idx", matrix.nnz, matrix.col_idx, matrix.index_type, signature.index,
                 borrow);
    if (borrow && matrix.values != nullptr)
        stored.arrays.emplace("values", matrix.values);
    else
        dispatch(matrix.value_type, [&]<typename T>(T) {
            copy(matrix.nnz, matrix.values_as<T>(), add_array<T>(stored, "values", matrix.nnz));
        });
    stored.stored = matrix.nnz;
    stored.bytes = matrix.nnz * static_cast<std::int64_t>(size_of(signature.value) +
                                                          size_of(signature.index)) +
                   (matrix.rows + 1) * static_cast<std::int64_t>(size_of(signature.offset));
    return stored;
}

}  // namespace spmvgen
