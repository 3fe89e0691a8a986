#include "matrix/features/block_fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "matrix/chunks.hpp"
#include "matrix/features/distinct.hpp"
#include "matrix/features/row_strips.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Fewer strips tell too little, whatever their share.
constexpr std::int64_t least_draws = 128;

/// What the block rows that begin in one strip hold: by their height, blocks by their width.
struct StripCounts {
    std::array<std::int64_t, most_block> entries{};
    std::array<std::array<std::int64_t, most_block>, most_block> blocks{};
};

/// A number of 8 bits for each height of blocks, in one word.
using OfHeights = std::uint64_t;
constexpr OfHeights ones = 0x0101010101010101, sevens = 0x7f7f7f7f7f7f7f7f;
static_assert(most_block == sizeof(OfHeights));

/// 1 where the number is not 0.
constexpr OfHeights is_some(OfHeights numbers) {
    return (((numbers & sevens) + sevens) | numbers) >> 7 & ones;
}

/// Rows that the block rows of a strip reach.
constexpr std::int64_t reached_rows = strip_rows + most_block - 1;

/// The block rows that begin in a strip, of all heights.
class BlockRows {
  public:
    BlockRows(const CsrView& a, std::int64_t strip) {
        const std::int64_t strip_end = std::min(strip + strip_rows, a.rows);
        for (std::int64_t height = 1; height <= most_block; ++height) {
            const std::int64_t first = (strip + height - 1) / height * height;
            const std::int64_t count =
                std::max<std::int64_t>((strip_end - first + height - 1), 0) / height;
            const std::int64_t end = std::min(first + count * height, a.rows);
            if (count > 0)
                entries_[static_cast<std::size_t>(height - 1)] =
                    a.row_begin(end) - a.row_begin(first);
            for (std::int64_t row = first; row < end; ++row)
                of_row_[static_cast<std::size_t>(row - strip)] |=
                    static_cast<OfHeights>((row - first) / height + 1) << (8 * (height - 1));
        }
        std::ranges::transform(of_row_, touched_by_.begin(), is_some);
    }
    /// Of A's entries those in them.
    const std::array<std::int64_t, most_block>& entries() const { return entries_; }
    /// How many of each height have one of these rows: bit i is the strip's row i.
    OfHeights touched(std::uint32_t rows) const {
        auto row = static_cast<std::size_t>(std::countr_zero(rows));
        OfHeights count = touched_by_[row];
        while ((rows &= rows - 1) != 0) {
            const OfHeights before = of_row_[row];
            row = static_cast<std::size_t>(std::countr_zero(rows));
            count += is_some(of_row_[row] ^ before) & touched_by_[row];
        }
        return count;
    }

  private:
    std::array<std::int64_t, most_block> entries_{};
    /// The number of the block row that a row is in, counted from 1; 0 = in none of them.
    std::array<OfHeights, reached_rows> of_row_{};
    std::array<OfHeights, reached_rows> touched_by_{};  ///< of a row alone
};

/// The different columns of the rows that a strip reaches, ascending, each with the rows that have
/// it. Keeps its memory from one strip to the next.
template <typename Offset, typename Index>
class StripColumns {
  public:
    explicit StripColumns(const CsrView& a)
        : a_(a), row_ptr_(a.row_ptr_as<Offset>()), col_(a.col_idx_as<Index>()) {}

