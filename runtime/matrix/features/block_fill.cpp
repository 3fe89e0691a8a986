#include "matrix/features/block_fill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "matrix/chunks.hpp"
#include "matrix/features/block_counter.hpp"
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

/// Sizes that are counted: [r-1][c-1].
using Wanted = std::array<std::array<bool, most_block>, most_block>;

template <typename Offset, typename Index>
StripCounts count_strip(const CsrView& a, std::int64_t number, const Wanted& wanted,
                        BlockColumns<Offset, Index>& columns) {
    StripCounts counts;
    const std::int64_t begin = number * strip_rows;
    const std::int64_t end = std::min(begin + strip_rows, a.rows);
    for (int r = 1; r <= most_block; ++r) {
        const auto of_height = static_cast<std::size_t>(r - 1);
        const auto& widths = wanted[of_height];
        if (std::ranges::none_of(widths, std::identity())) continue;
        for (std::int64_t first = (begin + r - 1) / r * r; first < end; first += r) {
            const std::int64_t last = std::min(first + r, a.rows);
            counts.entries[of_height] += a.row_begin(last) - a.row_begin(first);
            columns.take(first, last);
            for (int c = 1; c <= most_block; ++c)
                if (const auto of_width = static_cast<std::size_t>(c - 1); widths[of_width])
                    counts.blocks[of_height][of_width] += columns.blocks(c);
        }
    }
    return counts;
}

template <typename Offset, typename Index>
std::vector<StripCounts> count_strips(const CsrView& a, const std::vector<RowStrip>& strips,
                                      const Wanted& wanted, int threads) {
    std::vector<StripCounts> counts(strips.size());
    for_parts(static_cast<std::int64_t>(strips.size()), 16, threads,
              [&](std::int64_t begin, std::int64_t end, int) {
                  BlockColumns<Offset, Index> columns(a);
                  for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end);
                       ++s)
                      counts[s] = count_strip(a, strips[s].number, wanted, columns);
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

/// Sets the ratios of the sizes that are wanted. Weighted sums over the strips: elements of blocks
/// over entries. The strips' own entries give the weights, those of the block rows that begin in
/// them the divisor, which is the same but for block rows that reach into the next strip.
template <typename Offset, typename Index>
void estimate(const CsrView& a, const DrawnStrips& drawn, const Wanted& wanted, int threads,
              BlockFill& fill) {
    const std::vector<RowStrip>& strips = drawn.strips;
    const auto counts = count_strips<Offset, Index>(a, strips, wanted, threads);
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
            if (wanted[r][c]) fill.ratio[r][c] = entries > 0 ? elements[c] / entries : 1;
    }
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
        Wanted all;
        for (auto& widths : all) widths.fill(true);
        BlockFill fill;
        estimate<Offset, Index>(
            matrix,
            draw<Offset>(matrix, {static_cast<std::int64_t>(std::min(draws, strips)), any_entries}),
            all, threads, fill);
        return fill;
    });
}

BlockFill low_block_fill(const CsrView& matrix, std::int64_t entries, int threads) {
    return with_types(matrix, [&]<typename Offset, typename Index>(Offset, Index) {
        const DrawnStrips drawn = draw<Offset>(matrix, {any_entries, entries});
        Wanted lines{}, rest{};
        for (auto& widths : lines) widths.front() = true;
        lines.front().fill(true);
        BlockFill fill;
        estimate<Offset, Index>(matrix, drawn, lines, threads, fill);
        for (std::size_t r = 1; r < most_block; ++r)
            for (std::size_t c = 1; c < most_block; ++c) {
                fill.ratio[r][c] = std::max(fill.ratio[r].front(), fill.ratio.front()[c]);
                rest[r][c] = fill.ratio[r][c] <= most_low_fill;
            }
        estimate<Offset, Index>(matrix, drawn, rest, threads, fill);
        return fill;
    });
}

}  // namespace spmvgen
