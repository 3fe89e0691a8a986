#include "formats/format_storage.hpp"
#include "formats/layout.hpp"

namespace spmvgen {
namespace {

StoredMatrix store_coo(const CsrView& matrix, const Signature& signature, const Storing& how) {
    check_fits(matrix.rows, signature.index, "rows", "index");
    StoredMatrix stored = store_csr(matrix, signature, {false, how.memory_limit});
    stored.format = Format::coo;
    dispatch(signature.index, [&]<typename Index>(Index) {
        Index* row_idx = add_array<Index>(stored, "row_idx", matrix.nnz);
#pragma omp parallel for schedule(static)
        for (std::int64_t row = 0; row < matrix.rows; ++row) {
            const std::int64_t end = matrix.row_begin(row + 1);
            for (std::int64_t k = matrix.row_begin(row); k < end; ++k)
                row_idx[k] = static_cast<Index>(row);
        }
    });
    const void* const row_ptr = stored.arrays.at("row_ptr");
    std::erase_if(stored.owned, [&](const Buffer& buffer) { return buffer.data() == row_ptr; });
    stored.arrays.erase("row_ptr");
    describe_coo(matrix, signature, stored);
    return stored;
}

}  // namespace

void describe_coo(const CsrView& matrix, const Signature& signature, StoredMatrix& stored) {
    stored.scalars["path_steps"] = matrix.rows + matrix.nnz;
    stored.stored = matrix.nnz;
    stored.bytes =
        matrix.nnz * (entry_bytes(signature) + static_cast<std::int64_t>(size_of(signature.index)));
}

extern constexpr FormatStorage coo_storage{
    .format = Format::coo,
    .store = store_coo,
    .places = [](const Signature&) { return ValuePlaces::in_order; },
    .values_in_order = true,
    .update_products = {.cpu = 1, .gpu = 2},
    .rows_suffice = rows_suffice_to_kernels};

}  // namespace spmvgen
