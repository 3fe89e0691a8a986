#include "matrix/transpose.hpp"

#include <cstring>

#include <algorithm>
#include <complex>
#include <limits>
#include <vector>

#include "matrix/chunks.hpp"

namespace spmvgen {
namespace {

/// Counting sort by column. The rows are cut into parts; each part counts its entries of each
/// column, the counts become where the part's entries of a column go, and each part puts its own
/// there in order.
template <typename Index, typename Row, typename Offset>
class Transposition {
  public:
    Transposition(const CsrView& matrix, int threads)
        : a_(matrix),
          threads_(thread_count(threads)),
          // Counts for all parts together take no more memory than an offset an entry and column.
          parts_(std::clamp<std::int64_t>(1 + a_.nnz / std::max<std::int64_t>(a_.cols, 1), 1,
                                          threads_)),
          places_(static_cast<std::size_t>(parts_ * a_.cols)) {}

    /// Row offsets of the transpose; place() can be called afterwards.
    void count(Offset* row_ptr) {
        for_rows([&](std::int64_t, std::int64_t k, Offset* places) { ++places[column(k)]; });
        row_ptr[0] = 0;
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (std::int64_t j = 0; j < a_.cols; ++j) {
            Offset before = 0;
            for (std::int64_t part = 0; part < parts_; ++part) {
                Offset& place = places_[static_cast<std::size_t>(part * a_.cols + j)];
                const Offset count = place;
                place = before;
                before += count;
            }
            row_ptr[j + 1] = before;
        }
        for (std::int64_t j = 0; j < a_.cols; ++j) row_ptr[j + 1] += row_ptr[j];
    }

    template <typename Value, typename OfValue>
    void place(const Offset* row_ptr, Row* col_idx, Value* values, Offset* from_entry,
               OfValue of_value) {
        const Value* from = a_.values_as<Value>();
        for_rows([&](std::int64_t row, std::int64_t k, Offset* places) {
            const auto j = column(k);
            const Offset to = row_ptr[j] + places[j]++;
            col_idx[to] = static_cast<Row>(row);
            values[to] = of_value(from[k]);
            if (from_entry != nullptr) from_entry[to] = static_cast<Offset>(k);
        });
    }

  private:
    std::int64_t column(std::int64_t k) const {
        return static_cast<std::int64_t>(a_.col_idx_as<Index>()[k]);
    }
    /// The part's first row: parts have about equally many entries.
    std::int64_t first_row(std::int64_t part) const {
        if (part == parts_) return a_.rows;
        const std::int64_t entry = a_.nnz / parts_ * part;
        std::int64_t low = 0, high = a_.rows;
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            if (a_.row_begin(middle) < entry)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    /// visit(row, entry, the part's places) for each entry, parts at the same time, each in order.
    template <typename Visit>
    void for_rows(Visit visit) {
#pragma omp parallel for schedule(static, 1) num_threads(threads_)
        for (std::int64_t part = 0; part < parts_; ++part) {
            Offset* places = places_.data() + part * a_.cols;
            const std::int64_t end = first_row(part + 1);
            for (std::int64_t row = first_row(part); row < end; ++row)
                for (std::int64_t k = a_.row_begin(row); k < a_.row_begin(row + 1); ++k)
                    visit(row, k, places);
        }
    }

    const CsrView& a_;
    const int threads_;
    const std::int64_t parts_;
    std::vector<Offset> places_;  ///< of each part, of each column
};

template <typename Index, typename Row, typename Offset>
void fill(const CsrView& matrix, bool conjugate, int threads, CsrMatrix& t, ValueOrder* order) {
    Transposition<Index, Row, Offset> transposition(matrix, threads);
    auto* row_ptr = static_cast<Offset*>(t.row_ptr.data());
    auto* col_idx = static_cast<Row*>(t.col_idx.data());
    transposition.count(row_ptr);
    Offset* from_entry = nullptr;
    if (order != nullptr) {
        *order = {t.offset_type, make_buffer<Offset>(t.nnz), {}, t.nnz, conjugate};
        from_entry = order->from.as<Offset>().data();
    }
    dispatch(matrix.value_type, [&]<typename Value>(Value) {
        auto* values = static_cast<Value*>(t.values.data());
        if constexpr (std::is_floating_point_v<Value>) {
            transposition.place(row_ptr, col_idx, values, from_entry, [](Value v) { return v; });
        } else {
            transposition.place(row_ptr, col_idx, values, from_entry,
                                [&](Value v) { return conjugate ? std::conj(v) : v; });
        }
    });
}

}  // namespace

CsrView transpose_of(const CscView& a) {
    return {a.cols,       a.rows,    a.nnz,     a.offset_type, a.index_type,
            a.value_type, a.col_ptr, a.row_idx, a.values};
}

CsrMatrix transpose(const CsrView& matrix, bool conjugate, int threads, ValueOrder* order) {
    CsrMatrix t;
    t.rows = matrix.cols;
    t.cols = matrix.rows;
    t.nnz = matrix.nnz;
    t.value_type = matrix.value_type;
    t.index_type = narrowest(t.cols);
    t.offset_type = narrowest(t.nnz);
    dispatch(t.index_type, [&](auto row) {
        dispatch(t.offset_type, [&](auto offset) {
            dispatch(matrix.index_type, [&](auto index) {
                t.row_ptr = make_buffer<decltype(offset)>(t.rows + 1);
                t.col_idx = make_buffer<decltype(row)>(t.nnz);
                t.values = Buffer(static_cast<std::size_t>(t.nnz) * size_of(t.value_type));
                fill<decltype(index), decltype(row), decltype(offset)>(matrix, conjugate, threads,
                                                                       t, order);
            });
        });
    });
    return t;
}

CsrMatrix conjugate(const CsrView& a, int threads, ValueOrder* order) {
    const auto copy = [](const void* from, std::int64_t count, std::size_t element) {
        Buffer to(static_cast<std::size_t>(count) * element);
        if (to.bytes() > 0) std::memcpy(to.data(), from, to.bytes());
        return to;
    };
    ValueOrder same;
    same.count = a.nnz;
    same.conjugate = true;
    CsrMatrix result{a.rows,
                     a.cols,
                     a.nnz,
                     a.offset_type,
                     a.index_type,
                     a.value_type,
                     copy(a.row_ptr, a.rows > 0 ? a.rows + 1 : 0, size_of(a.offset_type)),
                     copy(a.col_idx, a.nnz, size_of(a.index_type)),
                     ordered_values(same, a.value_type, a.values, threads)};
    if (order != nullptr) *order = std::move(same);
    return result;
}

}  // namespace spmvgen
