#pragma once
#include <cstdint>
#include <string_view>

#include "formats/stored_matrix.hpp"

/// What the storage formats share: one function a format, and how it names its arrays.
namespace spmvgen {

/// A conversion with its types fixed: the caller has checked that rows, columns and nonzeros fit
/// Index and Offset.
StoredMatrix store_csr(const CsrView& matrix, const Signature& signature, bool borrow);
StoredMatrix store_coo(const CsrView& matrix, const Signature& signature);
StoredMatrix store_ell(const CsrView& matrix, const Signature& signature);
StoredMatrix store_sell(const CsrView& matrix, const Signature& signature);

/// Makes an uninitialised array of `count` elements of T, owned by `stored` and named `name`. It
/// has at least one element, so that its address is never null.
template <typename T>
T* add_array(StoredMatrix& stored, std::string_view name, std::int64_t count) {
    Buffer& buffer = stored.owned.emplace_back(make_buffer<T>(count > 0 ? count : 1));
    stored.arrays.emplace(name, buffer.data());
    return static_cast<T*>(buffer.data());
}

/// Largest number that an index or offset of this type holds.
std::int64_t limit_of(IndexType type);

/// Throws Error(invalid_argument) when `stored` entries would take more than half of the free
/// memory, with the ratio to the nonzeros.
void check_padding(const CsrView& matrix, std::string_view format, double stored);

/// Throws Error(invalid_argument) when `count` of `what` does not fit `type`, which the signature
/// calls `field`.
void check_fits(std::int64_t count, IndexType type, std::string_view what, std::string_view field);

}  // namespace spmvgen
