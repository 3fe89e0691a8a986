// SELL-P / SELL-C-σ, rows by the tile, with matrix units for f64.
//
// What:       the product from slices of rows that are padded to the slice's longest. The 4 entries
//             of a row that stand together are what a tile of the matrix unit takes of it, so that
//             a warp loads one run of memory for each instruction, and no shuffle adds sums. Sums
//             are f64; y is in order.
// Source:     Lu & Liu, DASP: Specific Dense Matrix Multiply-Accumulate Units Accelerated General
//             Sparse Matrix-Vector Multiplication, SC 2023; the format of Anzt, Tomov & Dongarra,
//             2014, and Kreutzer et al., SISC 36(5), 2014.
// Parameters: block   64, 128, 256, 512: threads of a block.
//             slice   32, 64: rows of a slice.
//             sigma   1, 64, 256, 1024, 4096, 16384: rows in a sorting window; 1 = rows keep their
//                     order, and no permutation is read.
//             unroll  1, 2, 4, 8: tiles' widths, of 4 entries, that are loaded before the first is
//                     used.
// Format:     slice_ptr counts columns of slices, whose number is a multiple of 4: entry k of row l
//             of a slice is at (slice_ptr[slice] + (k / 4)·4)·C + l·4 + k % 4. Padding has the
//             column -1 and the value 0 and never meets x. row_order holds the row of A at each
//             position (σ > 1).
// Work:       8 rows for each warp of NVIDIA's, 16 for each wavefront of AMD's.
// Reads:      stored·(value + index) bytes plus an offset a slice, an index a row (σ > 1), x once
//             for each entry; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_matrix_units.hpp"

/// y = αAx + βy.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int block, int slice, int sigma,
          int unroll>
void sell_matrix_units(long num_rows, const Offset* __restrict__ slice_ptr,
                       const Index* __restrict__ row_order, const Index* __restrict__ col_idx,
                       const Storage* __restrict__ values, const Vector* __restrict__ x,
                       Vector* __restrict__ y, Vector alpha, Vector beta) {
    constexpr int step = slice * tile_width;
    const long warp = static_cast<long>(blockIdx.x) * (block / warp_size) + threadIdx.x / warp_size;
    const long first = warp * tile_rows;
    Value sums[tile_sums] = {};
    if constexpr (alpha_mode != scale::zero) {
        // A tile lies within a slice, so that all lanes go on together.
        if (first < num_rows) {
            const long begin = slice_ptr[first / slice];
            long left = (slice_ptr[first / slice + 1] - begin) / tile_width;
            long place =
                begin * slice + (first % slice + row_of_lane()) * tile_width + entry_of_lane();
            for (; left > 0; left -= unroll) {
                Storage value[unroll] = {};
                Index col[unroll];
                for (int u = 0; u < unroll; ++u) {
                    col[u] = -1;
                    if (u < left) {
                        value[u] = load_stored(values + place + u * step);
                        col[u] = load_stream(col_idx + place + u * step);
                    }
                }
                Vector factor[unroll] = {};
                for (int u = 0; u < unroll; ++u) {
                    if (col[u] >= 0) {
                        factor[u] = x[col[u]];
                    }
                }
                for (int u = 0; u < unroll; ++u) {
                    add_tile(sums, widened<Value>(value[u]), converted<Value>(factor[u]));
                }
                place += unroll * step;
            }
        }
    }
    const long position = first + row_of_lane();
    if (has_row_sum() && position < num_rows) {
        const long row = sigma == 1 ? position : row_order[position];
        store<alpha_mode, beta_mode, has_epilogue>(y, row, row_sum(sums), alpha, beta, row);
    }
}
