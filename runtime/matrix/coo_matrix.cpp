#include "matrix/coo_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "matrix/chunks.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t rows_a_part = 1024;  ///< that a thread sorts at a time

[[noreturn]] void broken_coo(const std::string& what) {
    throw Error(ErrorCode::invalid_argument, "broken COO matrix: " + what);
}

template <typename Index>
std::int64_t first_wrong_entry(const CooView& a) {
    const auto* rows = static_cast<const Index*>(a.row_idx);
    const auto* cols = static_cast<const Index*>(a.col_idx);
    std::int64_t first = a.nnz;
#pragma omp parallel for schedule(static) reduction(min : first)
    for (std::int64_t k = 0; k < a.nnz; ++k) {
        const std::int64_t row = rows[k], col = cols[k];
        if (row < 0 || row >= a.rows || col < 0 || col >= a.cols) first = std::min(first, k);
    }
    return first;
}

/// A stable counting sort by row, then a sort of each row by column. Index: of the entries; Col: of
/// the CSR's columns; Offset: of offsets and of numbers of entries.
template <typename Index, typename Col, typename Offset>
class Sorter {
  public:
    Sorter(const CooView& a, int threads)
        : a_(a),
          rows_(static_cast<const Index*>(a.row_idx)),
          cols_(static_cast<const Index*>(a.col_idx)),
          threads_(thread_count(threads)),
          // Counts for all parts together take no more memory than an offset an entry and row.
          parts_(std::clamp<std::int64_t>(1 + a.nnz / std::max<std::int64_t>(a.rows, 1), 1,
                                          threads_)) {}

    SortedCoo sort() {
        place_by_row();
        sort_rows();
        SortedCoo sorted;
        sorted.order.type = type_tag<Offset>::value;
        if (distinct_ < a_.nnz) merge(sorted.order);
        sorted.order.count = distinct_;
        sorted.in_order = distinct_ == a_.nnz && is_identity();
        if (!sorted.in_order) sorted.order.from = std::move(from_);
        sorted.matrix = {a_.rows,
                         a_.cols,
                         distinct_,
                         type_tag<Offset>::value,
                         type_tag<Col>::value,
                         a_.value_type,
                         std::move(row_ptr_),
                         std::move(col_idx_),
                         {}};
        return sorted;
    }

  private:
    /// Calls visit(entry, the part's places) for each entry, parts at the same time, each in order.
    template <typename Visit>
    void for_entries(std::vector<Offset>& places, Visit visit) {
#pragma omp parallel for schedule(static, 1) num_threads(threads_)
        for (std::int64_t part = 0; part < parts_; ++part) {
            const std::int64_t end = part + 1 < parts_ ? a_.nnz / parts_ * (part + 1) : a_.nnz;
            for (std::int64_t k = a_.nnz / parts_ * part; k < end; ++k)
                visit(k, places.data() + part * a_.rows);
        }
    }

    /// from_ = the entries by row, each row in its given order; row_ptr_ and their columns.
    void place_by_row() {
        row_ptr_ = make_buffer<Offset>(a_.rows + 1);
        from_ = make_buffer<Offset>(a_.nnz);
        col_idx_ = make_buffer<Col>(a_.nnz);
        Offset* const row_ptr = row_ptr_.as<Offset>().data();
        Offset* const from = from_.as<Offset>().data();
        Col* const columns = col_idx_.as<Col>().data();
        std::vector<Offset> places(static_cast<std::size_t>(parts_ * a_.rows));
        for_entries(places, [&](std::int64_t k, Offset* own) { ++own[rows_[k]]; });
        row_ptr[0] = 0;
        for (std::int64_t row = 0; row < a_.rows; ++row) {
            Offset place = row_ptr[row];
            for (std::int64_t part = 0; part < parts_; ++part)
                place +=
                    std::exchange(places[static_cast<std::size_t>(part * a_.rows + row)], place);
            row_ptr[row + 1] = place;
        }
        for_entries(places, [&](std::int64_t k, Offset* own) {
            const Offset to = own[rows_[k]]++;
            from[to] = static_cast<Offset>(k);
            columns[to] = static_cast<Col>(cols_[k]);
        });
    }

