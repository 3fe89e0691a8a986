#include "matrix/sampler/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "matrix/chunks.hpp"
#include "matrix/memory_limit.hpp"
#include "matrix/random.hpp"
#include "matrix/sampler/numbering.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen::sampler {
namespace {

using generators::Purpose;
using generators::Random;

class ValueDraw {
  public:
    ValueDraw(const RandomSpec& spec, bool symmetric)
        : kind_(spec.values), symmetric_(symmetric), random_(spec.seed, Purpose::value) {
        if (kind_ == EntryValues::few) numbers_ = 2 + random_.below(62, -1);
        if (kind_ == EntryValues::units) numbers_ = 1 + random_.below(40, -1);
        if (kind_ == EntryValues::weights) numbers_ = 4 + random_.below(97, -1);
        share_ = 50 + random_.below(46, -3);
    }

    double at(std::int64_t i, std::int64_t j, std::int64_t row_length) const {
        if (symmetric_ && i > j) std::swap(i, j);
        switch (kind_) {
            case EntryValues::ones:
                return 1;
            case EntryValues::signs:
                return sign(i, j);
            case EntryValues::few:
                return number(random_.below(numbers_, i, j), -2);
            case EntryValues::laplacian:
                return i == j ? static_cast<double>(row_length) : -1;
            case EntryValues::units:
                if (random_.below(100, j, i) < share_) return sign(i, j);
                return quarters(random_.below(numbers_, i, j));
            case EntryValues::weights:
                if (row_length > 4 && random_.below(2, i, -4) == 0)
                    return static_cast<double>(1 + random_.below(numbers_, i, j));
                return row_length > 4 ? 1 : sign(i, j);
            default:
                return number(i, j);
        }
    }

  private:
    double number(std::int64_t a, std::int64_t b) const { return 2 * random_.unit(a, b) - 1; }
    double sign(std::int64_t i, std::int64_t j) const {
        return random_.below(2, i, j) == 0 ? 1 : -1;
    }
    /// The k-th of a few, up to 100 and down to -100.
    double quarters(std::int64_t k) const {
        const auto quarter = static_cast<double>(1 + random_.below(400, k, -5));
        return sign(k, -6) * quarter / 4;
    }

    EntryValues kind_;
    bool symmetric_;
    Random random_;
    std::int64_t numbers_ = 1, share_ = 0;  ///< how many of few; units: ones of a hundred entries
};

/// Which rows the nodes have, where nodes have several unknowns.
class Unknowns {
  public:
    Unknowns(const Pattern& pattern, const Numbering& numbering) : nodes_(numbering.size()) {
        if (!pattern.unknowns) return;
        begins_.resize(static_cast<std::size_t>(nodes_) + 1);
        for (std::int64_t k = 0; k < nodes_; ++k)
            begins_[static_cast<std::size_t>(k) + 1] =
                begin(k) + static_cast<std::int32_t>(pattern.unknowns(numbering.old_of(k)));
    }

    bool single() const { return begins_.empty(); }
    std::int64_t begin(std::int64_t node) const {
        return single() ? node : begins_[static_cast<std::size_t>(node)];
    }
    std::int64_t total() const { return begin(nodes_); }
    /// The unknowns of all these nodes.
    void expand(const Places& nodes, Places& columns) const {
        columns.clear();
        for (const std::int32_t node : nodes)
            for (std::int64_t u = begin(node); u < begin(node + 1); ++u)
                columns.push_back(static_cast<std::int32_t>(u));
    }

  private:
    std::int64_t nodes_;
    std::vector<std::int32_t> begins_;
};

/// The transpose of rows whose columns stand from begins[i] to begins[i+1].
template <typename Offset>
void transpose_rows(std::span<const Offset> begins, std::span<const std::int32_t> columns,
                    std::span<Offset> new_begins, std::span<std::int32_t> new_columns) {
    std::ranges::fill(new_begins, 0);
    // Where each row begins, one place later; what is put there moves it to where it belongs.
    for (const std::int32_t j : columns)
        if (const auto next = static_cast<std::size_t>(j) + 2; next < new_begins.size())
            ++new_begins[next];
    std::partial_sum(new_begins.begin(), new_begins.end(), new_begins.begin());
    for (std::size_t i = 0; i + 1 < begins.size(); ++i)
        for (auto k = static_cast<std::size_t>(begins[i]);
             k < static_cast<std::size_t>(begins[i + 1]); ++k) {
            Offset& next = new_begins[static_cast<std::size_t>(columns[k]) + 1];
            new_columns[static_cast<std::size_t>(next++)] = static_cast<std::int32_t>(i);
        }
}

class Assembly {
  public:
    Assembly(const RandomSpec& spec, const Pattern& pattern)
        : pattern_(pattern),
          square_(pattern.rows == pattern.cols),
          row_order_(spec.order, pattern.rows, spec.seed, &pattern),
          own_column_order_(square_ ? NodeOrder::natural : spec.order, square_ ? 0 : pattern.cols,
                            spec.seed + 1, nullptr),
          unknowns_(pattern, row_order_),
          value_(spec, pattern.symmetric),
          transposed_(spec.transposed),
          a_chunk_(std::clamp<std::int64_t>(
              65536 * row_order_.size() / std::max<std::int64_t>(spec.entries, 1), 1, 4096)) {}

    CsrMatrix run() {
        CsrMatrix a;
        a.rows = unknowns_.total();
        a.cols = square_ ? a.rows : pattern_.cols;
        a.row_ptr = make_buffer<std::int32_t>(a.rows + 1);
        std::int32_t* const ends = a.row_ptr.as<std::int32_t>().data();
        collect(ends + 1);
        ends[0] = 0;
        for (std::int64_t i = 0; i < a.rows; ++i) ends[i + 1] += ends[i];
        a.nnz = ends[a.rows];
        a.col_idx = make_buffer<std::int32_t>(a.nnz);
        place(ends, a.col_idx.as<std::int32_t>().data());
        const Buffer straight = transposed_ ? turn(a) : Buffer();
        set_values(a, transposed_ ? straight.as<std::int32_t>().data() : ends);
        return a;
    }

