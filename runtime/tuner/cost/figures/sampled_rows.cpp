#include "tuner/cost/figures/sampled_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "matrix/random.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t window_multiple = 64;   ///< rows: whole slices
constexpr std::int64_t most_window = 16384;    ///< rows
constexpr std::int64_t most_rows = 1;          ///< for each entry wanted
constexpr std::int64_t blocks_multiple = 192;  ///< rows: whole slices, and blocks of 3 and 6 rows
constexpr std::int64_t least_windows = 2, most_windows = 32;  ///< of a choice
constexpr std::int64_t least_of_row = 32;                     ///< entries of a long row
constexpr std::int64_t most_times = 2;  ///< the entries wanted, where windows have long rows

double mean_row(const CsrView& a) {
    return static_cast<double>(std::max<std::int64_t>(a.nnz, 1)) /
           static_cast<double>(std::max<std::int64_t>(a.rows, 1));
}

/// Rows of a window with so many entries, a multiple of `multiple`.
std::int64_t rows_of_window(const CsrView& a, std::int64_t entries, std::int64_t multiple) {
    const auto wanted = static_cast<std::int64_t>(static_cast<double>(entries) / mean_row(a));
    const std::int64_t rows = std::min(wanted, most_rows * entries);
    return std::clamp((rows + multiple - 1) / multiple * multiple, multiple, most_window);
}

/// Neighbouring rows.
struct RowRange {
    std::int64_t begin, end;
};

/// Calls with(row_ptr) as it is.
template <typename With>
void with_offsets(const CsrView& a, const With& with) {
    dispatch(a.offset_type, [&]<typename Offset>(Offset) { with(a.row_ptr_as<Offset>()); });
}

/// Entries that rows may have each, at most `most`, for all of them to have about `entries` at
/// most.
std::int64_t most_of_row(const CsrView& a, const std::vector<RowRange>& windows, std::int64_t most,
                         std::int64_t entries) {
    with_offsets(a, [&](const auto* ptr) {
        const auto sum = [&] {
            std::int64_t all = 0;
            for (const auto [begin, end] : windows)
                for (std::int64_t row = begin; row < end; ++row)
                    all += std::min<std::int64_t>(ptr[row + 1] - ptr[row], most);
            return all;
        };
        std::int64_t all = 0;
        for (const auto [begin, end] : windows) all += ptr[end] - ptr[begin];
        if (all <= entries) return;
        while (most > least_of_row && sum() > entries) most /= 2;
    });
    return most;
}

/// Adds those of a row's entries that are looked at. Of rows with more than `most` they are pieces
/// from all parts of the row, anywhere in each, but in the same places of neighbours, which may
/// have the same columns: beginnings alone would have the same few columns.
void append_some(std::vector<EntryRange>& ranges, EntryRange all, std::int64_t row,
                 std::int64_t most) {
    constexpr std::int64_t least_piece = 64, most_pieces = 8;
    constexpr std::int64_t places = 1024, golden = 633;  // blocks of rows next to each other differ
    const std::int64_t length = all.end - all.begin;
    if (length <= most) return append(ranges, all);
    const std::int64_t pieces = std::clamp<std::int64_t>(most / least_piece, 1, most_pieces);
    const std::int64_t place = (row / window_multiple + 2) * golden % places;
    for (std::int64_t i = 0; i < pieces; ++i) {
        const std::int64_t before = most * i / pieces, behind = most * (i + 1) / pieces;
        const std::int64_t passed = (length - most) * (places * i + place) / (places * pieces);
        append(ranges, {all.begin + passed + before, all.begin + passed + behind});
    }
}

/// Columns of these rows, of each at most `most` entries, as a matrix of its own.
CsrMatrix copy_rows(const CsrView& a, const std::vector<RowRange>& windows, std::int64_t most,
                    EntrySource* source) {
    CsrMatrix m;  // without values: nothing that is estimated from it reads any
    for (const auto [begin, end] : windows) m.rows += end - begin;
    m.cols = a.cols;
    m.index_type = a.index_type;
    m.value_type = a.value_type;
    m.row_ptr = make_buffer<std::int32_t>(m.rows + 1);
    auto* to_ptr = static_cast<std::int32_t*>(m.row_ptr.data());
    std::vector<EntryRange> ranges;  // neighbours' as one
    with_offsets(a, [&](const auto* ptr) {
        *to_ptr = 0;
        for (const auto [begin, end] : windows)
            for (std::int64_t row = begin; row < end; ++row, ++to_ptr) {
                append_some(ranges, {ptr[row], ptr[row + 1]}, row, most);
                to_ptr[1] = *to_ptr + static_cast<std::int32_t>(
                                          std::min<std::int64_t>(ptr[row + 1] - ptr[row], most));
            }
    });
    m.nnz = *to_ptr;
    if (source != nullptr) {
        m.col_idx = source->columns(ranges);
        return m;
    }
    dispatch(a.index_type, [&]<typename Index>(Index) {
        m.col_idx = make_buffer<Index>(m.nnz);
        auto* to = static_cast<Index*>(m.col_idx.data());
        const Index* from = a.col_idx_as<Index>();
        for (const auto [begin, end] : ranges) to = std::copy(from + begin, from + end, to);
    });
    return m;
}

