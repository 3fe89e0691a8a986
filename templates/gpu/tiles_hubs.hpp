// Tiles, with the most used columns in shared memory.
//
// What:       as tiles, for matrices of which few columns have many of the entries: networks. There
//             the product is bound by the L2 cache, which serves each element of x with a sector of
//             its own. A launch before it gathers the elements of the `hubs` + `warm` most used
//             columns side by side; every block loads the hubs into shared memory, once, for all
//             the runs that it takes. The warm ones stay in global memory, but close together.
//             Stored columns say at once where an element is: hubs, then warm ones, then all.
// Source:     CSR5 (Liu & Vinter, ICS 2015) for tiles with row starts as bits; hubs are this
//             project's (docs/explanation/tiles.md).
// Parameters: block, items, run, staged, gaps, value_code  as those of tiles.
//             hubs      columns in shared memory; as many elements must fit there, for each
//                       right-hand side of a group.
//             warm      columns that are gathered besides.
//             per_unit  blocks for each multiprocessor, if so many fit.
// Work:       a warp a run, and then the run that is as many further as there are warps.
// Reads:      as tiles; the gathered elements of x once, the hubs once more for each block.
#pragma once
#include "dialect/gpu_segments.hpp"
#include "dialect/gpu_tiles.hpp"

/// α = 0: y = βy. Takes all of the kernel's parameters, since it is then the only step.
template <typename Vector, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int items, int run, int staged, int gaps, int value_code, int hubs, int warm>
void tiles_hubs_scaled(long num_rows, Vector* __restrict__ y, Vector beta) {
    store_scaled<beta_mode, num_rhs, rhs_group, has_epilogue, block>(num_rows, y, beta);
}

/// Gathers x for the columns that are used most, and stores the empty rows.
template <typename Vector, typename Index, scale beta_mode, int num_rhs, int rhs_group,
          bool has_epilogue, int gaps>
void tiles_hubs_gather(long num_hot, long num_empty, const Index* __restrict__ hot_cols,
                       const Index* __restrict__ empty_rows, const Vector* __restrict__ x,
                       Vector* __restrict__ hot_x, Vector* __restrict__ y, Vector beta) {
    const long i = static_cast<long>(blockIdx.x) * gather_block + threadIdx.x;
    const long column = i < num_hot ? static_cast<long>(hot_cols[i]) : 0l;
    await_launches_ahead();
    if (i < num_hot) {
        const long from = element_of<num_rhs, rhs_group>(column);
        const long to = element_of<num_rhs, rhs_group>(i);
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            hot_x[to + rhs] = x[from + rhs];
        }
    }
    if constexpr (gaps == 1) {
        store_empty_row<beta_mode, num_rhs, rhs_group, has_epilogue>(i, num_empty, empty_rows, y,
                                                                     beta);
    }
}

/// y = αAx + βy for the rows that have entries. The arrays are those of tiles.
template <typename Value, typename Vector, typename Storage, typename Index, scale alpha_mode,
          scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue, int block, int items,
          int run, int staged, int gaps, int value_code, int hubs, int warm>
void tiles_hubs(long num_tiles, long num_runs, long num_filled, long num_hot,
                const Index* __restrict__ tile_row, const unsigned char* __restrict__ row_marks,
                const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                const unsigned char* __restrict__ coded_values,
                const Index* __restrict__ cut_first_run, const Index* __restrict__ cut_last_run,
                const Index* __restrict__ filled_rows, const Vector* __restrict__ hot_x,
                const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha, Vector beta,
                unsigned long long* __restrict__ meetings) {
    constexpr int warps = block / warp_size;
    __shared__ Vector hub_x[hubs > 0 ? hubs * rhs_group : 1];
    __shared__ Value parts[warps * (staged + rhs_group)];
    const int thread = static_cast<int>(threadIdx.x);
    await_launches_ahead();
    if constexpr (hubs > 0) {
        const int count = num_hot < hubs ? static_cast<int>(num_hot) : hubs;
        for (int i = thread; i < count; i += block) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                hub_x[i * rhs_group + rhs] = hot_x[element_of<num_rhs, rhs_group>(i) + rhs];
            }
        }
        __syncthreads();
    }
    using Shape = tile_shape<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue, items, run,
                             staged, gaps, value_code, hubs, warm>;
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
    const x_view<Vector> from = {.hub_x = hub_x, .hot_x = hot_x, .x = x};
    const long all_warps = static_cast<long>(gridDim.x) * warps;
    for (long this_run = static_cast<long>(blockIdx.x) * warps + thread / warp_size;
         this_run < num_runs; this_run += all_warps) {
        multiply_run<Shape>(this_run, all_tiles, from,
                            parts + thread / warp_size * (staged + rhs_group), meetings, result);
    }
}