  private:
    const Numbering& column_order() const { return square_ ? row_order_ : own_column_order_; }

    /// Columns of each chunk's rows, one row after another, and the length of each row.
    void collect(std::int32_t* lengths) {
        chunks_.resize(static_cast<std::size_t>((row_order_.size() + a_chunk_ - 1) / a_chunk_));
        for_parts(row_order_.size(), a_chunk_, 0, [&](std::int64_t begin, std::int64_t end, int) {
            Places nodes, columns, all;
            for (std::int64_t node = begin; node < end; ++node) {
                row_of(node, nodes);
                if (!unknowns_.single()) unknowns_.expand(nodes, columns);
                const Places& row = unknowns_.single() ? nodes : columns;
                for (std::int64_t i = unknowns_.begin(node); i < unknowns_.begin(node + 1); ++i) {
                    lengths[i] = static_cast<std::int32_t>(row.size());
                    all.insert(all.end(), row.begin(), row.end());
                }
            }
            all.shrink_to_fit();
            chunks_[static_cast<std::size_t>(begin / a_chunk_)] = std::move(all);
        });
    }

    void row_of(std::int64_t node, Places& columns) const {
        columns.clear();
        pattern_.row(row_order_.old_of(node), columns);
        if (!column_order().natural()) {
            for (std::int32_t& column : columns)
                column = static_cast<std::int32_t>(column_order().new_of(column));
            if (pattern_.present) std::erase(columns, -1);
        }
        make_ascending(columns);
    }

    void place(const std::int32_t* row_ptr, std::int32_t* col_idx) {
        for_parts(row_order_.size(), a_chunk_, 0, [&](std::int64_t begin, std::int64_t, int) {
            Places& columns = chunks_[static_cast<std::size_t>(begin / a_chunk_)];
            std::ranges::copy(columns, col_idx + row_ptr[unknowns_.begin(begin)]);
            columns = {};
        });
    }

    /// Makes the pattern its transpose; returns the row offsets that it had. Cheaper than turning
    /// the matrix, for values follow from their places.
    static Buffer turn(CsrMatrix& a) {
        Buffer row_ptr = make_buffer<std::int32_t>(a.cols + 1);
        Buffer col_idx = make_buffer<std::int32_t>(a.nnz);
        transpose_rows<std::int32_t>(a.row_ptr.as<std::int32_t>(), a.col_idx.as<std::int32_t>(),
                                     row_ptr.as<std::int32_t>(), col_idx.as<std::int32_t>());
        std::swap(a.row_ptr, row_ptr);
        a.col_idx = std::move(col_idx);
        std::swap(a.rows, a.cols);
        return row_ptr;
    }

    /// `straight`: row offsets of the matrix before it was transposed.
    void set_values(CsrMatrix& a, const std::int32_t* straight) const {
        a.values = make_buffer<double>(a.nnz);
        const std::int32_t* const row_ptr = a.row_ptr.as<std::int32_t>().data();
        const std::int32_t* const col_idx = a.col_idx.as<std::int32_t>().data();
        double* const values = a.values.as<double>().data();
        for_parts(a.rows, a_chunk_, 0, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i)
                for (std::int64_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                    const std::int64_t row = transposed_ ? col_idx[k] : i;
                    const std::int64_t column = transposed_ ? i : col_idx[k];
                    values[k] = value_.at(row, column, straight[row + 1] - straight[row]);
                }
        });
    }

    const Pattern& pattern_;
    const bool square_;
    const Numbering row_order_, own_column_order_;
    const Unknowns unknowns_;
    const ValueDraw value_;
    const bool transposed_;
    const std::int64_t a_chunk_;
    std::vector<Places> chunks_;
};

void check_memory(const RandomSpec& spec) {
    const auto lines = static_cast<double>(std::max(spec.rows, spec.cols));
    const double bytes = 24.0 * static_cast<double>(spec.entries) + 32.0 * lines;
    const auto free = static_cast<double>(available_memory());
    if (bytes > free)
        throw Error(ErrorCode::unsupported,
                    fmt::format("gallery: random: seed={} takes about {}, of which {} are free; "
                                "give a smaller max_nnz",
                                spec.seed, format_bytes(bytes), format_bytes(free)));
}

}  // namespace

void make_ascending(Places& columns) {
    if (!std::is_sorted(columns.begin(), columns.end())) std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

Rows::Rows(const Pattern& pattern) : cols_(pattern.cols) {
    begins_.reserve(static_cast<std::size_t>(pattern.rows) + 1);
    begins_.push_back(0);
    Places row;
    for (std::int64_t i = 0; i < pattern.rows; ++i) {
        row.clear();
        pattern.row(i, row);
        make_ascending(row);
        columns_.insert(columns_.end(), row.begin(), row.end());
        begins_.push_back(static_cast<std::int64_t>(columns_.size()));
    }
}

Rows Rows::transposed() const {
    Rows t;
    t.cols_ = static_cast<std::int64_t>(begins_.size()) - 1;
    t.begins_.resize(static_cast<std::size_t>(cols_) + 1);
    t.columns_.resize(columns_.size());
    transpose_rows<std::int64_t>(begins_, columns_, t.begins_, t.columns_);
    return t;
}

CsrMatrix assemble(const RandomSpec& spec, const Pattern& pattern) {
    check_memory(spec);
    return Assembly(spec, pattern).run();
}

}  // namespace spmvgen::sampler
