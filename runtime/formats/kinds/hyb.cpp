#include <algorithm>
#include <numeric>
#include <vector>

#include "formats/format_storage.hpp"
#include "formats/layout.hpp"
#include "formats/padded_rows.hpp"

namespace spmvgen {
namespace {

/// Parameter "partition": how the width of the ELL part is decided.
enum Partition : std::int64_t { limit = 0, quantile = 1, minstorage = 2, column_limit = 3 };

/// The ELL part of partition `limit` holds at most one entry a row for so many rows: 0.0001 of them
/// (Tsai, Cojean & Anzt 2020, section 3.4; later versions of Ginkgo take 0.001).
constexpr std::int64_t rows_per_column = 10000;

/// Q_R(share / whole) of the paper: the smallest t such that more than that part of the rows have
/// at most t entries. 0 ≤ share < whole.
std::int64_t row_quantile(const CsrView& matrix, std::int64_t share, std::int64_t whole) {
    if (matrix.rows == 0) return 0;
    std::vector<std::int64_t> lengths(static_cast<std::size_t>(matrix.rows));
    for (std::int64_t row = 0; row < matrix.rows; ++row)
        lengths[static_cast<std::size_t>(row)] = matrix.row_length(row);
    // As many rows may be shorter than t, and one more has then at most t.
    const auto place =
        lengths.begin() + matrix.rows / whole * share + matrix.rows % whole * share / whole;
    std::nth_element(lengths.begin(), place, lengths.end());
    return *place;
}

std::int64_t ell_width(const CsrView& matrix, const Signature& signature) {
    const auto index_bytes = static_cast<std::int64_t>(size_of(signature.index));
    const auto value_bytes = static_cast<std::int64_t>(size_of(storage_type(signature)));
    switch (param(signature, "partition")) {
        case quantile:
            return row_quantile(matrix, param(signature, "percent"), 100);
        case minstorage:
            return row_quantile(matrix, index_bytes, value_bytes + 2 * index_bytes);
        case column_limit:
            return std::min(longest_row(matrix), param(signature, "columns"));
        default:
            return std::min(row_quantile(matrix, param(signature, "percent"), 100),
                            matrix.rows / rows_per_column);
    }
}

/// Where the entries of each row that the ELL part has no room for begin among all of these.
std::vector<std::int64_t> tail_offsets(const CsrView& matrix, std::int64_t width) {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(matrix.rows + 1), 0);
    for (std::int64_t row = 0; row < matrix.rows; ++row)
        offsets[static_cast<std::size_t>(row + 1)] =
            offsets[static_cast<std::size_t>(row)] +
            std::max<std::int64_t>(0, matrix.row_length(row) - width);
    return offsets;
}

/// The COO part: coo_row, coo_col and coo_values, sorted by row.
template <typename From, typename To, typename Index>
void add_tails(const CsrView& matrix, std::int64_t width, const std::vector<std::int64_t>& offsets,
               StoredMatrix& stored) {
    Index* rows = add_array<Index>(stored, "coo_row", offsets.back());
    Index* cols = add_array<Index>(stored, "coo_col", offsets.back());
    To* values = add_array<To>(stored, "coo_values", offsets.back());
    const From* source = matrix.values_as<From>();
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
        std::int64_t from = matrix.row_begin(row) + width;
        const std::int64_t end = offsets[static_cast<std::size_t>(row + 1)];
        for (std::int64_t to = offsets[static_cast<std::size_t>(row)]; to < end; ++to, ++from) {
            rows[to] = static_cast<Index>(row);
            if (matrix.col_idx != nullptr) cols[to] = static_cast<Index>(matrix.col(from));
            values[to] = stored_value<To>(source[from]);
        }
    }
}

/// coo_ptr: where the COO entries of each thread block's rows begin.
void add_block_offsets(const Signature& signature, const std::vector<std::int64_t>& offsets,
                       StoredMatrix& stored) {
    const std::int64_t block = param(signature, "block");
    const auto rows = static_cast<std::int64_t>(offsets.size()) - 1;
    const std::int64_t blocks = round_up(rows, block) / block;
    dispatch(signature.offset, [&]<typename Offset>(Offset) {
        Offset* ptr = add_array<Offset>(stored, "coo_ptr", blocks + 1);
        for (std::int64_t b = 0; b <= blocks; ++b)
            ptr[b] =
                static_cast<Offset>(offsets[static_cast<std::size_t>(std::min(b * block, rows))]);
    });
}

StoredMatrix store_hyb(const CsrView& matrix, const Signature& signature, const Storing& how) {
    check_fits(matrix.rows, signature.index, "rows", "index");
    StoredMatrix stored = new_stored(Format::hyb, matrix, how.memory_limit);
    const std::int64_t width = ell_width(matrix, signature);
    add_ell(matrix, signature, {gpu_alignment, width, 1}, stored);

    const std::vector<std::int64_t> offsets = tail_offsets(matrix, width);
    dispatch_values(matrix.value_type, signature, [&]<typename From, typename To>(From, To) {
        dispatch(signature.index, [&]<typename Index>(Index) {
            add_tails<From, To, Index>(matrix, width, offsets, stored);
        });
    });
    add_block_offsets(signature, offsets, stored);
    stored.scalars["coo_nnz"] = offsets.back();
    stored.stored += offsets.back();
    stored.bytes += offsets.back() *
                    (entry_bytes(signature) + static_cast<std::int64_t>(size_of(signature.index)));
    return stored;
}

}  // namespace

extern constexpr FormatStorage hyb_storage{
    .format = Format::hyb,
    .store = store_hyb,
    .places = [](const Signature&) { return ValuePlaces::by_row; },
    .update_products = {.cpu = 9, .gpu = 9}};

}  // namespace spmvgen
