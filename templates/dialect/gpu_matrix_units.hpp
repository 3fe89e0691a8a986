// The GPU's matrix units for f64: tensor cores of NVIDIA (mma.m8n8k4), MFMA of AMD (4x4x4, four
// tiles at a time). They add the product of a tile of A and a tile of B to a tile of sums.
//
// Rows of a sparse matrix meet them so: a tile of A has 4 entries of each row, the tile of B in its
// columns the four elements of x that these meet, each row's in the column of its own. Then the
// row's sum stands on the diagonal, and the rest of the tile means nothing. A lane supplies an
// entry and its element of x, and some lanes end up with the sum of the row that they supply
// entries of. An entry that is missing is 0 · 0, and so meets no x.
#pragma once
#include "dialect/gpu.hpp"

/// Entries of a row that a tile takes, each from a lane of its own.
constexpr int tile_width = 4;
/// Rows of the tile, or of the tiles, that a warp multiplies at a time.
constexpr int tile_rows = warp_size / tile_width;
/// Sums that a lane has of a tile.
constexpr int tile_sums = nvidia ? 2 : 1;

/// The row of the tile that the lane supplies entries of.
[[gnu::always_inline]] inline int row_of_lane() {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    if constexpr (nvidia) {
        return lane / tile_width;
    } else {
        return lane % tile_rows;
    }
}

/// Which of each 4 entries it supplies.
[[gnu::always_inline]] inline int entry_of_lane() {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    if constexpr (nvidia) {
        return lane % tile_width;
    } else {
        return lane / tile_rows;
    }
}

/// Whether the lane has the sum of its row.
[[gnu::always_inline]] inline bool has_row_sum() {
    if constexpr (nvidia) {
        return entry_of_lane() == row_of_lane() / tile_sums;
    } else {
        return entry_of_lane() == row_of_lane() % tile_width;
    }
}

/// The sum of the row, of a lane that has it.
template <typename Value>
[[gnu::always_inline]] inline Value row_sum(const Value* sums) {
    if constexpr (nvidia) {
        return row_of_lane() % 2 == 0 ? sums[0] : sums[1];
    } else {
        return sums[0];
    }
}

/// Adds the product of a tile: of each lane an entry, and the element of x that it meets. All lanes
/// of the warp take part.
template <typename Value>
[[gnu::always_inline]] inline void add_tile(Value* sums, Value entry, Value factor) {
    if constexpr (nvidia) {
        mma_m8n8k4(sums, entry, factor);
    } else {
        sums[0] = __builtin_amdgcn_mfma_f64_4x4x4f64(entry, factor, sums[0], 0, 0, 0);
    }
}
