// Row lengths: spread, histogram, and what padding to slices would cost.
#include <bit>
#include <limits>

#include "matrix/chunks.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/features/features_parts.hpp"

namespace spmvgen {
namespace {

__extension__ using Wide = __int128;

constexpr std::size_t slice_kinds = 3;
constexpr std::int64_t smallest_slice = 8, slices_a_window = 256;
constexpr std::int64_t largest_slice = smallest_slice << (slice_kinds - 1);
constexpr std::int64_t rows_of_team = 128;  ///< as team_for() takes them
/// A multiple of every slice and window.
constexpr std::int64_t rows_a_part = (smallest_slice << (slice_kinds - 1)) * slices_a_window;

struct RowSums {
    std::int64_t min = std::numeric_limits<std::int64_t>::max(), max = 0;
    Wide excess = 0, squared_excess = 0;  // over `typical`
    std::array<std::int64_t, 40> histogram{};
    std::array<Wide, slice_kinds> sell{}, sell_sorted{};

    void add(const RowSums& other) {
        min = std::min(min, other.min);
        max = std::max(max, other.max);
        excess += other.excess;
        squared_excess += other.squared_excess;
        for (std::size_t c = 0; c < histogram.size(); ++c) histogram[c] += other.histogram[c];
        for (std::size_t s = 0; s < slice_kinds; ++s) {
            sell[s] += other.sell[s];
            sell_sorted[s] += other.sell_sorted[s];
        }
    }
};

/// Entries stored for a window whose rows are sorted by length, in slices of `slice` rows. Calls
/// visit(length, rows) for each length.
template <typename Visit>
std::int64_t sorted_window(Tally& lengths, std::int64_t slice, Visit&& visit) {
    std::int64_t stored = 0, rows = 0, next_slice = 0;
    lengths.descend([&](std::int64_t length, std::int64_t times) {
        visit(length, times);
        for (rows += times; next_slice < rows; next_slice += slice) stored += slice * length;
    });
    return stored;
}

template <typename Offset>
class RowPart {
  public:
    RowPart(const Offset* row_ptr, std::int64_t typical) : row_ptr_(row_ptr), typical_(typical) {}

    void take(std::int64_t begin, std::int64_t end, RowSums& sums) {
        for (std::int64_t block = begin; block < end; block += largest_slice) {
            const std::int64_t block_end = std::min(block + largest_slice, end);
            if (block_end - block == largest_slice && is_even(block))
                even_slices(row_ptr_[block + 1] - row_ptr_[block], sums);
            else
                for (std::int64_t first = block; first < block_end; first += smallest_slice)
                    slice(first, std::min(first + smallest_slice, block_end), sums);
            close_windows(sums);
        }
        for (std::size_t s = 0; s < slice_kinds; ++s) finish(s, sums);
    }

  private:
    /// Whether all rows of the largest slice that begins there have one length.
    bool is_even(std::int64_t first) const {
        const Offset length = row_ptr_[first + 1] - row_ptr_[first];
        Offset differences = 0;
#pragma omp simd reduction(| : differences)
        for (std::int64_t i = 0; i < largest_slice; ++i)
            differences |= (row_ptr_[first + i + 1] - row_ptr_[first + i]) ^ length;
        return differences == 0;
    }
    /// The slices of such rows. No larger slice is open before or after them.
    void even_slices(std::int64_t length, RowSums& sums) {
        window_[0].add(length, largest_slice);
        slices_ += largest_slice / smallest_slice;
        for (std::size_t s = 0; s < slice_kinds; ++s) sums.sell[s] += Wide{length} * largest_slice;
    }
    /// One smallest slice; larger ones are closed when they are full. What is known of
    /// a row is had from the window's tally, so that little is done row by row.
    void slice(std::int64_t first, std::int64_t last, RowSums& sums) {
        Offset shortest = row_ptr_[first + 1] - row_ptr_[first], longest = shortest;
        for (std::int64_t i = first + 1; i < last; ++i) {
            const Offset length = row_ptr_[i + 1] - row_ptr_[i];
            shortest = std::min(shortest, length);
            longest = std::max(longest, length);
        }
        if (shortest == longest)
            window_[0].add(longest, last - first);
        else
            window_[0].add_neighbours(last - first, longest, [&](std::int64_t i) {
                return row_ptr_[first + i + 1] - row_ptr_[first + i];
            });
        ++slices_;
        for (std::size_t s = 0; s < slice_kinds; ++s) {
            longest_[s] = std::max<std::int64_t>(longest_[s], longest);
            if (slices_ % (std::int64_t{1} << s) == 0) close_slice(s, sums);
        }
    }
    void close_slice(std::size_t s, RowSums& sums) {
        sums.sell[s] += Wide{longest_[s]} * (smallest_slice << s);
        longest_[s] = 0;
    }
    /// Windows are multiples of the largest slice.
    void close_windows(RowSums& sums) {
        for (std::size_t s = 0; s < slice_kinds; ++s)
            if (slices_ % (slices_a_window << s) == 0) close_window(s, sums);
    }
    void close_window(std::size_t s, RowSums& sums) {
        sums.sell_sorted[s] += sorted_window(window_[s], smallest_slice << s,
                                             [&](std::int64_t length, std::int64_t rows) {
                                                 if (s == 0) take_rows(length, rows, sums);
                                             });
        if (s + 1 < slice_kinds) window_[s + 1].add(window_[s]);
        window_[s].clear();
    }
    void take_rows(std::int64_t length, std::int64_t rows, RowSums& sums) const {
        sums.min = std::min(sums.min, length);
        sums.max = std::max(sums.max, length);
        const Wide excess = length - typical_;
        sums.excess += excess * rows;
        sums.squared_excess += excess * excess * rows;
        sums.histogram[std::min<std::size_t>(
            static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(length))), 39)] +=
            rows;
    }
    void finish(std::size_t s, RowSums& sums) {
        close_slice(s, sums);
        close_window(s, sums);
        slices_ = 0;
    }

