#include "formats/batch.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "formats/layout.hpp"
#include "formats/narrow.hpp"
#include "formats/padded_rows.hpp"
#include "registry.hpp"

namespace spmvgen {
namespace {

/// Rows that GPUs' ELL is rounded up to, as templates/dialect/batches/gpu_batch.hpp has it.
constexpr std::int64_t gpu_ell_rows = 8;
/// ELL rounds rows up by less than this, on any machine.
constexpr std::int64_t most_ell_rows = 16;

/// A row of the table, in its order.
struct Placed {
    std::int64_t first_row, rows, first_col, cols, first_entry, first_value, count, detail;
};

/// How much of what is stored for one system.
struct Amount {
    std::int64_t entries = 0;  ///< with padding
    std::int64_t width = 0;    ///< ELL
    std::int64_t full = 0;     ///< ELL: columns with an entry in every row
};

class BatchWriter {
  public:
    BatchWriter(const BatchSystems& systems, const BatchFeatures& features,
                const Signature& signature)
        : systems_(systems),
          f_(features),
          s_(signature),
          format_(kernel_entry(signature.kernel).format),
          gpu_(is_gpu(signature)),
          ell_rows_(gpu_ ? gpu_ell_rows : param(signature, "lanes", 1)) {}

    StoredMatrix write(std::int64_t memory_limit);

  private:
    Amount amount_of(const CsrView& system) const;
    void place_systems();
    void check() const;
    template <typename Offset>
    void add_table();
    template <typename Offset>
    void add_work();
    template <typename Offset>
    void add_row_ptr();
    template <typename Index>
    void add_columns();
    template <typename Index>
    void add_row_numbers();
    template <typename From, typename To>
    void add_values();
    void count_bytes();

    /// Calls f(number, view, place) for each system whose pattern (whose values) are stored.
    template <typename F>
    void each_stored(std::int64_t count, F f) const {
#pragma omp parallel for schedule(dynamic, 16)
        for (std::int64_t i = 0; i < count; ++i) f(systems_[i], at_[static_cast<std::size_t>(i)]);
    }
    /// Calls f(place, entry) for each stored element of a system; entry -1 = padding.
    template <typename F>
    void each_entry(const CsrView& m, F f) const;

    std::int64_t patterns() const {
        return f_.kind == BatchKind::flexible ? f_.systems : std::min<std::int64_t>(1, f_.systems);
    }
    std::int64_t value_sets() const {
        return f_.kind == BatchKind::one_matrix ? std::min<std::int64_t>(1, f_.systems)
                                                : f_.systems;
    }

