// DIA in tiles: diagonals, cut where they have holes.
//
// What:       a thread takes a row, a block a tile; the threads of a block go through its pieces of
//             diagonals together, with neighbouring values and neighbouring elements of x. Columns
//             are not stored: row i of a piece meets x[i + offset]. Good for stencils, spin chains
//             and banded matrices, whose diagonals are long; a matrix without any has a piece an
//             entry.
// Source:     diagonal storage (Saad, SPARSKIT, 1990; Bell & Garland, SC 2009), with the holes that
//             theirs fills left out.
// Parameters: block   64, 128, 256, 512, 1024: threads of a block, and rows of a tile.
//             unroll  1, 2, 4, 8: pieces that are loaded before the first is used.
// Format:     the pieces of tile t are tile_ptr[t] … tile_ptr[t + 1]-1. Each has the entries (i, i +
//             piece_offset) of the rows first … last-1 of the tile, all of which are stored;
//             piece_rows is first + 65536·last. They are at piece_begin, in the order of the rows;
//             those of long pieces lie so that a warp loads whole sectors. An entry that A holds
//             twice is in two pieces. Gaps between pieces are not read.
// Work:       one row for each thread.
// Reads:      nnz·value bytes, and index + offset + 4 bytes for a piece; x once for each entry;
//             writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/gpu.hpp"

/// y = αAx + βy for A in DIA.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int unroll>
void dia(long num_rows, const Offset* __restrict__ tile_ptr, const Index* __restrict__ piece_offset,
         const unsigned* __restrict__ piece_rows, const Offset* __restrict__ piece_begin,
         const Storage* __restrict__ values, const Vector* __restrict__ x, Vector* __restrict__ y,
         Vector alpha, Vector beta) {
    const int own = static_cast<int>(threadIdx.x);
    const long row = static_cast<long>(blockIdx.x) * block + own;
    Value sum[rhs_group] = {};
    if constexpr (alpha_mode == scale::zero) {
        await_launches_ahead();
    } else {
        // The last tile may lie beyond the matrix' rows where there are none.
        const Offset begin = row - own < num_rows ? tile_ptr[blockIdx.x] : static_cast<Offset>(0);
        const Offset end = row - own < num_rows ? tile_ptr[blockIdx.x + 1] : static_cast<Offset>(0);
        await_launches_ahead();
        for (Offset piece = begin; piece < end; piece += unroll) {
            // Where a piece has no entry of the row, both factors are zero.
            Storage value[unroll] = {};
            long col[unroll] = {};
            bool stored[unroll] = {};
            for (int u = 0; u < unroll; ++u) {
                if (piece + u < end) {
                    const unsigned rows = piece_rows[piece + u];
                    const int first = static_cast<int>(rows & 0xffffu);
                    stored[u] = own >= first && own < static_cast<int>(rows >> 16);
                    if (stored[u]) {
                        value[u] = load_stored(values + piece_begin[piece + u] + (own - first));
                        col[u] = row + piece_offset[piece + u];
                    }
                }
            }
            Vector factor[unroll * rhs_group] = {};
            for (int u = 0; u < unroll; ++u) {
                for (int rhs = 0; rhs < rhs_group; ++rhs) {
                    if (stored[u]) {
                        factor[u * rhs_group + rhs] =
                            x[element_of<num_rhs, rhs_group>(col[u]) + rhs];
                    }
                }
            }
            for (int u = 0; u < unroll; ++u) {
                for (int rhs = 0; rhs < rhs_group; ++rhs) {
                    sum[rhs] =
                        multiply_add(widened<Value>(value[u]),
                                     converted<Value>(factor[u * rhs_group + rhs]), sum[rhs]);
                }
            }
        }
    }
    if (row < num_rows) {
        store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                           beta);
    }
}
