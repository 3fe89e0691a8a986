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

std::int64_t lanes_of_wide_rows(const Situation& s, int rows_of_block) {
    constexpr double least_mean = 36, longer_mean = 100;
    constexpr double blocks_of_unit = 6, rows_of_unit = 16;  // of a multiprocessor, at most
    constexpr double most_rounds = 16;                       // of loads, that the longest row takes
    constexpr double least_share = 0.6;  // of the lanes, that the mean row has work for in a round
    const double mean = s.f.mean_row, units = units_of(s.request);
    const auto rows = static_cast<double>(s.f.rows);
    if (!shares_entries(s) || mean < least_mean || rows > rows_of_unit * units) return 0;
    // Longer rows gain where two share what they load.
    if (mean >= longer_mean && (rows_of_block == 1 || !has_one_piece(s))) return 0;
    const double pieces = row_bytes(s) / piece_bytes;  // of an entry
    for (const std::int64_t lanes : {lanes_of_a_block, lanes_of_a_block / 2}) {
        const auto width = static_cast<double>(lanes);
        const double blocks = rows / rows_of_block * width / static_cast<double>(lanes_of_a_block);
        if (blocks <= blocks_of_unit * units && mean * pieces >= least_share * width)
            return static_cast<double>(s.f.max_row) * pieces <= most_rounds * width ? lanes : 0;
    }
    return 0;
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