    const BatchSystems& systems_;
    const BatchFeatures& f_;
    const Signature& s_;
    Format format_;
    bool gpu_;
    std::int64_t ell_rows_;
    std::vector<Placed> at_;            ///< of each system
    std::vector<std::int64_t> stored_;  ///< entries of each system, with padding
    std::int64_t pattern_entries_ = 0, value_entries_ = 0, pointers_ = 0, read_ = 0;
    StoredMatrix out_;
};

Amount BatchWriter::amount_of(const CsrView& m) const {
    if (format_ != Format::ell) return {m.nnz, 0, 0};
    Amount a;
    a.full = m.rows > 0 ? m.row_length(0) : 0;
    for (std::int64_t row = 0; row < m.rows; ++row) {
        a.width = std::max(a.width, m.row_length(row));
        a.full = std::min(a.full, m.row_length(row));
    }
    a.entries = round_up(m.rows, ell_rows_) * a.width;
    return a;
}

void BatchWriter::place_systems() {
    const auto count = static_cast<std::size_t>(f_.systems);
    std::vector<Amount> amounts(count);
#pragma omp parallel for schedule(dynamic, 16)
    for (std::int64_t i = 0; i < patterns(); ++i)
        amounts[static_cast<std::size_t>(i)] = amount_of(systems_[i]);
    at_.resize(count);
    stored_.resize(count);
    Placed next{};
    for (std::size_t i = 0; i < count; ++i) {
        const CsrView& m = systems_[static_cast<std::int64_t>(i)];
        const Amount& a = amounts[f_.kind == BatchKind::flexible ? i : 0];
        Placed placed = next;
        placed.rows = m.rows;
        placed.cols = m.cols;
        placed.count = format_ == Format::ell ? a.width : m.nnz;
        placed.detail = format_ == Format::csr ? next.detail : a.full;
        at_[i] = placed;
        stored_[i] = a.entries;
        next.first_row += m.rows;
        next.first_col += m.cols;
        if (f_.kind == BatchKind::flexible) next.first_entry += a.entries;
        if (f_.kind == BatchKind::flexible) next.detail += m.rows + 1;
        if (f_.kind != BatchKind::one_matrix) next.first_value += a.entries;
        if (static_cast<std::int64_t>(i) < patterns()) pattern_entries_ += a.entries;
        if (static_cast<std::int64_t>(i) < patterns()) pointers_ += m.rows + 1;
        if (static_cast<std::int64_t>(i) < value_sets()) value_entries_ += a.entries;
        read_ += a.entries + m.rows;
    }
}

void BatchWriter::check() const {
    check_fits(std::max(f_.max_cols, f_.max_rows), s_.index, "rows or columns of a system",
               "index");
    check_fits(std::max({pattern_entries_, value_entries_, f_.rows + f_.systems, f_.cols,
                         gpu_ ? 0 : read_}),
               s_.offset, "elements", "offset");
    check_padding(batch_totals(f_), out_, static_cast<double>(value_entries_));
    for (std::int64_t i = 0; i < value_sets(); ++i)
        in_system(i, [&] { check_storable(systems_[i], s_); });
}

template <typename Offset>
void BatchWriter::add_table() {
    std::vector<std::int64_t> order(at_.size());
    std::iota(order.begin(), order.end(), 0);
    if (gpu_ && f_.kind == BatchKind::flexible)
        std::ranges::stable_sort(order, std::greater(),
                                 [&](auto i) { return stored_[static_cast<std::size_t>(i)]; });
    Offset* table = add_array<Offset>(out_, "systems", f_.systems * batch_fields);
    for (const std::int64_t i : order) {
        const Placed& p = at_[static_cast<std::size_t>(i)];
        for (const std::int64_t field : {p.first_row, p.rows, p.first_col, p.cols, p.first_entry,
                                         p.first_value, p.count, p.detail})
            *table++ = static_cast<Offset>(field);
    }
}

template <typename Offset>
void BatchWriter::add_work() {
    Offset* work = add_array<Offset>(out_, "work_ptr", f_.systems + 1);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < at_.size(); ++i) {
        *work++ = static_cast<Offset>(sum);
        sum += stored_[i] + at_[i].rows;
    }
    *work = static_cast<Offset>(sum);
}

template <typename Offset>
void BatchWriter::add_row_ptr() {
    Offset* all = add_array<Offset>(out_, "row_ptr", pointers_);
    each_stored(patterns(), [&](const CsrView& m, const Placed& at) {
        all[at.detail] = 0;  // a matrix without rows need not have offsets
        for (std::int64_t row = 0; row < m.rows; ++row)
            all[at.detail + row + 1] = static_cast<Offset>(m.row_begin(row + 1));
    });
}

template <typename F>
void BatchWriter::each_entry(const CsrView& m, F f) const {
    if (format_ != Format::ell) {
        for (std::int64_t k = 0; k < m.nnz; ++k) f(k, k);
        return;
    }
    std::int64_t width = 0;
    for (std::int64_t row = 0; row < m.rows; ++row) width = std::max(width, m.row_length(row));
    const std::int64_t stride = round_up(m.rows, ell_rows_);
    for (std::int64_t row = 0; row < stride; ++row) {
        const std::int64_t begin = row < m.rows ? m.row_begin(row) : 0;
        const std::int64_t length = row < m.rows ? m.row_length(row) : 0;
        for (std::int64_t k = 0; k < width; ++k) f(k * stride + row, k < length ? begin + k : -1);
    }
}

template <typename Index>
void BatchWriter::add_columns() {
    Index* all = add_array<Index>(out_, "col_idx", pattern_entries_);
    each_stored(patterns(), [&](const CsrView& m, const Placed& at) {
        each_entry(m, [&](std::int64_t place, std::int64_t entry) {
            all[at.first_entry + place] = entry < 0 ? Index{-1} : static_cast<Index>(m.col(entry));
        });
    });
}

template <typename Index>
void BatchWriter::add_row_numbers() {
    Index* all = add_array<Index>(out_, "row_idx", pattern_entries_);
    each_stored(patterns(), [&](const CsrView& m, const Placed& at) {
        for (std::int64_t row = 0; row < m.rows; ++row)
            std::fill(all + at.first_entry + m.row_begin(row),
                      all + at.first_entry + m.row_begin(row + 1), static_cast<Index>(row));
    });
}

template <typename From, typename To>
void BatchWriter::add_values() {
    To* all = add_array<To>(out_, "values", value_entries_);
    each_stored(value_sets(), [&](const CsrView& m, const Placed& at) {
        const From* values = m.values_as<From>();
        each_entry(m, [&](std::int64_t place, std::int64_t entry) {
            all[at.first_value + place] = entry < 0 ? To{} : stored_value<To>(values[entry]);
        });
    });
}

void BatchWriter::count_bytes() {
    const auto index = static_cast<std::int64_t>(size_of(s_.index));
    const auto offset = static_cast<std::int64_t>(size_of(s_.offset));
    out_.stored = value_entries_;
    out_.bytes = value_entries_ * static_cast<std::int64_t>(size_of(storage_type(s_))) +
                 pattern_entries_ * index * (format_ == Format::coo ? 2 : 1) +
                 f_.systems * batch_fields * offset;
    if (format_ == Format::csr) out_.bytes += pointers_ * offset;
}

StoredMatrix BatchWriter::write(std::int64_t memory_limit) {
    out_ = new_stored(format_, batch_totals(f_), memory_limit);
    out_.scalars["num_systems"] = f_.systems;
    place_systems();
    check();
    dispatch(s_.offset, [&]<typename Offset>(Offset) {
        add_table<Offset>();
        if (!gpu_) add_work<Offset>();
        if (format_ == Format::csr) add_row_ptr<Offset>();
    });
    dispatch(s_.index, [&]<typename Index>(Index) {
        add_columns<Index>();
        if (format_ == Format::coo) add_row_numbers<Index>();
    });
    dispatch_values(f_.value_type, s_,
                    [&]<typename From, typename To>(From, To) { add_values<From, To>(); });
    count_bytes();
    return std::move(out_);
}

}  // namespace

