// Tiles: entries in equal shares down to the lane.
//
// What:       the product from tiles of warp_size · items neighbouring entries, whatever rows they
//             are of. Each lane has `items` neighbouring entries of the tile, laid out so that the
//             lanes' loads lie side by side, and a bit for each that begins a row. It adds up what
//             it has of each row, a segmented scan joins the lanes, and the sums of rows that end
//             pass through shared memory to be stored side by side. A warp takes `run` tiles, one
//             after another; the parts of rows that are cut between warps meet in a tree, whoever
//             comes second to a node goes on with both. One launch, every element of y stored once,
//             no atomic sums. Rows without entries stand in a list, and blocks of their own store
//             them.
// Source:     CSR5 (Liu & Vinter, ICS 2015) for tiles with row starts as bits; Karras (HPG 2012)
//             for trees that the second to come climbs.
// Parameters: block   threads of a block.
//             items   8, 16, 32: entries of a lane in a tile, all under way at a time.
//             run     tiles of a warp.
//             staged  sums of rows that a warp keeps in shared memory: a tile that ends more rows
//                     is walked several times.
//             gaps    1: some rows are empty, numbers of rows are looked up; 0: none is.
//             value_code  how values are coded, see coded_values.hpp.
// Work:       a warp a run, then a thread eight empty rows.
// Reads:      nnz·(storage + index + 1/8) bytes of A, 12 bytes a run, with gaps an index a row; x
//             once for each entry; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_segments.hpp"
#include "dialect/gpu_tiles.hpp"

/// α = 0: y = βy. Takes all of the kernel's parameters, since it is then the only step.
template <typename Vector, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int items, int run, int staged, int gaps, int value_code>
void tiles_scaled(long num_rows, Vector* __restrict__ y, Vector beta) {
    store_scaled<beta_mode, num_rhs, rhs_group, has_epilogue, block>(num_rows, y, beta);
}

/// y = αAx + βy. tile_row[t]: number of the row that is open as tile t begins, -1 when none is.
/// cut_first_run[r], cut_last_run[r]: first and last run with a part of the row that is cut where
/// run r begins; -1 when none is.
template <typename Value, typename Vector, typename Storage, typename Index, scale alpha_mode,
          scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue, int block, int items,
          int run, int staged, int gaps, int value_code>
void tiles(long num_tiles, long num_runs, long num_filled, long num_empty,
           const Index* __restrict__ tile_row, const unsigned char* __restrict__ row_marks,
           const Index* __restrict__ col_idx, const Storage* __restrict__ values,
           const unsigned char* __restrict__ coded_values, const Index* __restrict__ cut_first_run,
           const Index* __restrict__ cut_last_run, const Index* __restrict__ filled_rows,
           const Index* __restrict__ empty_rows, const Vector* __restrict__ x,
           Vector* __restrict__ y, Vector alpha, Vector beta,
           unsigned long long* __restrict__ meetings) {
    constexpr int warps = block / warp_size;
    __shared__ Value parts[warps * (staged + rhs_group)];
    const int thread = static_cast<int>(threadIdx.x);
    Value* part = parts + thread / warp_size * (staged + rhs_group);
    const long this_run = static_cast<long>(blockIdx.x) * warps + thread / warp_size;
    if (this_run >= num_runs) {
        if constexpr (gaps == 1) {
            const long run_blocks = (num_runs + warps - 1) / warps;
            const long row_block = static_cast<long>(blockIdx.x) - run_blocks;
            if (row_block >= 0) {
                await_launches_ahead();
                for (int k = 0; k < empty_rows_a_thread; ++k) {
                    const long i = (row_block * empty_rows_a_thread + k) * block + thread;
                    store_empty_row<beta_mode, num_rhs, rhs_group, has_epilogue>(
                        i, num_empty, empty_rows, y, beta);
                }
            }
        }
        return;
    }
    await_launches_ahead();
    using Shape = tile_shape<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue, items, run,
                             staged, gaps, value_code, 0, 0>;
    const tiles_view<Storage, Index> all_tiles = {
        .tile_row = tile_row,
        .row_marks = row_marks,
        .col_idx = col_idx,
        .values = values,
        .coded_values = coded_values,
        .cut_first_run = cut_first_run,
        .cut_last_run = cut_last_run,
        .filled_rows = filled_rows,
        .num_tiles = num_tiles,
        .num_filled = num_filled,
    };
    const result_view<Vector> result = {.y = y, .alpha = alpha, .beta = beta, .ld_y = 0};
    const x_view<Vector> from = {.hub_x = x, .hot_x = x, .x = x};
    multiply_run<Shape>(this_run, all_tiles, from, part, meetings, result);
}