/// Windows of `height` rows each, as SampledRows has them: in the middle of equal parts of the
/// rows, or with `drawn` anywhere in these, for matrices can have periods.
std::vector<RowRange> windows_of(const CsrView& a, std::int64_t windows, std::int64_t height,
                                 std::int64_t period, bool drawn = false) {
    const std::int64_t places = (a.rows + height - 1) / height;  // whole windows
    const std::int64_t count = std::min(windows, places);
    const generators::Random random(0, generators::Purpose::place);
    std::vector<RowRange> found;
    std::int64_t rows = 0;  // of those
    for (std::int64_t w = 0; w < count; ++w) {
        const std::int64_t part = places * w / count, next = places * (w + 1) / count;
        const std::int64_t at = height * (drawn ? part + random.below(next - part, w)
                                                : (2 * w + 1) * places / (2 * count));
        const std::int64_t behind = ((at - rows) % period + period) % period;
        const std::int64_t begin = behind <= at ? at - behind : at;
        found.push_back({begin, std::min(begin + height, a.rows)});
        rows += found.back().end - begin;
    }
    return found;
}

/// Each of these rows a window.
std::vector<RowRange> windows_of(const std::vector<std::int64_t>& rows) {
    std::vector<RowRange> windows(rows.size());
    std::ranges::transform(rows, windows.begin(),
                           [](std::int64_t row) { return RowRange{row, row + 1}; });
    return windows;
}

/// Rows from `begin` on by falling length, equal ones in their order: short ones by counting.
void sort_window(std::span<const std::int64_t> lengths, std::int64_t begin,
                 std::span<std::int64_t> rows, std::vector<std::int64_t>& counts) {
    const std::int64_t most = std::ranges::max(lengths);
    const auto of = [&](std::int64_t row) {
        return lengths[static_cast<std::size_t>(row - begin)];
    };
    if (most > 4 * std::ssize(lengths)) {
        std::iota(rows.begin(), rows.end(), begin);
        std::ranges::stable_sort(rows, std::greater<>(), of);
        return;
    }
    counts.assign(static_cast<std::size_t>(most) + 2, 0);
    for (const std::int64_t length : lengths) ++counts[static_cast<std::size_t>(most - length) + 1];
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
    for (std::int64_t row = begin; row < begin + std::ssize(lengths); ++row)
        rows[static_cast<std::size_t>(counts[static_cast<std::size_t>(most - of(row))]++)] = row;
}

}  // namespace

std::int64_t SampleSize::entries(const CsrView& matrix) const {
    return std::clamp(matrix.nnz / share, least, most);
}

SampledRows::SampledRows(const CsrView& matrix, std::int64_t entries, std::int64_t windows,
                         std::int64_t period, EntrySource* source)
    : matrix_(matrix),
      source_(source),
      wanted_(entries),
      whole_(matrix.nnz <= entries && matrix.rows <= most_rows * entries) {
    if (whole_) {
        take_whole();
        return;
    }
    const std::int64_t of_window = entries / windows;
    const std::int64_t height = rows_of_window(matrix, of_window, window_multiple);
    const auto found = windows_of(matrix, windows, height, period);
    sample_ = copy_rows(matrix, found, most_of_row(matrix, found, of_window, most_times * entries),
                        source);
}

void SampledRows::take_whole() {
    if (source_ != nullptr) matrix_ = source_->all();
}

SampledRows SampledRows::of_choice(const CsrView& matrix, const SampleSize& size,
                                   EntrySource* source) {
    SampledRows sample(matrix, source);
    const std::int64_t entries = sample.wanted_ = size.entries(matrix);
    sample.whole_ = matrix.nnz <= entries && matrix.rows <= most_rows * entries;
    if (sample.whole_) {
        sample.take_whole();
        return sample;
    }
    const auto windows = [&](std::int64_t multiple) {
        return static_cast<std::int64_t>(static_cast<double>(entries) /
                                         (mean_row(matrix) * static_cast<double>(multiple)));
    };
    const std::int64_t multiple =
        windows(blocks_multiple) >= least_windows ? blocks_multiple : window_multiple;
    const std::int64_t count = std::clamp(windows(multiple), least_windows, most_windows);
    const std::int64_t height = rows_of_window(matrix, entries / count, multiple);
    const auto found = windows_of(matrix, count, height, block_sample_period, true);
    sample.sample_ = copy_rows(
        matrix, found, most_of_row(matrix, found, entries / count, size.slack * entries), source);
    return sample;
}

SampledRows::SampledRows(const CsrView& matrix, const std::vector<std::int64_t>& rows,
                         EntrySource* source)
    : matrix_(matrix),
      source_(source),
      sample_(copy_rows(matrix, windows_of(rows), matrix.nnz, source)) {
    wanted_ = sample_.nnz;
}

double SampledRows::scale() const {
    return static_cast<double>(matrix_.nnz) /
           static_cast<double>(std::max<std::int64_t>(view().nnz, 1));
}

std::vector<std::int64_t> SampledRows::sorted_rows(std::int64_t sigma) const {
    const CsrView a = view();
    std::vector<std::int64_t> rows(static_cast<std::size_t>(a.rows)), lengths(rows.size());
    for (std::int64_t row = 0; row < a.rows; ++row)
        lengths[static_cast<std::size_t>(row)] = a.row_length(row);
    std::vector<std::int64_t> counts;
    for (std::int64_t begin = 0; begin < a.rows; begin += sigma) {
        const auto first = static_cast<std::size_t>(begin);
        const auto size = static_cast<std::size_t>(std::min(sigma, a.rows - begin));
        sort_window(std::span(lengths).subspan(first, size), begin,
                    std::span(rows).subspan(first, size), counts);
    }
    return rows;
}

}  // namespace spmvgen
