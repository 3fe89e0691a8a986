#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernel/refuse.hpp"
#include "matrix/chunks.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/parts/column_marks.hpp"
#include "matrix/parts/partition.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t rows_at_once = 4096;

/// Rows of a CSR: as many as the part has, from row `begin` of the arrays on.
struct OwnRows {
    const CsrView& matrix;
    std::int64_t begin;
};

void check_size(const char* what, int part, std::int64_t size) {
    if (size > INT32_MAX)
        refuse(fmt::format("part {} has {} {}, but at most {} can be numbered: use more parts",
                           part, size, what, INT32_MAX));
}

/// Of all parts: each may send elements to any, which are numbered within it.
void check_columns(const RowPartition& partition) {
    for (std::size_t p = 0; p + 1 < partition.cols.size(); ++p)
        check_size("columns", static_cast<int>(p), partition.cols[p + 1] - partition.cols[p]);
}

/// Allocates what is behind the rows, and makes row_ptr of the lengths in ends[1…].
void lay_out(CsrArrays& a, std::vector<std::int64_t>& ends) {
    for (std::size_t i = 1; i < ends.size(); ++i) ends[i] += ends[i - 1];
    const auto entries = static_cast<std::size_t>(ends.back());
    a.rows = static_cast<std::int64_t>(ends.size()) - 1;
    a.offset_type = narrowest(ends.back());
    a.row_ptr.resize(ends.size() * size_of(a.offset_type));
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        std::ranges::transform(ends, reinterpret_cast<Offset*>(a.row_ptr.data()),
                               [](std::int64_t end) { return static_cast<Offset>(end); });
    });
    a.col_idx.resize(entries);
    a.values.resize(entries * size_of(a.value_type));
}

/// What splitting needs of the types of the matrix.
template <typename Index, typename Offset>
class Splitter {
  public:
    Splitter(const OwnRows& rows, const RowPartition& partition, Part& part)
        : row_ptr_(rows.matrix.row_ptr_as<Offset>()),
          col_idx_(rows.matrix.col_idx_as<Index>()),
          values_(static_cast<const std::byte*>(rows.matrix.values)),
          value_bytes_(size_of(rows.matrix.value_type)),
          begin_(rows.begin),
          partition_(partition),
          part_(part),
          first_(partition.cols[static_cast<std::size_t>(part.number)]),
          end_(partition.cols[static_cast<std::size_t>(part.number) + 1]),
          marks_(partition.cols.back()) {}

    void run() {
        const auto number = static_cast<std::size_t>(part_.number);
        const std::int64_t rows = partition_.rows[number + 1] - partition_.rows[number];
        std::vector<std::int64_t> local(static_cast<std::size_t>(rows) + 1), halo(local.size());
        count(local, halo);
        part_.halo_columns = marks_.number();
        check_size("elements of the halo", part_.number,
                   static_cast<std::int64_t>(part_.halo_columns.size()));
        part_.local.cols = end_ - first_;
        part_.halo.cols = static_cast<std::int64_t>(part_.halo_columns.size());
        list_halo_rows(halo);
        lay_out(part_.local, local);
        lay_out(part_.halo, halo);
        fill(local, halo);
    }

  private:
    bool is_own(std::int64_t column) const { return column >= first_ && column < end_; }
    std::pair<std::size_t, std::size_t> entries(std::int64_t row) const {
        return {static_cast<std::size_t>(row_ptr_[begin_ + row]),
                static_cast<std::size_t>(row_ptr_[begin_ + row + 1])};
    }

    /// The rows' lengths behind element 0, and the columns of the halo.
    void count(std::vector<std::int64_t>& local, std::vector<std::int64_t>& halo) {
        const auto rows = static_cast<std::int64_t>(local.size()) - 1;
        for_parts(rows, rows_at_once, 0, [&](std::int64_t from, std::int64_t to, int) {
            for (std::int64_t row = from; row < to; ++row) {
                const auto [begin, end] = entries(row);
                std::int64_t others = 0;
                for (std::size_t k = begin; k < end; ++k) {
                    const auto column = static_cast<std::int64_t>(col_idx_[k]);
                    if (is_own(column)) continue;
                    ++others;
                    marks_.add(column);
                }
                const auto i = static_cast<std::size_t>(row) + 1;
                local[i] = static_cast<std::int64_t>(end - begin) - others;
                halo[i] = others;
            }
        });
    }

    /// Leaves the lengths of the rows that have any.
    void list_halo_rows(std::vector<std::int64_t>& halo) {
        std::size_t kept = 1;
        for (std::size_t i = 1; i < halo.size(); ++i) {
            if (halo[i] == 0) continue;
            part_.halo_rows.push_back(static_cast<std::int32_t>(i - 1));
            halo[kept++] = halo[i];
        }
        halo.resize(kept);
    }

    void put(CsrArrays& to, std::int64_t at, std::int64_t column, std::size_t entry) const {
        const auto i = static_cast<std::size_t>(at);
        to.col_idx[i] = static_cast<std::int32_t>(column);
        std::memcpy(to.values.data() + i * value_bytes_, values_ + entry * value_bytes_,
                    value_bytes_);
    }