CsrView batch_totals(const BatchFeatures& f) {
    CsrView totals;
    totals.rows = f.rows;
    totals.cols = f.cols;
    totals.nnz = f.nnz;
    totals.value_type = f.value_type;
    return totals;
}

std::int64_t largest_offset(const BatchFeatures& f) {
    const std::int64_t ell = f.ell_entries + f.systems * most_ell_rows * f.max_row;
    return std::max(f.cols, f.rows + f.systems + std::max(f.nnz, ell));
}

StoredMatrix store_batch(const BatchSystems& systems, const BatchFeatures& features,
                         const Signature& signature, std::int64_t memory_limit) {
    return BatchWriter(systems, features, signature).write(memory_limit);
}

StoredSystem stored_system(const StoredMatrix& stored, const Signature& s, std::int64_t number) {
    const auto at = [&](const char* name, std::int64_t first, std::size_t element) {
        return static_cast<const std::byte*>(stored.arrays.at(name)) +
               static_cast<std::size_t>(first) * element;
    };
    return dispatch(s.offset, [&]<typename Offset>(Offset) -> StoredSystem {
        const auto* table = static_cast<const Offset*>(stored.arrays.at("systems"));
        const Offset* fields = table + number * batch_fields;
        const CsrView matrix{fields[1],
                             fields[3],
                             fields[6],
                             s.offset,
                             s.index,
                             widened_type(storage_type(s)),
                             at("row_ptr", fields[7], sizeof(Offset)),
                             at("col_idx", fields[4], size_of(s.index)),
                             at("values", fields[5], size_of(widened_type(storage_type(s))))};
        return {matrix, fields[0], fields[2]};
    });
}

}  // namespace spmvgen
