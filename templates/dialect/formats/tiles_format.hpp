// How entries lie in the format `tiles` (docs/explanation/tiles.md), for kernels that read it, those
// that make it, and the host, which converts as well.
//
// A tile is lanes · items neighbouring entries, `items` for each lane of a warp. A bit of row_marks
// says that an entry begins a row. Rows that have entries are numbered; what lies behind the last
// entry is a row of its own, which is never stored. A run is `run` neighbouring tiles, those of one
// warp.
#pragma once

/// Where entry `item` of a lane lies in its tile: the lanes' loads are side by side.
[[gnu::always_inline]] inline long place_in_tile(long lanes, long lane, long item) {
    return item * lanes + lane;
}

/// Of a place in a tile: the lane that has its entry, and which one of that lane's it is.
[[gnu::always_inline]] inline int lane_at(int place, int lanes) {
    return place % lanes;
}
[[gnu::always_inline]] inline int item_at(int place, int lanes) {
    return place / lanes;
}

/// In tile_row where no row is open, in cut_first_run and cut_last_run where none is cut.
constexpr int no_row = -1;

/// Rows without entries that a thread of tiles stores: blocks of one row a thread take longer to
/// begin than to run.
constexpr int empty_rows_a_thread = 8;