    /// Sorts each row by column, equal ones in their given order; counts the different places.
    void sort_rows() {
        const Offset* const row_ptr = row_ptr_.as<Offset>().data();
        Offset* const from = from_.as<Offset>().data();
        Col* const columns = col_idx_.as<Col>().data();
        lengths_.resize(static_cast<std::size_t>(a_.rows));
        for_parts(a_.rows, rows_a_part, threads_, [&](std::int64_t first, std::int64_t last, int) {
            std::vector<std::pair<Col, Offset>> row;
            for (std::int64_t i = first; i < last; ++i) {
                const Offset begin = row_ptr[i], end = row_ptr[i + 1];
                if (!std::is_sorted(columns + begin, columns + end)) {
                    row.clear();
                    for (Offset k = begin; k < end; ++k) row.emplace_back(columns[k], from[k]);
                    std::ranges::sort(row);
                    for (Offset k = begin; k < end; ++k)
                        std::tie(columns[k], from[k]) = row[static_cast<std::size_t>(k - begin)];
                }
                Offset distinct = end > begin ? 1 : 0;
                for (Offset k = begin + 1; k < end; ++k) distinct += columns[k] != columns[k - 1];
                lengths_[static_cast<std::size_t>(i)] = distinct;
            }
        });
        for (const Offset length : lengths_) distinct_ += length;
    }

    /// Leaves one column of each place, and tells which entries are added up there.
    void merge(ValueOrder& order) {
        Buffer merged_ptr = make_buffer<Offset>(a_.rows + 1);
        Buffer merged_columns = make_buffer<Col>(distinct_);
        order.begins = make_buffer<Offset>(distinct_ + 1);
        const Offset* const row_ptr = row_ptr_.as<Offset>().data();
        const Col* const columns = col_idx_.as<Col>().data();
        Offset* const ptr = merged_ptr.as<Offset>().data();
        Col* const to = merged_columns.as<Col>().data();
        Offset* const begins = order.begins.as<Offset>().data();
        ptr[0] = 0;
        for (std::int64_t i = 0; i < a_.rows; ++i)
            ptr[i + 1] = ptr[i] + lengths_[static_cast<std::size_t>(i)];
        begins[distinct_] = static_cast<Offset>(a_.nnz);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads_)
        for (std::int64_t i = 0; i < a_.rows; ++i) {
            Offset place = ptr[i];
            for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                if (k > row_ptr[i] && columns[k] == columns[k - 1]) continue;
                to[place] = columns[k];
                begins[place++] = k;
            }
        }
        row_ptr_ = std::move(merged_ptr);
        col_idx_ = std::move(merged_columns);
    }

    bool is_identity() const {
        const auto from = from_.as<Offset>();
        for (std::size_t k = 0; k < from.size(); ++k)
            if (static_cast<std::size_t>(from[k]) != k) return false;
        return true;
    }

    const CooView& a_;
    const Index* rows_;
    const Index* cols_;
    const int threads_;
    const std::int64_t parts_;
    Buffer row_ptr_, col_idx_, from_;
    std::vector<Offset> lengths_;  ///< different columns of each row
    std::int64_t distinct_ = 0;
};

}  // namespace

void validate_shape(const CooView& a) {
    if (a.rows < 0 || a.cols < 0 || a.nnz < 0)
        broken_coo(
            fmt::format("negative size ({} rows, {} columns, {} entries)", a.rows, a.cols, a.nnz));
    if (a.nnz == 0) return;
    if (a.row_idx == nullptr) broken_coo("row_idx is null");
    if (a.col_idx == nullptr) broken_coo("col_idx is null");
    if (a.values == nullptr) broken_coo("values is null");
}

void validate(const CooView& a) {
    validate_shape(a);
    if (a.nnz == 0) return;
    dispatch(a.index_type, [&]<typename Index>(Index) {
        const std::int64_t k = first_wrong_entry<Index>(a);
        if (k == a.nnz) return;
        const auto row = static_cast<std::int64_t>(static_cast<const Index*>(a.row_idx)[k]);
        const auto col = static_cast<std::int64_t>(static_cast<const Index*>(a.col_idx)[k]);
        if (row < 0 || row >= a.rows)
            broken_coo(fmt::format("entry {} has row {}, outside the {} rows (counted from 0)", k,
                                   row, a.rows));
        broken_coo(
            fmt::format("entry {} (row {}) has column {}, outside the {} columns (counted from 0)",
                        k, row, col, a.cols));
    });
}

SortedCoo sort_entries(const CooView& a, int threads) {
    SortedCoo sorted = dispatch(a.index_type, [&]<typename Index>(Index) {
        return dispatch(narrowest(a.cols), [&]<typename Col>(Col) {
            return dispatch(narrowest(a.nnz), [&]<typename Offset>(Offset) {
                return Sorter<Index, Col, Offset>(a, threads).sort();
            });
        });
    });
    if (sorted.in_order) {
        sorted.matrix.values = Buffer(static_cast<std::size_t>(a.nnz) * size_of(a.value_type));
        if (a.nnz > 0)
            std::memcpy(sorted.matrix.values.data(), a.values, sorted.matrix.values.bytes());
    } else {
        sorted.matrix.values = ordered_values(sorted.order, a.value_type, a.values, threads);
    }
    return sorted;
}

}  // namespace spmvgen
