// Parameters of bcsr_fused with several right-hand sides, whose rows of blocks share rows of x.
#include <algorithm>

#include "tuner/plan/gpu_figures.hpp"
#include "tuner/plan/gpu_several_vectors.hpp"

namespace spmvgen::gpu {
namespace {

constexpr std::int64_t few_block_rows = 1280;   ///< fewer keep few multiprocessors busy
constexpr std::int64_t lanes_of_a_block = 128;  ///< of the grid

/// Blocks of a row of blocks of the mean length.
double blocks_of_a_row(const Situation& s) {
    return s.f.mean_row * s.request.blocks->fill / s.request.blocks->cols;
}

/// Whether rows of blocks are so few that each has a block of the grid, which it has work for.
bool has_few_long_block_rows(const Situation& s) {
    constexpr double least_blocks = 96;
    constexpr std::int64_t least_lanes = 4;
    const std::int64_t rows = s.f.rows / s.request.blocks->rows;
    return lanes_of_an_entry(s) >= least_lanes && rows < few_block_rows &&
           static_cast<double>(rows) >= units_of(s.request) && blocks_of_a_row(s) >= least_blocks;
}

}  // namespace

bool has_enough_block_rows(const Situation& s) {
    constexpr std::int64_t enough_long = 768;
    const std::int64_t rows = s.f.rows / s.request.blocks->rows;
    return rows >= few_block_rows || has_few_long_block_rows(s) ||
           (has_few_rows(s) && rows >= enough_long);
}

namespace {

/// Rows for which one alone takes so many rounds that two and more share what they load.
bool are_long(const Situation& s) {
    constexpr double long_mean = 100;
    return s.f.mean_row >= long_mean;
}

constexpr double blocks_of_unit = 6;  ///< of the grid, a multiprocessor, at most

/// Lanes of bcsr_fused, more than a warp has, for blocks of so many rows, which are so few that all
/// are under way at once; 0 = they are not, or so many lanes would have nothing to do.
/// `half_blocks`: a multiprocessor, at most, of those where rows have half as many lanes as a
/// block.
std::int64_t lanes_of_wide_rows(const Situation& s, int rows_of_block, double half_blocks) {
    constexpr double least_share = 0.6;  // of the lanes, that the mean row has work for in a round
    const double mean = s.f.mean_row, units = units_of(s.request);
    const double pieces = row_bytes(s) / piece_bytes;  // of an entry
    for (const std::int64_t lanes : {lanes_of_a_block, lanes_of_a_block / 2}) {
        const auto width = static_cast<double>(lanes);
        const double blocks = static_cast<double>(s.f.rows) / rows_of_block * width /
                              static_cast<double>(lanes_of_a_block);
        const double most_blocks = lanes < lanes_of_a_block ? half_blocks : blocks_of_unit;
        if (blocks <= most_blocks * units && mean * pieces >= least_share * width) return lanes;
    }
    return 0;
}

/// Of blocks of two rows and more, of long rows: as few rows as leave few enough blocks of the
/// grid.
WideRows wide_long_rows(const Situation& s, const BlockChoice& blocks) {
    constexpr double most_fill = 1.3, most_fill_of_two = 1.45;
    constexpr double more_blocks = 7;   // of two rows, and where no more rows go into a block
    constexpr double longest = 3;       // row, over the mean
    constexpr double most_mean = 512;   // longer ones are cut,
    constexpr double least_rows = 2.5;  // and those of fewer rows of blocks a multiprocessor
    if (!has_one_piece(s) || s.f.mean_row >= most_mean ||
        static_cast<double>(s.f.max_row) > longest * s.f.mean_row)
        return {};
    const auto fill = [&](int rows) {
        const double known = blocks.fill_of_rows[static_cast<std::size_t>(rows - 1)];
        return known > 0 ? known : blocks.fill;
    };
    int most_rows = std::min<int>(blocks.rows, std::ssize(blocks.fill_of_rows));
    while (most_rows > 1 && fill(most_rows) > (most_rows == 2 ? most_fill_of_two : most_fill))
        --most_rows;
    for (int rows = 2; rows <= most_rows; ++rows) {
        if (static_cast<double>(s.f.rows) / rows < least_rows * units_of(s.request)) break;
        if (rows > 2 && has_few_long_block_rows(s)) break;  // each has all lanes of a block
        const bool more = rows == 2 || rows == most_rows;
        const std::int64_t lanes = lanes_of_wide_rows(s, rows, more ? more_blocks : blocks_of_unit);
        if (lanes > 0) return {rows, lanes};
    }
    return {};
}

}  // namespace

WideRows wide_rows_of_blocks(const Situation& s, const BlockChoice& blocks) {
    constexpr double least_mean = 36, most_fill = 1.3;
    constexpr double rows_of_unit = 16;  // of a multiprocessor, at most
    constexpr double most_rounds = 16;   // of loads, that the longest row takes
    if (!shares_entries(s)) return {};
    if (are_long(s)) return wide_long_rows(s, blocks);
    if (s.f.mean_row < least_mean ||
        static_cast<double>(s.f.rows) > rows_of_unit * units_of(s.request))
        return {};
    const int rows = blocks.rows > 1 && blocks.fill <= most_fill ? 2 : 1;
    const std::int64_t lanes = lanes_of_wide_rows(s, rows, blocks_of_unit);
    const double pieces = static_cast<double>(s.f.max_row) * row_bytes(s) / piece_bytes;
    return {rows, pieces <= most_rounds * static_cast<double>(lanes) ? lanes : 0};
}

std::int64_t subwarp_of_blocks(const Situation& s) {
    constexpr double few_threads_of_blocks = 1 << 17;
    if (has_few_long_block_rows(s)) return lanes_of_a_block;
    const std::int64_t all =
        lanes_of_a_row(s, lanes_of_an_entry(s), blocks_of_a_row(s),
                       static_cast<double>(s.f.rows) / s.request.blocks->rows,
                       few_threads_of_blocks, lanes_of_an_entry(s) == 2 ? 2 : 1);
    return has_one_piece(s) ? all : std::max(all, lanes_of_two_lines);
}

std::int64_t pieces_of_blocks(const Situation& s) {
    return has_one_piece(s) || subwarp_of_blocks(s) == lanes_of_two_lines ? 8 : 4;
}

}  // namespace spmvgen::gpu
