#include <algorithm>
#include <numeric>
#include <vector>

#include "formats/format_storage.hpp"
#include "formats/layout.hpp"
#include "formats/padded_rows.hpp"
#include "matrix/chunks.hpp"

namespace spmvgen {
namespace {

/// What decides the layout: rows of a slice, rows of a sorting window, and entries of a row that
/// stand together.
struct SellShape {
    std::int64_t height, sigma, chunk, slices;
};

SellShape sell_shape(const CsrView& matrix, const Signature& signature) {
    const bool gpu = is_gpu(signature);
    const std::int64_t height =
        gpu ? param(signature, "slice") : param(signature, "lanes") * param(signature, "unroll");
    return {height, param(signature, "sigma"), gpu ? param(signature, "threads_per_row", 1) : 1,
            round_up(matrix.rows, height) / height};
}

/// Puts the rows begin … end-1 into `order`, sorted by falling length, equal lengths in their own
/// order. `places` is scratch memory.
template <typename Index>
void sort_window(const CsrView& matrix, std::int64_t begin, std::int64_t end, Index* order,
                 std::vector<std::int64_t>& places) {
    std::int64_t longest = 0;
    for (std::int64_t row = begin; row < end; ++row)
        longest = std::max(longest, matrix.row_length(row));
    if (longest > 4 * (end - begin)) {  // counting would take longer than comparing
        std::iota(order + begin, order + end, static_cast<Index>(begin));
        std::stable_sort(order + begin, order + end, [&](Index a, Index b) {
            return matrix.row_length(a) > matrix.row_length(b);
        });
        return;
    }
    // places[n]: where the next row of n entries goes.
    places.assign(static_cast<std::size_t>(longest) + 1, 0);
    for (std::int64_t row = begin; row < end; ++row)
        ++places[static_cast<std::size_t>(matrix.row_length(row))];
    std::exclusive_scan(places.rbegin(), places.rend(), places.rbegin(), begin);
    for (std::int64_t row = begin; row < end; ++row)
        order[places[static_cast<std::size_t>(matrix.row_length(row))]++] = static_cast<Index>(row);
}

/// The row of A at each position: rows sorted inside windows of `sigma`.
template <typename Index>
void order_rows(const CsrView& matrix, std::int64_t sigma, Index* order) {
#pragma omp parallel
    {
        std::vector<std::int64_t> places;
#pragma omp for schedule(static)
        for (std::int64_t begin = 0; begin < matrix.rows; begin += sigma)
            sort_window(matrix, begin, std::min(matrix.rows, begin + sigma), order, places);
    }
}

/// Offsets of the slices, in columns, with slice_ptr and, for CPUs, slice_full made of them.
template <typename RowAt>
std::vector<std::int64_t> add_offsets(const CsrView& matrix, const Signature& signature,
                                      const SellShape& shape, RowAt row_at, StoredMatrix& stored) {
    std::vector<std::int64_t> ends(static_cast<std::size_t>(shape.slices + 1), 0);
    std::vector<std::int64_t> shortest(static_cast<std::size_t>(shape.slices));
#pragma omp parallel for schedule(static)
    for (std::int64_t slice = 0; slice < shape.slices; ++slice) {
        const Widths w = widths_of(
            matrix, shape.height, [&](std::int64_t l) { return row_at(slice * shape.height + l); });
        shortest[static_cast<std::size_t>(slice)] = w.full;
        ends[static_cast<std::size_t>(slice + 1)] = round_up(w.width, shape.chunk);
    }
    std::inclusive_scan(ends.begin(), ends.end(), ends.begin());
    check_padding(matrix, stored,
                  static_cast<double>(ends.back()) * static_cast<double>(shape.height));
    check_fits(ends.back(), signature.offset, "columns of slices", "offset");
    dispatch(signature.offset, [&]<typename Offset>(Offset) {
        std::ranges::transform(ends, add_array<Offset>(stored, "slice_ptr", shape.slices + 1),
                               [](std::int64_t n) { return static_cast<Offset>(n); });
        if (!is_gpu(signature))
            std::ranges::transform(shortest, add_array<Offset>(stored, "slice_full", shape.slices),
                                   [](std::int64_t n) { return static_cast<Offset>(n); });
    });
    return ends;
}

template <typename From, typename To, typename Index>
void fill(const CsrView& matrix, const Signature& signature, StoredMatrix& stored) {
    const SellShape shape = sell_shape(matrix, signature);
    // The argument exists for σ = 1 too, but nothing reads it.
    Index* order = add_array<Index>(stored, "row_order", shape.sigma > 1 ? matrix.rows : 0);
    if (shape.sigma > 1) order_rows(matrix, shape.sigma, order);
    const auto row_at = [&](std::int64_t position) -> std::int64_t {
        if (position >= matrix.rows) return -1;
        return shape.sigma > 1 ? order[position] : position;
    };
    const std::vector<std::int64_t> ends = add_offsets(matrix, signature, shape, row_at, stored);
    stored.stored = ends.back() * shape.height;
    Index* col_idx = add_array<Index>(stored, "col_idx", stored.stored);
    To* values = add_array<To>(stored, "values", stored.stored);
    const auto before = [&](std::int64_t slice) { return ends[static_cast<std::size_t>(slice)]; };
    for_shares(shape.slices, before, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t slice = begin; slice < end; ++slice) {
            const std::int64_t start = before(slice);
            const Strip strip{start * shape.height, shape.height, before(slice + 1) - start,
                              shape.chunk};
            for (std::int64_t l = 0; l < shape.height; ++l)
                fill_row<From>(matrix, row_at(slice * shape.height + l), strip, l, col_idx, values);
        }
    });
    describe_sell(matrix, signature, ends.back(), stored);
}

StoredMatrix store_sell(const CsrView& matrix, const Signature& signature, const Storing& how) {
    check_fits(matrix.rows, signature.index, "rows", "index");
    StoredMatrix stored = new_stored(Format::sell, matrix, how.memory_limit);
    dispatch_values(matrix.value_type, signature, [&]<typename From, typename To>(From, To) {
        dispatch(signature.index,
                 [&]<typename Index>(Index) { fill<From, To, Index>(matrix, signature, stored); });
    });
    return stored;
}

double padding(const RowFeatures& f, const Signature& s) {
    const bool sorted = param(s, "sigma", 1) > 1;
    return std::max((sorted ? f.sell_sorted_padding : f.sell_padding).back(), 1.0);
}

}  // namespace

void describe_sell(const CsrView& matrix, const Signature& signature, std::int64_t columns,
                   StoredMatrix& stored) {
    const SellShape shape = sell_shape(matrix, signature);
    stored.stored = columns * shape.height;
    stored.scalars["num_slices"] = shape.slices;
    const std::int64_t offsets = shape.slices + 1 + (is_gpu(signature) ? 0 : shape.slices);
    const std::int64_t order = shape.sigma > 1 ? matrix.rows : 0;
    stored.bytes = stored.stored * entry_bytes(signature) +
                   offsets * static_cast<std::int64_t>(size_of(signature.offset)) +
                   order * static_cast<std::int64_t>(size_of(signature.index));
}

extern constexpr FormatStorage sell_storage{
    .format = Format::sell,
    .store = store_sell,
    .places = [](const Signature&) { return ValuePlaces::by_row; },
    .update_products = {.cpu = 2.4, .gpu = 3},
    .most_stored =
        [](const RowFeatures& f) {
            return static_cast<double>(f.nnz) * std::max(f.sell_padding.back(), 1.0) * 2;
        },
    .padding = padding,
    .rows_suffice = rows_suffice_to_kernels};

}  // namespace spmvgen
