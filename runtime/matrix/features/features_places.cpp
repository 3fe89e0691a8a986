// Where the entries are: distances from the diagonal and from each other.
#include <atomic>
#include <bit>

#include "matrix/chunks.hpp"
#include "matrix/features/features_parts.hpp"

namespace spmvgen {
namespace {

__extension__ using WideCount = unsigned __int128;

struct PlaceSums {
    std::int64_t furthest = 0, on_diagonal = 0, followers = 0;
    std::array<std::int64_t, 3> near{};  // followers at distance 1, < 2^8, < 2^16
    WideCount distance = 0;
    bool sorted = true, doubled = false;

    void add(const PlaceSums& other) {
        furthest = std::max(furthest, other.furthest);
        on_diagonal += other.on_diagonal;
        followers += other.followers;
        for (std::size_t d = 0; d < near.size(); ++d) near[d] += other.near[d];
        distance += other.distance;
        sorted = sorted && other.sorted;
        doubled = doubled || other.doubled;
    }
};

/// Entries begin … end-1 of row i, a part of it at most entries_a_part long.
/// `shift` keeps the sum of distances within 64 bits; it is 0 for any size met in practice.
template <typename Index>
void take_distances(const Index* col, std::int64_t begin, std::int64_t end, std::int64_t i,
                    int shift, PlaceSums& sums) {
    std::int64_t furthest = sums.furthest, on_diagonal = 0;
    std::uint64_t distance = 0;
    for (std::int64_t k = begin; k < end; ++k) {
        const std::int64_t d = col[k] < i ? i - col[k] : col[k] - i;
        furthest = std::max(furthest, d);
        on_diagonal += d == 0;
        distance += static_cast<std::uint64_t>(d >> shift);
    }
    sums.furthest = furthest;
    sums.on_diagonal += on_diagonal;
    sums.distance += WideCount{distance} << shift;
}

/// Steps from each entry to the next, by size.
struct Steps {
    std::int32_t all = 0, next = 0, byte = 0, two_bytes = 0, same = 0, back = 0;

    template <typename Index>
    void take(Index from, Index to) {
        const Index delta = to - from;
        const auto step = static_cast<std::make_unsigned_t<Index>>(delta);
        ++all;
        next += step == 1;
        byte += step < 256;
        two_bytes += step < 65536;
        same += step == 0;
        back += delta < 0;
    }
};

/// The steps that end at entries begin … end-1 within their rows. `row` is the first row that
/// begins at `begin` or later. All steps are taken in one plain loop; those from a row to the next
/// are taken off again.
template <typename Offset, typename Index>
void take_steps(const Index* col, const Offset* row_ptr, std::int64_t rows, std::int64_t row,
                std::int64_t begin, std::int64_t end, PlaceSums& sums) {
    Steps steps, between_rows;
    begin = std::max<std::int64_t>(begin, 1);
    for (std::int64_t k = begin; k < end; ++k) steps.take(col[k - 1], col[k]);
    for (; row < rows && row_ptr[row] < end; ++row) {
        const Offset k = row_ptr[row];
        if (k < row_ptr[row + 1] && k >= begin) between_rows.take(col[k - 1], col[k]);
    }
    sums.followers += steps.all - between_rows.all;
    sums.near[0] += steps.next - between_rows.next;
    sums.near[1] += steps.byte - between_rows.byte;
    sums.near[2] += steps.two_bytes - between_rows.two_bytes;
    sums.doubled = sums.doubled || steps.same > between_rows.same;
    sums.sorted = sums.sorted && steps.back == between_rows.back;
}

template <typename Offset, typename Index>
PlaceSums place_sums(const CsrView& a, int threads) {
    const Offset* const row_ptr = a.row_ptr_as<Offset>();
    const Index* const col = a.col_idx_as<Index>();
    const int width = std::bit_width(static_cast<std::uint64_t>(std::max(a.rows, a.cols)));
    const int shift = std::max(width - 48, 0);
    std::vector<PlaceSums> partial(static_cast<std::size_t>(thread_count(threads)));
    for_parts(a.nnz, entries_a_part, threads, [&](std::int64_t begin, std::int64_t end, int t) {
        PlaceSums sums;
        const std::int64_t row = row_of_entry(row_ptr, a.rows, begin);
        for (std::int64_t i = row; i < a.rows && row_ptr[i] < end; ++i)
            take_distances(col, std::max<std::int64_t>(row_ptr[i], begin),
                           std::min<std::int64_t>(row_ptr[i + 1], end), i, shift, sums);
        const std::int64_t first_row =
            std::lower_bound(row_ptr, row_ptr + a.rows, static_cast<Offset>(begin)) - row_ptr;
        take_steps(col, row_ptr, a.rows, first_row, begin, end, sums);
        partial[static_cast<std::size_t>(t)].add(sums);
    });
    PlaceSums total;
    for (const PlaceSums& p : partial) total.add(p);
    return total;
}

/// Whether some column occurs twice in a row, for rows in any order.
template <typename Offset, typename Index>
bool has_duplicates(const CsrView& a, int threads) {
    const Offset* const row_ptr = a.row_ptr_as<Offset>();
    const Index* const col = a.col_idx_as<Index>();
    std::atomic<bool> found{false};
    for_parts(a.rows, 512, threads, [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<Index> row;
        for (std::int64_t i = begin; i < end && !found; ++i) {
            if (std::is_sorted(col + row_ptr[i], col + row_ptr[i + 1])) continue;
            row.assign(col + row_ptr[i], col + row_ptr[i + 1]);
            std::sort(row.begin(), row.end());
            if (std::adjacent_find(row.begin(), row.end()) != row.end()) found = true;
        }
    });
    return found;
}

template <typename Offset, typename Index>
bool every_row_meets_diagonal(const CsrView& a, int threads) {
    const Offset* const row_ptr = a.row_ptr_as<Offset>();
    const Index* const col = a.col_idx_as<Index>();
    std::atomic<bool> missing{false};
    for_parts(a.rows, 512, threads, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t i = begin; i < end && !missing; ++i) {
            const Index* const last = col + row_ptr[i + 1];
            if (std::find(col + row_ptr[i], last, static_cast<Index>(i)) == last) missing = true;
        }
    });
    return !missing;
}

}  // namespace

void analyse_places(const CsrView& a, int threads, Features& f) {
    f.delta_share = {1, 1, 1};
    if (a.nnz == 0) return;
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        dispatch(a.index_type, [&]<typename Index>(Index) {
            const PlaceSums sums = place_sums<Offset, Index>(a, threads);
            f.bandwidth = sums.furthest;
            f.mean_distance = static_cast<double>(sums.distance) / static_cast<double>(a.nnz);
            f.sorted = sums.sorted;
            f.duplicates =
                sums.doubled || (!sums.sorted && has_duplicates<Offset, Index>(a, threads));
            if (sums.followers > 0)
                for (std::size_t d = 0; d < 3; ++d)
                    f.delta_share[d] =
                        static_cast<double>(sums.near[d]) / static_cast<double>(sums.followers);
            f.diagonal_full =
                a.rows == a.cols && sums.on_diagonal >= a.rows &&
                (!f.duplicates || every_row_meets_diagonal<Offset, Index>(a, threads));
        });
    });
}

}  // namespace spmvgen