    void take(std::int64_t strip) {
        const std::int64_t end = std::min(strip + reached_rows, a_.rows);
        const auto entries = static_cast<std::size_t>(row_ptr_[end] - row_ptr_[strip]);
        columns_.clear();
        alone_.clear();
        if (entries == 0) return;
        const auto [least, greatest] =
            std::minmax_element(col_ + row_ptr_[strip], col_ + row_ptr_[end]);
        const std::size_t reach = static_cast<std::size_t>(*greatest - *least) + 1;
        if (reach <= most_places * entries)
            place(strip, end, *least, reach);
        else
            sort(strip, end);
        set_alone_apart();
    }
    /// Rows of each column that no block of any width has others beside.
    const std::vector<std::uint32_t>& alone() const { return alone_; }
    /// Calls visit(rows) for each `width` columns from a multiple of it on, of which one of the
    /// others is there: bit i of `rows` says whether row i has one.
    template <std::uint64_t width, typename Visit>
    void blocks(const Visit& visit) const {
        std::uint64_t end = 0;  // the first column beyond the block
        std::uint32_t rows = 0;
        for (const auto& one : columns_) {
            if (one.number >= end) {
                if (rows != 0) visit(rows);
                rows = 0;
                end = (one.number / width + 1) * width;
            }
            rows |= one.rows;
        }
        if (rows != 0) visit(rows);
    }

  private:
    struct Column {
        std::uint64_t number;
        std::uint32_t rows;  ///< a bit each
    };
    static constexpr int row_bits = 5;
    static_assert(reached_rows <= 1 << row_bits);
    /// For each entry: to look through more places than these takes longer than sorting.
    static constexpr std::size_t most_places = 16;

    template <typename Visit>
    void for_entries(std::int64_t strip, std::int64_t end, const Visit& visit) const {
        for (std::int64_t row = strip; row < end; ++row)
            for (Offset k = row_ptr_[row]; k < row_ptr_[row + 1]; ++k)
                visit(static_cast<std::uint64_t>(col_[k]), static_cast<unsigned>(row - strip));
    }
    /// Where columns lie near each other: a place for each.
    void place(std::int64_t strip, std::int64_t end, Index least, std::size_t reach) {
        const auto first = static_cast<std::uint64_t>(least);
        places_.assign(reach, 0);
        for_entries(strip, end, [&](std::uint64_t column, unsigned row) {
            places_[column - first] |= std::uint32_t{1} << row;
        });
        for (std::size_t at = 0; at < reach; ++at)
            if (places_[at] != 0) columns_.push_back({first + at, places_[at]});
    }
    void sort(std::int64_t strip, std::int64_t end) {
        keys_.clear();
        for_entries(strip, end, [&](std::uint64_t column, unsigned row) {
            keys_.push_back(column << row_bits | row);
        });
        std::ranges::sort(keys_);
        for (const std::uint64_t key : keys_) {
            const std::uint64_t column = key >> row_bits;
            const std::uint32_t row = std::uint32_t{1} << (key & ((1U << row_bits) - 1));
            if (columns_.empty() || columns_.back().number != column)
                columns_.push_back({column, row});
            else
                columns_.back().rows |= row;
        }
    }

    /// Moves columns that are most_block or more away from all others from columns_ to alone_:
    /// they are a block for themselves, whatever the width.
    void set_alone_apart() {
        const std::size_t count = columns_.size();
        std::size_t kept = 0;
        bool near_last = false;
        for (std::size_t i = 0; i < count; ++i) {
            const Column one = columns_[i];
            const bool near_next =
                i + 1 < count && columns_[i + 1].number - one.number < most_block;
            if (near_last || near_next)
                columns_[kept++] = one;
            else
                alone_.push_back(one.rows);
            near_last = near_next;
        }
        columns_.resize(kept);
    }

    const CsrView& a_;
    const Offset* row_ptr_;
    const Index* col_;
    std::vector<Column> columns_;
    std::vector<std::uint32_t> alone_;
    std::vector<std::uint32_t> places_;  ///< rows of each column from the least on
    std::vector<std::uint64_t> keys_;    ///< a column, and the row that has it in the lowest bits
};

/// Adds up block rows of all heights that rows touch.
class TouchedRows {
  public:
    explicit TouchedRows(const BlockRows& rows) : rows_(rows) {}
    void add(std::uint32_t mask) {
        constexpr int most_added = 255 / strip_rows;
        some_ += rows_.touched(mask);
        if (++added_ == most_added) flush();
    }
    /// By height.
    const std::array<std::int64_t, most_block>& all() {
        flush();
        return all_;
    }

