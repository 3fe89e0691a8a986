#include "formats/plans/strips_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/block_row.hpp"
#include "formats/layout.hpp"
#include "formats/padded_rows.hpp"
#include "kernel/refuse.hpp"
#include "matrix/chunks.hpp"
#include "matrix/sort_falling.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t strip_rows_a_part = StripsBlocks::rows_a_part;

constexpr std::int64_t lengths_a_part = 65536;  ///< of which only lengths are looked at

/// Numbers of blocks up to which rows are sorted by counting.
constexpr std::int64_t most_counted = 4096;

/// The rows of one window by falling number of blocks, equal ones in their order.
void sort_window(std::span<const std::int64_t> blocks, std::span<std::uint16_t> places,
                 std::vector<std::uint32_t>& counts) {
    std::iota(places.begin(), places.end(), std::uint16_t{0});
    if (std::ranges::is_sorted(blocks, std::greater<>())) return;
    const std::int64_t most = std::ranges::max(blocks);
    if (most > most_counted) {
        std::ranges::stable_sort(
            places, [&](std::uint16_t a, std::uint16_t b) { return blocks[a] > blocks[b]; });
        return;
    }
    // Long rows have -1 blocks and come last.
    const auto class_of = [&](std::size_t row) {
        return static_cast<std::size_t>(most - blocks[row]);
    };
    counts.assign(static_cast<std::size_t>(most) + 2, 0);
    for (std::size_t row = 0; row < blocks.size(); ++row) ++counts[class_of(row)];
    std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), std::uint32_t{0});
    for (std::size_t row = 0; row < blocks.size(); ++row)
        places[counts[class_of(row)]++] = static_cast<std::uint16_t>(row);
}

/// The strips of a slice whose rows follow one another, and those of the lane that has the fewest;
/// a long row has -1.
std::pair<std::int64_t, std::int64_t> width_and_full(const StripsLayout& layout,
                                                     std::int64_t slice) {
    const StripsShape& shape = layout.shape;
    const std::int64_t lanes_of_row = shape.threads_per_row;
    const std::int64_t first = slice * shape.positions();
    const std::int64_t last = std::min(first + shape.positions(), layout.block_rows());
    const auto blocks_at = [&](std::int64_t position) {
        return layout.blocks[static_cast<std::size_t>(layout.block_row_at(position))];
    };
    std::int64_t most = 0, fewest = most_strips * lanes_of_row;
    if (shape.sigma % shape.positions() == 0 && shape.sigma > 1 && first < last) {
        // Sorted together: the first has the most, and long rows are last.
        most = std::max(most, blocks_at(first));
        fewest = std::min(fewest, blocks_at(last - 1));
    } else {
        for (std::int64_t position = first; position < last; ++position) {
            most = std::max(most, blocks_at(position));
            fewest = std::min(fewest, blocks_at(position));
        }
    }
    // The last lane of a row has the fewest.
    return {(most + lanes_of_row - 1) / lanes_of_row, fewest < 0 ? -1 : fewest / lanes_of_row};
}

}  // namespace

std::vector<std::int64_t> count_strip_blocks(const CsrView& matrix, const StripsShape& shape,
                                             int threads, StripsBlocks* kept) {
    const std::int64_t count = round_up(matrix.rows, shape.block_rows) / shape.block_rows;
    std::vector<std::int64_t> blocks(static_cast<std::size_t>(count));
    if (shape.block_size() == 1) {
        dispatch(matrix.offset_type, [&]<typename Offset>(Offset) {
            const Offset* const ptr = matrix.row_ptr_as<Offset>();
            for_parts(count, lengths_a_part, threads,
                      [&](std::int64_t begin, std::int64_t end, int) {
                          for (std::int64_t row = begin; row < end; ++row)
                              blocks[static_cast<std::size_t>(row)] = ptr[row + 1] - ptr[row];
                      });
        });
        return blocks;
    }
    if (kept != nullptr) {
        kept->parts.resize(static_cast<std::size_t>(round_up(count, StripsBlocks::rows_a_part) /
                                                    StripsBlocks::rows_a_part));
        kept->begins.resize(blocks.size());
    }
    for_parts(
        count, StripsBlocks::rows_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
            BlockRow row(matrix, shape.block_rows, shape.block_cols, false);
            for (std::int64_t b = begin; b < end; ++b) {
                row.make(b * shape.block_rows,
                         [](std::size_t, std::int64_t, std::int64_t, std::int64_t) {});
                blocks[static_cast<std::size_t>(b)] = static_cast<std::int64_t>(row.size());
                if (kept == nullptr) continue;
                auto& part =
                    kept->parts[static_cast<std::size_t>(begin / StripsBlocks::rows_a_part)];
                kept->begins[static_cast<std::size_t>(b)] = part.columns.size();
                part.columns.insert(part.columns.end(), row.columns().begin(), row.columns().end());
                part.masks.insert(part.masks.end(), row.masks().begin(), row.masks().end());
            }
        });
    return blocks;
}

