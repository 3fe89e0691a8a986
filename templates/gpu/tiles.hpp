// Tiles: entries in equal shares down to the lane.
//
// What:       the product from tiles of warp_size · items neighbouring entries, whatever rows they
//             are of. Each lane has `items` neighbouring entries of the tile, laid out so that the
//             lanes' loads lie side by side, and a bit for each that begins a row. It adds up what
//             it has of each row, a segmented scan joins the lanes, and the sums of rows that end
//             pass through shared memory to be stored side by side. A warp takes `run` tiles, one
//             after another; rows that are cut between warps are completed by whoever has the last
//             part of them. One launch, every element of y stored once, no atomic sums. Rows
//             without entries stand in a list, and blocks of their own store them.
// Source:     CSR5 (Liu & Vinter, ICS 2015) for tiles with row starts as bits; the counts of parts
//             that have arrived are threadFenceReduction's of the CUDA programming guide.
// Parameters: block   threads of a block.
//             items   8, 16, 32: entries of a lane in a tile, all under way at a time.
//             run     tiles of a warp.
//             staged  sums of rows that a warp keeps in shared memory: a tile that ends more rows
//                     is walked several times.
//             gaps    1: some rows are empty, numbers of rows are looked up; 0: none is.
//             value_code  how values are coded, see coded_values.hpp.
// Work:       a warp a run, then a thread an empty row.
// Reads:      nnz·(storage + index + 1/8) bytes of A, 12 bytes a run, with gaps an index a row; x
//             once for each entry; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_tiles.hpp"

/// α = 0: y = βy. Takes all of the kernel's parameters, since it is then the only step.
template <typename Vector, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int items, int run, int staged, int gaps, int value_code>
void tiles_scaled(long num_rows, Vector* __restrict__ y, Vector beta) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        const Vector sum[rhs_group] = {};
        store_row<scale::zero, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, beta,
                                                                            beta);
    }
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
           Vector* __restrict__ y, Vector alpha, Vector beta, Value* __restrict__ open_sum,
           Value* __restrict__ end_sum, unsigned long long* __restrict__ arrived) {
    constexpr int size = warp_size * items;
    constexpr int warps = block / warp_size;
    __shared__ Value parts[warps * staged];
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % warp_size;
    Value* part = parts + thread / warp_size * staged;
    const long this_run = static_cast<long>(blockIdx.x) * warps + thread / warp_size;
    if (this_run >= num_runs) {
        if constexpr (gaps == 1) {
            const long run_blocks = (num_runs + warps - 1) / warps;
            const long i = (static_cast<long>(blockIdx.x) - run_blocks) * block + thread;
            if (i >= 0) {
                store_empty_row<beta_mode, num_rhs, rhs_group, has_epilogue>(i, num_empty,
                                                                             empty_rows, y, beta);
            }
        }
        return;
    }
    const long begin = this_run * run;
    const long end = begin + run < num_tiles ? begin + run : num_tiles;
    const long first_number = tile_row[begin];
    run_state at = {first_number, false};
    Value open = {};  // of lane r: the sum, for right-hand side r, of the row that is open
    for (long tile = begin; tile < end; ++tile) {
        Index col[items];
        Value value[items];
        for (int k = 0; k < items; ++k) {
            col[k] = load_stream(col_idx + tile * size + k * warp_size + lane);
        }
        const unsigned marks = load_marks<items>(row_marks, tile);
        for (int k = 0; k < items; ++k) {
            value[k] = coded_value<value_code, Value>(values, coded_values,
                                                      tile * size + k * warp_size + lane);
        }
        int ended = 0;
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            Vector factor[items];
            for (int k = 0; k < items; ++k) {
                factor[k] = x[element_of<num_rhs, rhs_group>(col[k]) + rhs];
            }
            if (rhs == 0) {
                // While x is on its way.
                ended = warp_prefix(count_bits(marks));
            }
            Value product[items];
            for (int k = 0; k < items; ++k) {
                product[k] = multiply(value[k], converted<Value>(factor[k]));
            }
            const Value left = end_rows<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue,
                                        items, staged, gaps>(
                product, marks, ended - count_bits(marks), ended, at, rhs, shuffle(open, rhs),
                end_sum + element_of<num_rhs, rhs_group>(this_run) + rhs, part, filled_rows, y,
                alpha, beta);
            if (lane == rhs) {
                open = left;
            }
        }
        const int rows = shuffle(ended, warp_size - 1);
        at.number += rows;
        at.has_head = at.has_head || rows > 0;
    }
    join_runs<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue, gaps>(
        this_run, first_number, at, num_filled, open, cut_first_run, cut_last_run, filled_rows,
        open_sum, end_sum, arrived, y, alpha, beta);
}