  private:
    void flush() {
        for (std::size_t r = 0; r < most_block; ++r)
            all_[r] += static_cast<std::int64_t>(some_ >> (8 * r) & 255);
        some_ = 0;
        added_ = 0;
    }
    const BlockRows& rows_;
    std::array<std::int64_t, most_block> all_{};
    OfHeights some_ = 0;
    int added_ = 0;
};

/// Blocks of `width` columns, beside those of columns alone.
template <std::uint64_t width, typename Columns>
void count_blocks(const BlockRows& rows, const Columns& columns,
                  const std::array<std::int64_t, most_block>& alone, StripCounts& counts) {
    TouchedRows touched(rows);
    columns.template blocks<width>([&](std::uint32_t mask) { touched.add(mask); });
    for (std::size_t r = 0; r < most_block; ++r)
        counts.blocks[r][width - 1] = touched.all()[r] + alone[r];
}

template <typename Offset, typename Index>
StripCounts count_strip(const CsrView& a, std::int64_t number,
                        StripColumns<Offset, Index>& columns) {
    StripCounts counts;
    const BlockRows rows(a, number * strip_rows);
    counts.entries = rows.entries();
    columns.take(number * strip_rows);
    TouchedRows alone(rows);
    for (const std::uint32_t mask : columns.alone()) alone.add(mask);
    [&]<std::uint64_t... width>(std::integer_sequence<std::uint64_t, width...>) {
        (count_blocks<width + 1>(rows, columns, alone.all(), counts), ...);
    }(std::make_integer_sequence<std::uint64_t, most_block>());
    return counts;
}

template <typename Offset, typename Index>
std::vector<StripCounts> count_strips(const CsrView& a, const std::vector<RowStrip>& strips,
                                      int threads) {
    std::vector<StripCounts> counts(strips.size());
    for_parts(static_cast<std::int64_t>(strips.size()), 16, threads,
              [&](std::int64_t begin, std::int64_t end, int) {
                  StripColumns<Offset, Index> columns(a);
                  for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end);
                       ++s)
                      counts[s] = count_strip(a, strips[s].number, columns);
              });
    return counts;
}

/// The strips that are looked at.
struct DrawnStrips {
    std::vector<RowStrip> strips;
    bool all = false;
    double in_all = 0;  ///< that the matrix has
};

template <typename Offset>
DrawnStrips draw(const CsrView& a, StripLimits limits) {
    DrawnStrips drawn;
    const std::int64_t in_all = (a.rows + strip_rows - 1) / strip_rows;
    drawn.in_all = static_cast<double>(in_all);
    drawn.all = limits.draws >= in_all && limits.entries >= a.nnz;
    drawn.strips = drawn.all ? all_strips(a) : draw_strips<Offset>(a, limits);
    return drawn;
}

/// Weighted sums over the strips: elements of blocks over entries. The strips' own entries give the
/// weights, those of the block rows that begin in them the divisor, which is the same but for block
/// rows that reach into the next strip.
template <typename Offset, typename Index>
BlockFill estimate(const CsrView& a, const DrawnStrips& drawn, int threads) {
    BlockFill fill;
    const std::vector<RowStrip>& strips = drawn.strips;
    const auto counts = count_strips<Offset, Index>(a, strips, threads);
    fill.share = drawn.all ? 1 : static_cast<double>(strips.size()) / drawn.in_all;
    for (std::size_t r = 0; r < most_block; ++r) {
        double entries = 0;
        std::array<double, most_block> elements{};
        for (std::size_t s = 0; s < strips.size(); ++s) {
            const auto own = static_cast<double>(strip_entries(a, strips[s].number));
            const double weight = drawn.all ? 1 : static_cast<double>(strips[s].times) / own;
            entries += weight * static_cast<double>(counts[s].entries[r]);
            for (std::size_t c = 0; c < most_block; ++c)
                elements[c] += weight * static_cast<double>(counts[s].blocks[r][c]) *
                               static_cast<double>((r + 1) * (c + 1));
        }
        for (std::size_t c = 0; c < most_block; ++c)
            fill.ratio[r][c] = entries > 0 ? elements[c] / entries : 1;
    }
    return fill;
}