std::int64_t count_strips(const std::vector<std::int64_t>& blocks, const StripsShape& shape) {
    const std::int64_t most = shape.most_blocks(), t = shape.threads_per_row;
    std::vector<std::int32_t> strips(blocks.size());  // of each row; long ones have none
    std::ranges::transform(blocks, strips.begin(), [&](std::int64_t n) {
        return static_cast<std::int32_t>(n > most ? 0 : t == 1 ? n : (n + t - 1) / t);
    });
    const auto rows = static_cast<std::size_t>(std::ssize(strips));
    const auto sigma = static_cast<std::size_t>(shape.sigma);
    std::vector<std::uint32_t> counts;
    for (std::size_t begin = 0; sigma > 1 && begin < rows; begin += sigma)
        sort_falling(std::span(strips).subspan(begin, std::min(sigma, rows - begin)), counts);
    const auto positions = static_cast<std::size_t>(shape.positions());
    std::int64_t all = 0;
    for (std::size_t begin = 0; begin < rows; begin += positions) {
        const std::size_t end = std::min(begin + positions, rows);
        std::int32_t width = 0;
#pragma omp simd reduction(max : width)
        for (std::size_t row = begin; row < end; ++row) width = std::max(width, strips[row]);
        all += width;
    }
    return all;
}

void take_long_rows(const CsrView& matrix, StripsLayout& layout) {
    const StripsShape& shape = layout.shape;
    layout.long_ptr = {0};
    const std::int64_t most = shape.most_blocks();
    for (std::int64_t b = 0; b < layout.block_rows(); ++b) {
        std::int64_t& blocks = layout.blocks[static_cast<std::size_t>(b)];
        if (blocks <= most) continue;
        if (shape.long_from == 0)
            refuse(fmt::format("row {} (counted from 0) has more than {} strips: use long_rows=1",
                               b * shape.block_rows, most_strips));
        blocks = -1;
        const std::int64_t end = std::min(matrix.rows, (b + 1) * shape.block_rows);
        for (std::int64_t row = b * shape.block_rows; row < end; ++row) {
            layout.long_row.push_back(row);
            layout.long_ptr.push_back(layout.long_ptr.back() + matrix.row_length(row));
        }
    }
}

void sort_windows(StripsLayout& layout, int threads) {
    const std::int64_t sigma = layout.shape.sigma, rows = layout.block_rows();
    if (sigma == 1) return;
    layout.places.resize(static_cast<std::size_t>(rows));
    const std::int64_t part = std::max(sigma, strip_rows_a_part);  // both powers of two
    for_parts(rows, part, threads, [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<std::uint32_t> counts;
        for (; begin < end; begin += sigma) {
            const auto at = static_cast<std::size_t>(begin);
            const auto size = static_cast<std::size_t>(std::min(sigma, end - begin));
            sort_window(std::span(layout.blocks).subspan(at, size),
                        std::span(layout.places).subspan(at, size), counts);
        }
    });
}

void measure_slices(StripsLayout& layout, int threads) {
    const StripsShape& shape = layout.shape;
    const std::int64_t slices =
        round_up(layout.block_rows(), shape.positions()) / shape.positions();
    layout.slice_ptr.assign(static_cast<std::size_t>(slices) + 1, 0);
    layout.slice_info.assign(static_cast<std::size_t>(slices), 0);
    for_parts(slices, slices_a_part, threads, [&](std::int64_t begin, std::int64_t end, int) {
        const bool in_order = shape.period == 1;
        for (std::int64_t slice = begin; slice < end; ++slice) {
            std::int64_t width = 0, full = most_strips;
            if (in_order) std::tie(width, full) = width_and_full(layout, slice);
            for (std::int64_t p = 0; !in_order && p < shape.positions(); ++p) {
                const std::int64_t row = layout.block_row_at(slice * shape.positions() + p);
                if (row < 0) break;
                const bool is_long = layout.blocks[static_cast<std::size_t>(row)] < 0;
                width = std::max(width, layout.strips_of(slice, p));
                // A long row makes its slice ragged.
                full = is_long ? -1 : std::min(full, layout.strips_of(slice, p));
            }
            const auto s = static_cast<std::size_t>(slice);
            layout.slice_ptr[s + 1] = width;
            layout.slice_info[s] = info_of_lengths(static_cast<int>(full), static_cast<int>(width));
        }
    });
    std::inclusive_scan(layout.slice_ptr.begin(), layout.slice_ptr.end(), layout.slice_ptr.begin());
}

}  // namespace spmvgen