    const Offset* row_ptr_;
    std::int64_t typical_;
    std::int64_t slices_ = 0;
    std::array<std::int64_t, slice_kinds> longest_{};
    std::array<Tally, slice_kinds> window_;
};

/// Upper edge of the class that holds the row at `percent`, at most the longest row.
std::int64_t percentile(const RowFeatures& f, std::int64_t percent) {
    Wide rows = 0;
    for (std::size_t c = 0; c < f.row_histogram.size(); ++c) {
        rows += f.row_histogram[c];
        if (rows * 100 >= Wide{percent} * f.rows)
            return std::min((std::int64_t{1} << c) - 1, f.max_row);
    }
    return f.max_row;
}

double padding(Wide stored, std::int64_t nnz) {
    return nnz == 0 ? 1 : static_cast<double>(stored) / static_cast<double>(nnz);
}

}  // namespace

RowFeatures analyse_row_lengths(const CsrView& matrix, int threads) {
    validate(matrix, threads);
    return features_of_rows(matrix, threads);
}

RowFeatures features_of_rows(const CsrView& a, int threads) {
    RowFeatures f;
    f.rows = a.rows;
    f.cols = a.cols;
    f.nnz = a.nnz;
    f.value_type = a.value_type;
    RowSums sums;
    const std::int64_t typical = a.rows == 0 ? 0 : a.nnz / a.rows;
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        const int team = team_for(a.rows, rows_of_team, threads);
        std::vector<RowPart<Offset>> parts(static_cast<std::size_t>(team),
                                           {a.row_ptr_as<Offset>(), typical});
        std::vector<RowSums> partial(parts.size());
        for_parts(a.rows, rows_a_part, team, [&](std::int64_t begin, std::int64_t end, int thread) {
            const auto t = static_cast<std::size_t>(thread);
            parts[t].take(begin, end, partial[t]);
        });
        for (const RowSums& p : partial) sums.add(p);
    });
    if (a.rows > 0) {
        const double rows = static_cast<double>(a.rows);
        const double mean_excess = static_cast<double>(sums.excess) / rows;
        f.min_row = sums.min;
        f.max_row = sums.max;
        f.mean_row = static_cast<double>(a.nnz) / rows;
        f.variance_row = std::max(
            static_cast<double>(sums.squared_excess) / rows - mean_excess * mean_excess, 0.0);
    }
    f.row_histogram = sums.histogram;
    f.empty_rows = sums.histogram[0];
    f.row_p50 = percentile(f, 50);
    f.row_p90 = percentile(f, 90);
    f.row_p99 = percentile(f, 99);
    for (std::size_t s = 0; s < slice_kinds; ++s) {
        f.sell_padding[s] = padding(sums.sell[s], a.nnz);
        f.sell_sorted_padding[s] = padding(sums.sell_sorted[s], a.nnz);
    }
    f.ell_padding = padding(Wide{f.max_row} * a.rows, a.nnz);
    return f;
}

}  // namespace spmvgen
