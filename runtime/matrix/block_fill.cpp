#include "matrix/block_fill.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "matrix/block_counter.hpp"
#include "matrix/chunks.hpp"
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

template <typename Offset, typename Index>
StripCounts count_strip(const CsrView& a, std::int64_t number,
                        BlockColumns<Offset, Index>& columns) {
    StripCounts counts;
    const std::int64_t begin = number * strip_rows;
    const std::int64_t end = std::min(begin + strip_rows, a.rows);
    for (int r = 1; r <= most_block; ++r) {
        const auto of_height = static_cast<std::size_t>(r - 1);
        for (std::int64_t first = (begin + r - 1) / r * r; first < end; first += r) {
            const std::int64_t last = std::min(first + r, a.rows);
            counts.entries[of_height] += a.row_begin(last) - a.row_begin(first);
            columns.take(first, last);
            for (int c = 1; c <= most_block; ++c)
                counts.blocks[of_height][static_cast<std::size_t>(c - 1)] += columns.blocks(c);
        }
    }
    return counts;
}

template <typename Offset, typename Index>
std::vector<StripCounts> count_strips(const CsrView& a, const std::vector<RowStrip>& strips,
                                      int threads) {
    std::vector<StripCounts> counts(strips.size());
    for_parts(static_cast<std::int64_t>(strips.size()), 16, threads,
              [&](std::int64_t begin, std::int64_t end, int) {
                  BlockColumns<Offset, Index> columns(a);
                  for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end);
                       ++s)
                      counts[s] = count_strip(a, strips[s].number, columns);
              });
    return counts;
}

/// Weighted sums over the strips: elements of blocks over entries. The strips' own entries give
/// the weights, those of the block rows that begin in them the divisor, which is the same but for
/// block rows that reach into the next strip.
template <typename Offset, typename Index>
BlockFill estimate(const CsrView& a, double sigma, int threads) {
    const auto strips_in_all = static_cast<double>((a.rows + strip_rows - 1) / strip_rows);
    const double draws =
        std::max(std::ceil(sigma * strips_in_all), static_cast<double>(least_draws));
    const bool all = draws >= strips_in_all;
    constexpr auto any = std::numeric_limits<std::int64_t>::max();
    const std::vector<RowStrip> strips =
        all ? all_strips(a) : draw_strips<Offset>(a, {static_cast<std::int64_t>(draws), any});
    const auto counts = count_strips<Offset, Index>(a, strips, threads);
    BlockFill fill;
    fill.share = all ? 1 : static_cast<double>(strips.size()) / strips_in_all;
    for (std::size_t r = 0; r < most_block; ++r) {
        double entries = 0;
        for (std::size_t s = 0; s < strips.size(); ++s) {
            const auto own = static_cast<double>(strip_entries(a, strips[s].number));
            const double weight = all ? 1 : static_cast<double>(strips[s].times) / own;
            entries += weight * static_cast<double>(counts[s].entries[r]);
            for (std::size_t c = 0; c < most_block; ++c)
                fill.ratio[r][c] += weight * static_cast<double>(counts[s].blocks[r][c]) *
                                    static_cast<double>((r + 1) * (c + 1));
        }
        for (double& ratio : fill.ratio[r]) ratio = entries > 0 ? ratio / entries : 1;
    }
    return fill;
}

}  // namespace

BlockFill block_fill(const CsrView& matrix, double sigma, int threads) {
    if (!(sigma > 0))
        throw Error(ErrorCode::invalid_argument,
                    fmt::format("sigma {} is no share of a matrix: use a number above 0; 1 looks "
                                "at all rows",
                                sigma));
    if (matrix.nnz == 0) {
        BlockFill fill;
        for (auto& row : fill.ratio) row.fill(1);
        return fill;
    }
    return dispatch(matrix.offset_type, [&]<typename Offset>(Offset) {
        return dispatch(matrix.index_type, [&]<typename Index>(Index) {
            return estimate<Offset, Index>(matrix, sigma, threads);
        });
    });
}

}  // namespace spmvgen
