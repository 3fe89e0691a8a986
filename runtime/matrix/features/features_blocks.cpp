// Fill ratios of dense blocks.
#include "matrix/chunks.hpp"
#include "matrix/features/block_counter.hpp"
#include "matrix/features/features_parts.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t exact_up_to = 131072;
constexpr StripLimits limits{.draws = 1024, .entries = 131072};
constexpr std::array<int, 4> sizes{2, 3, 4, 8};

/// Elements of the blocks that strip s touches, for each block size.
template <typename Offset, typename Index>
std::array<std::int64_t, 4> elements_of(const CsrView& a, std::int64_t s,
                                        BlockColumns<Offset, Index>& columns) {
    std::array<std::int64_t, 4> elements{};
    const std::int64_t end = std::min(s * strip_rows + strip_rows, a.rows);
    for (std::size_t b = 0; b < sizes.size(); ++b)
        for (std::int64_t first = s * strip_rows; first < end; first += sizes[b]) {
            columns.take(first, std::min(first + sizes[b], end));
            elements[b] += sizes[b] * sizes[b] * columns.blocks(sizes[b]);
        }
    return elements;
}

template <typename Offset, typename Index>
void fill_ratios(const CsrView& a, int threads, Features& f) {
    const bool all = a.nnz <= exact_up_to;
    const std::vector<RowStrip> strips = all ? all_strips(a) : draw_strips<Offset>(a, limits);
    std::vector<std::array<std::int64_t, 4>> elements(strips.size());
    for_parts(static_cast<std::int64_t>(strips.size()), 16, threads,
              [&](std::int64_t begin, std::int64_t end, int) {
                  BlockColumns<Offset, Index> columns(a);
                  for (auto s = static_cast<std::size_t>(begin); s < static_cast<std::size_t>(end);
                       ++s)
                      elements[s] = elements_of(a, strips[s].number, columns);
              });
    double weights = 0;
    for (std::size_t s = 0; s < strips.size(); ++s) {
        const auto entries = static_cast<double>(strip_entries(a, strips[s].number));
        const double weight = all ? 1 : static_cast<double>(strips[s].times) / entries;
        weights += weight * entries;
        for (std::size_t b = 0; b < sizes.size(); ++b)
            f.block_fill[b] += weight * static_cast<double>(elements[s][b]);
    }
    for (double& fill : f.block_fill) fill /= weights;
}

}  // namespace

void analyse_blocks(const CsrView& a, int threads, Features& f) {
    if (a.nnz == 0) {
        f.block_fill.fill(1);
        return;
    }
    dispatch(a.offset_type, [&]<typename Offset>(Offset) {
        dispatch(a.index_type,
                 [&]<typename Index>(Index) { fill_ratios<Offset, Index>(a, threads, f); });
    });
}

}  // namespace spmvgen
