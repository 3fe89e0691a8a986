#include <algorithm>

#include "formats/format_storage.hpp"
#include "formats/layout.hpp"
#include "formats/narrow.hpp"
#include "matrix/chunks.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

/// Calls body(begin, end) for the rows of each thread's share, or for their entries: arrays are
/// written by the threads that will read them.
template <typename Body>
void for_shares_of(const CsrView& matrix, bool entries, Body body) {
    const auto before = [&](std::int64_t row) {
        return matrix.row_ptr == nullptr ? 0 : matrix.row_begin(row);
    };
    for_shares(matrix.rows, before, [&](std::int64_t begin, std::int64_t end) {
        entries ? body(before(begin), before(end)) : body(begin, end);
    });
}

/// The integer array `from` under `name`, as it is when its type is right and it may be borrowed:
/// one number a row and a last one, or one an entry.
void add_integers(StoredMatrix& stored, std::string_view name, const CsrView& matrix, bool entries,
                  const void* from, IndexType from_type, IndexType to_type, bool borrow) {
    if (borrow && from_type == to_type && from != nullptr) {
        stored.arrays.emplace(name, from);
        return;
    }
    dispatch(to_type, [&]<typename To>(To) {
        To* to = add_array<To>(stored, name, entries ? matrix.nnz : matrix.rows + 1);
        if (from == nullptr) {  // a matrix without rows need not have offsets
            *to = 0;
            return;
        }
        dispatch(from_type, [&]<typename From>(From) {
            const auto* numbers = static_cast<const From*>(from);
            const auto narrow = [](From number) { return static_cast<To>(number); };
            for_shares_of(matrix, entries, [&](std::int64_t begin, std::int64_t end) {
                std::transform(numbers + begin, numbers + end, to + begin, narrow);
            });
            if (!entries) to[matrix.rows] = narrow(numbers[matrix.rows]);
        });
    });
}

template <typename From, typename To>
void add_values(StoredMatrix& stored, const CsrView& matrix) {
    const From* from = matrix.values_as<From>();
    To* to = add_array<To>(stored, "values", matrix.nnz);
    for_shares_of(matrix, true, [&](std::int64_t begin, std::int64_t end) {
        std::transform(from + begin, from + end, to + begin, stored_value<To, From>);
    });
}

/// Where the chunks of csr_load_balance begin: warp_row[0] = 0, then the row that holds a chunk's
/// first entry, at last the number of rows.
template <typename To, typename From>
void add_warp_rows(StoredMatrix& stored, const CsrView& matrix, std::int64_t size) {
    const std::int64_t chunks = std::max<std::int64_t>(1, (matrix.nnz + size - 1) / size);
    To* to = add_array<To>(stored, "warp_row", chunks + 1);
    const From* row_ptr = static_cast<const From*>(matrix.row_ptr);
    to[0] = 0;
    to[chunks] = static_cast<To>(matrix.rows);
#pragma omp parallel for schedule(static)
    for (std::int64_t chunk = 1; chunk < chunks; ++chunk)
        to[chunk] = static_cast<To>(
            std::upper_bound(row_ptr, row_ptr + matrix.rows, static_cast<From>(chunk * size)) -
            row_ptr - 1);
}

}  // namespace

StoredMatrix store_csr(const CsrView& matrix, const Signature& signature, const Storing& how) {
    StoredMatrix stored = new_stored(Format::csr, matrix, how.memory_limit);
    add_integers(stored, "row_ptr", matrix, false, matrix.row_ptr, matrix.offset_type,
                 signature.offset, how.borrow);
    add_integers(stored, "col_idx", matrix, true, matrix.col_idx, matrix.index_type,
                 signature.index, how.borrow);
    if (how.borrow && matrix.values != nullptr && storage_type(signature) == matrix.value_type)
        stored.arrays.emplace("values", matrix.values);
    else
        dispatch_values(matrix.value_type, signature, [&]<typename From, typename To>(From, To) {
            add_values<From, To>(stored, matrix);
        });
    stored.scalars["path_steps"] = matrix.rows + matrix.nnz;
    const KernelEntry& kernel = kernel_entry(signature.kernel);
    if (find_argument(kernel, "warp_row") != nullptr) {
        check_fits(matrix.rows, signature.index, "rows", "index");
        dispatch(signature.index, [&]<typename To>(To) {
            dispatch(matrix.offset_type, [&]<typename From>(From) {
                add_warp_rows<To, From>(stored, matrix,
                                        signature.target.wavefront * param(signature, "entries"));
            });
        });
    }
    stored.stored = matrix.nnz;
    stored.bytes = matrix.nnz * entry_bytes(signature) +
                   (matrix.rows + 1) * static_cast<std::int64_t>(size_of(signature.offset));
    if (find_argument(kernel, "part_row") != nullptr) add_length_classes(matrix, signature, stored);
    return stored;
}

extern constexpr FormatStorage csr_storage{
    .format = Format::csr,
    .store = store_csr,
    .places = [](const Signature&) { return ValuePlaces::in_order; },
    .values_in_order = true,
    .update_products = {.cpu = 1.3, .gpu = 2},
    .rows_suffice = rows_suffice_to_kernels,
    .has_csr_arrays = true};

}  // namespace spmvgen
