#include <algorithm>
#include <numeric>
#include <span>

#include "formats/layout.hpp"
#include "formats/strips.hpp"

namespace spmvgen {
namespace {

/// The row of A at each position: rows sorted by falling length inside windows of `sigma`, equal
/// lengths in their own order.
template <typename Index>
void order_rows(const CsrView& matrix, std::int64_t sigma, Index* order) {
    std::iota(order, order + matrix.rows, Index{0});
#pragma omp parallel for schedule(static)
    for (std::int64_t begin = 0; begin < matrix.rows; begin += sigma)
        std::stable_sort(
            order + begin, order + std::min(matrix.rows, begin + sigma),
            [&](Index a, Index b) { return matrix.row_length(a) > matrix.row_length(b); });
}

template <typename Value, typename Index, typename Offset>
void fill(const CsrView& matrix, const Signature& signature, StoredMatrix& stored) {
    const std::int64_t height = signature.params.at("lanes") * signature.params.at("unroll");
    const std::int64_t sigma = signature.params.at("sigma");
    const std::int64_t slices = (matrix.rows + height - 1) / height;

    // The argument exists for σ = 1 too, but nothing reads it.
    Index* order = add_array<Index>(stored, "row_order", sigma > 1 ? matrix.rows : 0);
    if (sigma > 1) order_rows(matrix, sigma, order);
    const auto row_at = [&](std::int64_t position) -> std::int64_t {
        if (position >= matrix.rows) return -1;
        return sigma > 1 ? order[position] : position;
    };

    std::vector<std::int64_t> ends(static_cast<std::size_t>(slices + 1), 0);
    Offset* full = add_array<Offset>(stored, "slice_full", slices);
#pragma omp parallel for schedule(static)
    for (std::int64_t slice = 0; slice < slices; ++slice) {
        const Widths w =
            widths_of(matrix, height, [&](std::int64_t l) { return row_at(slice * height + l); });
        full[slice] = static_cast<Offset>(w.full);
        ends[static_cast<std::size_t>(slice + 1)] = w.width;
    }
    std::inclusive_scan(ends.begin(), ends.end(), ends.begin());
    check_padding(matrix, "sell", static_cast<double>(ends.back()) * static_cast<double>(height));
    check_fits(ends.back(), signature.offset, "columns of slices", "offset");
    stored.stored = ends.back() * height;

    Offset* slice_ptr = add_array<Offset>(stored, "slice_ptr", slices + 1);
    Index* col_idx = add_array<Index>(stored, "col_idx", stored.stored);
    Value* values = add_array<Value>(stored, "values", stored.stored);
    std::ranges::transform(ends, slice_ptr, [](std::int64_t e) { return static_cast<Offset>(e); });
#pragma omp parallel for schedule(static)
    for (std::int64_t slice = 0; slice < slices; ++slice) {
        const std::int64_t start = slice_ptr[slice];
        for (std::int64_t l = 0; l < height; ++l)
            fill_row(matrix, row_at(slice * height + l), height, slice_ptr[slice + 1] - start,
                     col_idx + start * height + l, values + start * height + l);
    }
    stored.scalars["num_slices"] = slices;
    stored.bytes = stored.stored * static_cast<std::int64_t>(sizeof(Value) + sizeof(Index)) +
                   (2 * slices + 1) * static_cast<std::int64_t>(sizeof(Offset)) +
                   (sigma > 1 ? matrix.rows * static_cast<std::int64_t>(sizeof(Index)) : 0);
}

}  // namespace

StoredMatrix store_sell(const CsrView& matrix, const Signature& signature) {
    check_fits(matrix.rows, signature.index, "rows", "index");
    StoredMatrix stored;
    stored.format = Format::sell;
    stored.scalars = {{"num_rows", matrix.rows}, {"num_cols", matrix.cols}, {"nnz", matrix.nnz}};
    dispatch(signature.value, [&]<typename Value>(Value) {
        dispatch(signature.index, [&]<typename Index>(Index) {
            dispatch(signature.offset, [&]<typename Offset>(Offset) {
                fill<Value, Index, Offset>(matrix, signature, stored);
            });
        });
    });
    return stored;
}

}  // namespace spmvgen
