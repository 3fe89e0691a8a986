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
constexpr std::int64_t rows_ahead = 8;      ///< until a row is copied that is prefetched

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

/// The entries of a row of A, of which row `i` of B is made.
template <typename Value, typename Index, typename Offset>
class RowCopier {
  public:
    RowCopier(const CsrView& a, const Reordering& r, CsrMatrix& b, Offset* from)
        : columns_(a.col_idx_as<Index>()),
          values_(a.values_as<Value>()),
          to_columns_(b.col_idx.as<Index>().data()),
          to_values_(b.values.as<Value>().data()),
          from_(from),
          place_(r.method != ReorderMethod::rows ? r.place.data() : nullptr) {}

    /// Says that the entries from `begin` on will be copied soon.
    void prefetch(Offset begin) const {
        __builtin_prefetch(columns_ + begin);
        __builtin_prefetch(values_ + begin);
    }
    /// Copies entries begin … end-1 of A to `to` and on. `row` is room of the caller's thread.
    void copy(Offset begin, Offset end, Offset to, std::vector<Entry>& row) const {
        if (place_ == nullptr && std::is_sorted(columns_ + begin, columns_ + end)) {
            std::copy(columns_ + begin, columns_ + end, to_columns_ + to);
            std::copy(values_ + begin, values_ + end, to_values_ + to);
            if (from_ != nullptr) std::iota(from_ + to, from_ + to + (end - begin), begin);
            return;
        }
        row.clear();
        for (Offset k = begin; k < end; ++k) row.push_back({column(k), k});
        std::ranges::sort(row);
        for (const Entry& entry : row) {
            to_columns_[to] = static_cast<Index>(entry.column);
            if (from_ != nullptr) from_[to] = static_cast<Offset>(entry.from);
            to_values_[to++] = values_[entry.from];
        }
    }

  private:
    std::int32_t column(Offset k) const {
        return place_ != nullptr ? place_[at(columns_[k])] : static_cast<std::int32_t>(columns_[k]);
    }

    const Index* columns_;
    const Value* values_;
    Index* to_columns_;
    Value* to_values_;
    Offset* from_;               ///< where each value came from; null = not wanted
    const std::int32_t* place_;  ///< of columns; null = they stay
};

template <typename Value, typename Index, typename Offset>
void fill(const CsrView& a, const Reordering& r, CsrMatrix& b, int threads, ValueOrder* order) {
    const auto* row_ptr = a.row_ptr_as<Offset>();
    const auto to_row_ptr = b.row_ptr.as<Offset>();
    if (order != nullptr) *order = {b.offset_type, make_buffer<Offset>(b.nnz), {}, b.nnz, false};
    Offset* const from = order != nullptr ? order->from.as<Offset>().data() : nullptr;
    const RowCopier<Value, Index, Offset> copier(a, r, b, from);
    for_parts(a.rows, rows_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<Entry> row;
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t old = r.order[at(i)];
            if (i + rows_ahead < end) copier.prefetch(row_ptr[r.order[at(i + rows_ahead)]]);
            copier.copy(row_ptr[old], row_ptr[old + 1], to_row_ptr[at(i)], row);
        }
    });
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

/// The row offsets of B = PA, whose row i is row order[i] of A.
Buffer row_ptr_in_order(const CsrView& a, std::span<const std::int32_t> order, int threads) {
    return dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        const auto* const own = a.row_ptr_as<Offset>();
        Buffer made = make_buffer<Offset>(a.rows + 1);
        const auto row_ptr = made.as<Offset>();
        row_ptr[0] = 0;
        for_parts(a.rows, rows_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i)
                row_ptr[at(i) + 1] = own[order[at(i)] + 1] - own[order[at(i)]];
        });
        std::partial_sum(row_ptr.begin(), row_ptr.end(), row_ptr.begin());
        return made;
    });
}

}  // namespace

ValueOrder rows_in_order(const CsrView& a, std::span<const std::int32_t> order, int threads) {
    return dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        const auto* const row_ptr = a.row_ptr_as<Offset>();
        ValueOrder made{a.offset_type, make_buffer<Offset>(a.rows), {}, a.nnz, false};
        made.pieces = row_ptr_in_order(a, order, threads);
        const auto from = made.from.as<Offset>();
        for_parts(a.rows, rows_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) from[at(i)] = row_ptr[order[at(i)]];
        });
        return made;
    });
}

CsrMatrix permute(const CsrView& a, const Reordering& r, int threads, ValueOrder* order) {
    check_order(a, r);
    CsrMatrix b{a.rows, a.cols, a.nnz, a.offset_type, a.index_type, a.value_type, {}, {}, {}};
    dispatch_bytes(a.value_type, [&]<typename Value>(Value) {
        dispatch(a.index_type, [&]<typename Index>(Index) {
            dispatch(a.offset_type, [&]<typename Offset>(Offset) {
                b.row_ptr = row_ptr_in_order(a, r.order, threads);
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
