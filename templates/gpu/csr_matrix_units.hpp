// CSR, rows by the tile, with matrix units for f64.
//
// What:       the product from compressed rows. 4 lanes take the entries of one row in turn, and
//             the matrix unit adds the products of all of a warp's rows at a time; what would be
//             additions and shuffles after each row is part of it. Sums are f64; y is in order.
// Source:     Lu & Liu, DASP: Specific Dense Matrix Multiply-Accumulate Units Accelerated General
//             Sparse Matrix-Vector Multiplication, SC 2023; here on CSR as it is.
// Parameters: block   64, 128, 256, 512: threads of a block.
//             tiles   1, 2, 4: tiles of rows that a warp has under way at a time; more than one
//                     where rows are short.
//             unroll  1 … 4: tiles' widths, of 4 entries, that are loaded before the first is
//                     used. About the usual length of a row divided by 4; a row that is much longer
//                     holds up its warp.
// Work:       tiles · 8 rows for each warp of NVIDIA's, tiles · 16 for each wavefront of AMD's.
// Reads:      nnz·(storage + index) + rows·offset bytes of A, x once for each entry; writes y once,
//             reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_matrix_units.hpp"

/// y = αAx + βy for A in CSR.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int block, int tiles, int unroll>
void csr_matrix_units(long num_rows, const Offset* __restrict__ row_ptr,
                      const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                      const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha,
                      Vector beta) {
    const long warp = static_cast<long>(blockIdx.x) * (block / warp_size) + threadIdx.x / warp_size;
    const long first_row = warp * (tiles * tile_rows) + row_of_lane();
    Value sums[tiles * tile_sums] = {};
    if constexpr (alpha_mode != scale::zero) {
        // Entries of the lane's rows from its next one on: up to 0, none is left for it.
        Offset left[tiles] = {};
        Offset end[tiles] = {};
        for (int t = 0; t < tiles; ++t) {
            const long row = first_row + t * tile_rows;
            if (row < num_rows) {
                end[t] = row_ptr[row + 1];
                left[t] = end[t] - row_ptr[row] - entry_of_lane();
            }
        }
        bool more = true;
        while (more) {
            Storage value[tiles * unroll] = {};
            Index col[tiles * unroll] = {};
            for (int t = 0; t < tiles; ++t) {
                for (int u = 0; u < unroll; ++u) {
                    if (left[t] > u * tile_width) {
                        const Offset k = end[t] - left[t] + u * tile_width;
                        value[t * unroll + u] = load_stored(values + k);
                        col[t * unroll + u] = load_stream(col_idx + k);
                    }
                }
            }
            Vector factor[tiles * unroll] = {};
            for (int t = 0; t < tiles; ++t) {
                for (int u = 0; u < unroll; ++u) {
                    if (left[t] > u * tile_width) {
                        factor[t * unroll + u] = x[col[t * unroll + u]];
                    }
                }
            }
            for (int t = 0; t < tiles; ++t) {
                for (int u = 0; u < unroll; ++u) {
                    add_tile(sums + t * tile_sums, widened<Value>(value[t * unroll + u]),
                             converted<Value>(factor[t * unroll + u]));
                }
            }
            // All lanes go on together: a matrix unit has no idle ones.
            more = false;
            for (int t = 0; t < tiles; ++t) {
                left[t] -= unroll * tile_width;
                more = more || left[t] > 0;
            }
            more = any_lane(more);
        }
    }
    if (has_row_sum()) {
        for (int t = 0; t < tiles; ++t) {
            const long row = first_row + t * tile_rows;
            if (row < num_rows) {
                store<alpha_mode, beta_mode, has_epilogue>(y, row, row_sum(sums + t * tile_sums),
                                                           alpha, beta, row);
            }
        }
    }
}
