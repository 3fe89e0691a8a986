#include "matrix/features/numbered_rows.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "matrix/features/distinct.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t strip_draws = 1024;  ///< at most, of strips for warps
/// Groups of columns an entry, up to which they are their own numbers, and up to which a table has
/// their numbers: it is little memory.
constexpr double own_numbers = 0.25, tabled_numbers = 8;

std::size_t place(std::int64_t i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

CsrView NumberedRows::offsets() const {
    CsrView view;
    view.rows = rows();
    view.nnz = entries();
    view.offset_type = IndexType::i64;
    view.row_ptr = first.data();
    return view;
}

NumberedRows number_sectors(const CsrView& matrix, std::int64_t columns) {
    const RowStrip all{0, 1};
    return number_sectors(matrix, {&all, 1}, matrix.rows, columns);
}

NumberedRows number_sectors(const CsrView& matrix, std::span<const RowStrip> strips,
                            std::int64_t height, std::int64_t columns) {
    NumberedRows rows;
    rows.first.push_back(0);
    for (auto& strip : strips) {
        const std::int64_t begin = strip.number * height;
        const std::int64_t end = std::min(begin + height, matrix.rows);
        for (std::int64_t row = begin; row < end; ++row)
            rows.first.push_back(rows.first.back() + matrix.row_length(row));
    }
    const std::int64_t entries = rows.first.back();
    rows.sector.resize(place(entries));
    const int shift = std::countr_zero(static_cast<std::uint64_t>(columns));
    const auto number_all = [&](auto& number) {
        auto to = rows.sector.begin();
        dispatch(matrix.index_type, [&]<typename Index>(Index) {
            const Index* const column = matrix.col_idx_as<Index>();
            for (auto& strip : strips) {
                const std::int64_t begin = strip.number * height;
                const std::int64_t end = matrix.row_begin(std::min(begin + height, matrix.rows));
                for (std::int64_t k = matrix.row_begin(begin); k < end; ++k)
                    *to++ = number(column[k] >> shift);
            }
        });
    };
    const std::size_t groups = place((matrix.cols >> shift) + 1);
    const double of_entry = static_cast<double>(groups) / static_cast<double>(entries);
    if (of_entry <= own_numbers) {
        rows.different = groups;
        auto itself = [](std::int64_t sector) { return static_cast<std::uint32_t>(sector); };
        number_all(itself);
        return rows;
    }
    const auto renumber = [&](auto number) {
        number_all(number);
        rows.different = number.count();
    };
    of_entry <= tabled_numbers ? renumber(RenumberedBelow(groups))
                               : renumber(Renumbered(place(entries)));
    return rows;
}

NumberedRows in_order(const NumberedRows& rows, std::span<const std::int64_t> order) {
    NumberedRows found;
    found.different = rows.different;
    found.first.reserve(order.size() + 1);
    found.sector.reserve(rows.sector.size());
    found.first.push_back(0);
    for (const std::int64_t row : order) {
        found.sector.insert(found.sector.end(), rows.sector.begin() + rows.first[place(row)],
                            rows.sector.begin() + rows.first[place(row) + 1]);
        found.first.push_back(found.entries());
    }
    return found;
}

std::int64_t WarpGathers::count(const NumberedRows& rows, std::int64_t first, std::int64_t last,
                                int bits) {
    struct Row {
        const std::uint32_t *next, *end;  // of its sectors
    };
    std::array<Row, gather_lanes> of_warp;
    Seen* const of_sector = seen_.data();
    // A round is one warp's next loads, as many as a word has bits.
    const std::int64_t taken_together = std::int64_t{64} << bits;  // entries of a row
    std::int64_t sectors = 0;
    for (std::int64_t begin = first; begin < last; begin += gather_lanes >> bits) {
        const std::int64_t end = std::min(begin + (gather_lanes >> bits), last);
        std::size_t left = 0;  // rows with entries
        for (std::int64_t row = begin; row < end; ++row)
            of_warp[left++] = {rows.sector.data() + rows.first[place(row)],
                               rows.sector.data() + rows.first[place(row) + 1]};
        while (left > 0) {
            const std::uint64_t round = ++round_;
            std::size_t kept = 0;
            for (std::size_t i = 0; i < left; ++i) {
                const Row row = of_warp[i];
                const std::int64_t count = std::min(row.end - row.next, taken_together);
                for (std::int64_t k = 0; k < count; ++k) {
                    Seen& seen = of_sector[row.next[k]];
                    const std::uint64_t load = std::uint64_t{1} << (k >> bits);
                    // Without a branch: which sectors come again is hard to foresee.
                    const std::uint64_t before = seen.loads & -std::uint64_t{seen.round == round};
                    sectors += (before & load) == 0;
                    seen = {round, before | load};
                }
                if (count == taken_together) of_warp[kept++] = {row.next + count, row.end};
            }
            left = kept;
        }
    }
    return sectors;
}

WarpStrips draw_warp_strips(const CsrView& offsets, std::int64_t entries) {
    if (offsets.nnz <= 2 * entries) return {all_strips(offsets, gather_lanes), true};
    const StripLimits limits{.draws = strip_draws, .entries = entries};
    return dispatch(offsets.offset_type, [&]<typename Offset>(Offset) -> WarpStrips {
        return {draw_strips<Offset>(offsets, limits, gather_lanes), false};
    });
}

double warp_sectors(const NumberedRows& rows, const WarpStrips& of, int bits,
                    WarpGathers& gathers) {
    double sectors = 0, weights = 0;
    for (auto& strip : of.strips) {
        const std::int64_t begin = strip.number * gather_lanes;
        const std::int64_t end = std::min(begin + gather_lanes, rows.rows());
        const auto entries = static_cast<double>(rows.first[place(end)] - rows.first[place(begin)]);
        const double weight = of.all ? 1 : static_cast<double>(strip.times) / entries;
        weights += weight * entries;
        sectors += weight * static_cast<double>(gathers.count(rows, begin, end, bits));
    }
    return sectors / weights;
}

namespace {

/// Entries that are the first of their sectors in their windows, by the size of these. So is an
/// entry when the last row that had its sector is in another window: it differs in one of the bits
/// that tell windows apart. A Row holds twice as many numbers as there are rows.
template <typename Row>
std::array<std::int64_t, window_bits.size()> firsts_in_windows(const NumberedRows& rows) {
    std::vector<Row> last(rows.different, std::numeric_limits<Row>::max());  // row that had it
    std::array<std::int64_t, window_bits.size()> firsts{};
    for (std::int64_t row = 0; row < rows.rows(); ++row)
        for (std::int64_t k = rows.first[place(row)]; k < rows.first[place(row) + 1]; ++k) {
            Row& before = last[rows.sector[place(k)]];
            const Row differs = before ^ static_cast<Row>(row);
            for (std::size_t w = 0; w < firsts.size(); ++w)
                firsts[w] += (differs >> window_bits[w]) != 0;
            before = static_cast<Row>(row);
        }
    return firsts;
}

}  // namespace

RowGathers::RowGathers(NumberedRows rows, std::int64_t of_warps)
    : rows_(std::move(rows)), of_warps_(of_warps) {
    if (rows_.entries() > 0) return;
    run_ = 1;
    warp_.fill(1);
    windows_.emplace().fill(1);
}

double RowGathers::run() {
    if (run_) return *run_;
    DistinctBelow distinct(rows_.different);
    std::int64_t sectors = 0;
    for (std::int64_t begin = 0; begin < rows_.entries(); begin += gather_lanes) {
        const std::int64_t end = std::min(begin + gather_lanes, rows_.entries());
        for (std::int64_t k = begin; k < end; ++k) distinct.add(rows_.sector[place(k)]);
        sectors += distinct.take();
    }
    return run_.emplace(static_cast<double>(sectors) / static_cast<double>(rows_.entries()));
}

double RowGathers::warp(std::size_t bits) {
    if (warp_[bits]) return *warp_[bits];
    if (!strips_) {
        strips_ = draw_warp_strips(rows_.offsets(), of_warps_);
        gathers_.emplace(rows_.different);
    }
    return warp_[bits].emplace(warp_sectors(rows_, *strips_, static_cast<int>(bits), *gathers_));
}

const std::array<double, window_rows.size()>& RowGathers::windows() {
    if (windows_) return *windows_;
    const bool is_small = rows_.rows() <= std::numeric_limits<std::int32_t>::max();
    const auto firsts = is_small ? firsts_in_windows<std::uint32_t>(rows_)
                                 : firsts_in_windows<std::uint64_t>(rows_);
    auto& of_entry = windows_.emplace();
    for (std::size_t w = 0; w < of_entry.size(); ++w)
        of_entry[w] = static_cast<double>(firsts[w]) / static_cast<double>(rows_.entries());
    return of_entry;
}

}  // namespace spmvgen