/// Whether blocks of no size have so low a fill that anybody stores them: those of few elements,
/// and those that caches hold.
bool is_without_blocks(const BlockFill& fill) {
    constexpr int few_elements = 8;
    constexpr double most_of_few = 1.5, most_of_many = 2.0;
    for (int r = 1; r <= most_block; ++r)
        for (int c = 1; c <= most_block; ++c)
            if (r * c > 1 && fill.at(r, c) <= (r * c < few_elements ? most_of_few : most_of_many))
                return false;
    return true;
}

/// Calls of(Offset, Index), but for a matrix without entries, whose ratios are 1.
template <typename Of>
BlockFill with_types(const CsrView& matrix, const Of& of) {
    if (matrix.nnz == 0) {
        BlockFill fill;
        for (auto& row : fill.ratio) row.fill(1);
        return fill;
    }
    return dispatch(matrix.offset_type, [&]<typename Offset>(Offset offset) {
        return dispatch(matrix.index_type,
                        [&]<typename Index>(Index index) { return of(offset, index); });
    });
}

constexpr auto any_entries = std::numeric_limits<std::int64_t>::max();

}  // namespace

BlockFill block_fill(const CsrView& matrix, double sigma, int threads) {
    if (!(sigma > 0))
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("sigma {} is no share of a matrix: use a number above 0; 1 looks "
                                "at all rows",
                                sigma));
    return with_types(matrix, [&]<typename Offset, typename Index>(Offset, Index) {
        const auto strips = static_cast<double>((matrix.rows + strip_rows - 1) / strip_rows);
        const double draws = std::max(std::ceil(sigma * strips), static_cast<double>(least_draws));
        return estimate<Offset, Index>(
            matrix,
            draw<Offset>(matrix, {static_cast<std::int64_t>(std::min(draws, strips)), any_entries}),
            threads);
    });
}

BlockFill sampled_block_fill(const CsrView& matrix, std::int64_t entries, int threads) {
    constexpr std::int64_t share_of_first = 6, least_of_first = 1000;  // entries
    return with_types(matrix, [&]<typename Offset, typename Index>(Offset, Index) {
        const auto of = [&](std::int64_t some) {
            return estimate<Offset, Index>(matrix, draw<Offset>(matrix, {any_entries, some}),
                                           threads);
        };
        const BlockFill first = of(std::max(entries / share_of_first, least_of_first));
        return is_without_blocks(first) ? first : of(entries);
    });
}

double spread_block_fill(const CsrView& matrix, int rows, int cols, std::int64_t entries) {
    if (matrix.nnz == 0) return 1;
    constexpr std::int64_t fewest = 16;
    const std::int64_t all = (matrix.rows + rows - 1) / rows;
    const std::int64_t some = std::min(all, std::max(entries / (matrix.nnz / all + 1), fewest));
    std::int64_t seen = 0, blocks = 0;
    dispatch(matrix.index_type, [&]<typename Index>(Index) {
        const Index* const columns = matrix.col_idx_as<Index>();
        const auto bound = static_cast<std::size_t>(matrix.cols / cols + 1);
        DistinctBelow distinct(bound);
        for (std::int64_t k = 0; k < some; ++k) {
            const std::int64_t row = k * all / some * rows;
            const std::int64_t begin = matrix.row_begin(row),
                               end = matrix.row_begin(std::min(row + rows, matrix.rows));
            for (std::int64_t at = begin; at < end; ++at) {
                const auto column = static_cast<std::uint64_t>(columns[at]);
                if (const auto number = column / static_cast<std::uint64_t>(cols); number < bound)
                    distinct.add(static_cast<std::uint32_t>(number));
            }
            seen += end - begin;
            blocks += distinct.take();
        }
    });
    const auto elements = static_cast<double>(blocks) * rows * cols;
    return seen > 0 ? elements / static_cast<double>(seen) : 1;
}

}  // namespace spmvgen
