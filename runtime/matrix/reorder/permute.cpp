#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "matrix/chunks.hpp"
#include "matrix/reorder/graph.hpp"
#include "matrix/reorder/reordering.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

using reordering::at;

constexpr std::int64_t rows_a_part = 2048;  ///< rows that a thread takes at a time

void check_order(const CsrView& a, const Reordering& r) {
    const bool fits_shape = a.rows == a.cols || r.method == ReorderMethod::rows;
    if (fits_shape && std::ssize(r.order) == a.rows && std::ssize(r.place) == a.cols) return;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the reordering is of {} rows, but the matrix is {} x {}: reorder this "
                            "matrix",
                            r.order.size(), a.rows, a.cols));
}

/// An entry of a row: its new column, and where it was.
struct Entry {
    std::int32_t column;
    std::int64_t from;
    auto operator<=>(const Entry&) const = default;
};

/// Calls f with an array type of as many bytes as a value has: values are copied, not computed
/// with.
template <typename F>
void dispatch_bytes(ValueType type, F f) {
    switch (size_of(type)) {
        case 4:
            return f(std::array<char, 4>{});
        case 8:
            return f(std::array<char, 8>{});
        default:
            return f(std::array<char, 16>{});
    }
}

template <typename Value, typename Index, typename Offset>
void fill(const CsrView& a, const Reordering& r, CsrMatrix& b, int threads, ValueOrder* order) {
    const auto* columns = a.col_idx_as<Index>();
    const auto* values = a.values_as<Value>();
    const auto row_ptr = b.row_ptr.as<Offset>();
    const auto to_columns = b.col_idx.as<Index>();
    const auto to_values = b.values.as<Value>();
    if (order != nullptr) *order = {b.offset_type, make_buffer<Offset>(b.nnz), {}, b.nnz, false};
    Offset* const from = order != nullptr ? order->from.as<Offset>().data() : nullptr;
    for_parts(a.rows, rows_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<Entry> row;
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t old = r.order[at(i)];
            row.clear();
            for (std::int64_t k = a.row_begin(old); k < a.row_begin(old + 1); ++k)
                row.push_back({r.place[at(columns[k])], k});
            std::ranges::sort(row);
            auto to = at(row_ptr[at(i)]);
            for (const Entry& entry : row) {
                to_columns[to] = static_cast<Index>(entry.column);
                if (from != nullptr) from[to] = static_cast<Offset>(entry.from);
                to_values[to++] = values[entry.from];
            }
        }
    });
}

template <typename Offset>
void fill_row_ptr(const CsrView& a, const Reordering& r, CsrMatrix& b) {
    b.row_ptr = make_buffer<Offset>(a.rows + 1);
    const auto row_ptr = b.row_ptr.as<Offset>();
    row_ptr[0] = 0;
    for (std::int64_t i = 0; i < a.rows; ++i)
        row_ptr[at(i) + 1] = row_ptr[at(i)] + static_cast<Offset>(a.row_length(r.order[at(i)]));
}

/// `place(i)`: where row and column i come to stand.
template <typename Place>
Bandedness measure(const CsrView& a, int threads, Place place) {
    std::int64_t bandwidth = 0, profile = 0;
    dispatch(a.index_type, [&](auto index) {
        const auto* columns = a.col_idx_as<decltype(index)>();
#pragma omp parallel for schedule(static) num_threads(thread_count(threads)) \
    reduction(max : bandwidth) reduction(+ : profile)
        for (std::int64_t i = 0; i < a.rows; ++i) {
            const std::int64_t row = place(i);
            std::int64_t first = row;
            for (std::int64_t k = a.row_begin(i); k < a.row_begin(i + 1); ++k) {
                const std::int64_t column = place(static_cast<std::int64_t>(columns[k]));
                first = std::min(first, column);
                bandwidth = std::max(bandwidth, column > row ? column - row : row - column);
            }
            profile += row - first;
        }
    });
    return {bandwidth, profile};
}

}  // namespace

CsrMatrix permute(const CsrView& a, const Reordering& r, int threads, ValueOrder* order) {
    check_order(a, r);
    CsrMatrix b{a.rows, a.cols, a.nnz, a.offset_type, a.index_type, a.value_type, {}, {}, {}};
    dispatch_bytes(a.value_type, [&]<typename Value>(Value) {
        dispatch(a.index_type, [&]<typename Index>(Index) {
            dispatch(a.offset_type, [&]<typename Offset>(Offset) {
                fill_row_ptr<Offset>(a, r, b);
                b.col_idx = make_buffer<Index>(a.nnz);
                b.values = make_buffer<Value>(a.nnz);
                fill<Value, Index, Offset>(a, r, b, threads, order);
            });
        });
    });
    return b;
}

Bandedness bandedness(const CsrView& a, int threads) {
    return measure(a, threads, [](std::int64_t i) { return i; });
}

Bandedness bandedness(const CsrView& a, const Reordering& r, int threads) {
    check_order(a, r);
    if (r.method == ReorderMethod::rows) return bandedness(a, threads);  // which counts places
    return measure(a, threads, [&](std::int64_t i) { return std::int64_t{r.place[at(i)]}; });
}

}  // namespace spmvgen
