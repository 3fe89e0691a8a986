#include <algorithm>
#include <functional>
#include <span>

#include "formats/block_row.hpp"
#include "formats/layout.hpp"
#include "formats/padded_rows.hpp"
#include "formats/plans/strips_plan.hpp"
#include "matrix/chunks.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t lengths_a_part = 65536;  ///< of which only lengths are looked at

/// Sorts numbers, none below 0, the greatest first.
void sort_falling(std::span<std::int32_t> numbers, std::vector<std::uint32_t>& counts) {
    const std::int32_t most = std::ranges::max(numbers);
    if (most > std::ssize(numbers)) {
        std::ranges::sort(numbers, std::greater<>());
        return;
    }
    counts.assign(static_cast<std::size_t>(most) + 1, 0);
    for (const std::int32_t n : numbers) ++counts[static_cast<std::size_t>(n)];
    auto to = numbers.begin();
    for (std::int32_t n = most; n >= 0; --n)
        to = std::fill_n(to, counts[static_cast<std::size_t>(n)], n);
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

}  // namespace spmvgen