    void fill(const std::vector<std::int64_t>& local, const std::vector<std::int64_t>& halo) {
        const auto rows = static_cast<std::int64_t>(local.size()) - 1;
        for_parts(rows, rows_at_once, 0, [&](std::int64_t from, std::int64_t to, int) {
            auto listed = static_cast<std::size_t>(std::ranges::lower_bound(part_.halo_rows, from) -
                                                   part_.halo_rows.begin());
            for (std::int64_t row = from; row < to; ++row) {
                const auto [begin, end] = entries(row);
                std::int64_t at = local[static_cast<std::size_t>(row)];
                const bool has_halo =
                    listed < part_.halo_rows.size() && part_.halo_rows[listed] == row;
                std::int64_t at_halo = has_halo ? halo[listed] : 0;
                for (std::size_t k = begin; k < end; ++k) {
                    const auto column = static_cast<std::int64_t>(col_idx_[k]);
                    if (is_own(column))
                        put(part_.local, at++, column - first_, k);
                    else
                        put(part_.halo, at_halo++, marks_.number_of(column), k);
                }
                listed += has_halo;
            }
        });
    }

    const Offset* const row_ptr_;
    const Index* const col_idx_;
    const std::byte* const values_;
    const std::size_t value_bytes_;
    const std::int64_t begin_;
    const RowPartition& partition_;
    Part& part_;
    const std::int64_t first_, end_;  ///< the part's columns
    ColumnMarks marks_;
};

/// By the part that has them.
void group_halo(Part& part, const RowPartition& partition) {
    const auto& columns = part.halo_columns;
    part.halo_elements.reserve(columns.size());
    for (std::size_t k = 0; k < columns.size();) {
        const auto owner =
            std::ranges::upper_bound(partition.cols, columns[k]) - partition.cols.begin() - 1;
        const std::int64_t first = partition.cols[static_cast<std::size_t>(owner)];
        const std::int64_t end = partition.cols[static_cast<std::size_t>(owner) + 1];
        Exchange receive{static_cast<int>(owner), static_cast<std::int64_t>(k), 0};
        for (; k < columns.size() && columns[k] < end; ++k, ++receive.count)
            part.halo_elements.push_back(static_cast<std::int32_t>(columns[k] - first));
        part.receives.push_back(receive);
    }
}

Part split(const OwnRows& rows, const RowPartition& partition, int number) {
    const auto p = static_cast<std::size_t>(number);
    Part part;
    part.number = number;
    part.first_row = partition.rows[p];
    part.first_col = partition.cols[p];
    check_size("rows", number, partition.rows[p + 1] - partition.rows[p]);
    part.local.value_type = part.halo.value_type = rows.matrix.value_type;
    // Without rows row_ptr may be null.
    if (partition.rows[p + 1] == partition.rows[p]) {
        std::vector<std::int64_t> none(1), none_either(1);
        part.local.cols = partition.cols[p + 1] - partition.cols[p];
        lay_out(part.local, none);
        lay_out(part.halo, none_either);
        return part;
    }
    dispatch(rows.matrix.index_type, [&]<typename Index>(Index) {
        dispatch(rows.matrix.offset_type, [&]<typename Offset>(Offset) {
            Splitter<Index, Offset>(rows, partition, part).run();
        });
    });
    group_halo(part, partition);
    return part;
}

/// Columns of A that part `from` wants.
void add_send(Part& part, int from, std::span<const std::int64_t> wanted) {
    if (wanted.empty()) return;
    part.sends.push_back({from, static_cast<std::int64_t>(part.send_elements.size()),
                          static_cast<std::int64_t>(wanted.size())});
    for (const std::int64_t column : wanted) {
        if (column < part.first_col || column >= part.first_col + part.cols())
            refuse(fmt::format("part {} wants column {} of part {}, which has columns {}…{}", from,
                               column, part.number, part.first_col,
                               part.first_col + part.cols() - 1));
        part.send_elements.push_back(static_cast<std::int32_t>(column - part.first_col));
    }
}

}  // namespace

Part make_part(const CsrView& own_rows, const RowPartition& partition, int number) {
    check_partition(partition, -1, own_rows.cols);
    if (number < 0 || number >= partition.parts())
        refuse(fmt::format("there is no part {}: the partition has {}", number, partition.parts()));
    const auto p = static_cast<std::size_t>(number);
    if (own_rows.rows != partition.rows[p + 1] - partition.rows[p])
        refuse(fmt::format("part {} has {} rows, but {} are given", number,
                           partition.rows[p + 1] - partition.rows[p], own_rows.rows));
    validate(own_rows);
    check_columns(partition);
    return split({own_rows, 0}, partition, number);
}

std::vector<Part> make_parts(const CsrView& matrix, const RowPartition& partition) {
    check_partition(partition, matrix.rows, matrix.cols);
    validate(matrix);
    check_columns(partition);
    std::vector<Part> parts;
    for (int p = 0; p < partition.parts(); ++p)
        parts.push_back(split({matrix, partition.rows[static_cast<std::size_t>(p)]}, partition, p));
    for (Part& part : parts)
        for (const Exchange& receive : part.receives)
            add_send(parts[static_cast<std::size_t>(receive.part)], part.number,
                     columns_of(part, receive));
    return parts;
}

void set_sends(Part& part, std::span<const std::vector<std::int64_t>> wanted) {
    part.sends.clear();
    part.send_elements.clear();
    for (std::size_t p = 0; p < wanted.size(); ++p) add_send(part, static_cast<int>(p), wanted[p]);
}

}  // namespace spmvgen
