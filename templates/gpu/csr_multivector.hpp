// CSR times several vectors, lanes of a row side by side along the vectors.
//
// What:       the product with `num_rhs` vectors from compressed rows. `rhs_lanes` neighbouring
//             lanes share an entry: each has `rhs_group` of the numbers that its column meets in x,
//             in loads of 16 bytes where x begins at a multiple of that. There are as many as
//             num_rhs allows, at most 16 and `subwarp`. `subwarp / rhs_lanes` entries of a row are
//             taken at a time; their sums meet in shuffles.
// Source:     row splitting for sparse times dense of Yang, Buluç & Owens, Euro-Par 2018.
// Parameters: block    threads of a block.
//             subwarp  1 … 64, within the wavefront: lanes for a row.
//             unroll   1, 2, 4, 8: entries of a lane that are loaded before the first is used.
// Work:       one row for each subwarp; a block has block / subwarp rows.
// Reads:      nnz·(storage + index) + rows·offset bytes of A for each rhs_lanes·rhs_group vectors, x
//             once for each entry; writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_multivector.hpp"

/// Y = αAX + βY for A in CSR, X and Y row-major.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int subwarp, int rhs_lanes, int unroll>
void csr_multivector(long num_rows, const Offset* __restrict__ row_ptr,
                     const Index* __restrict__ col_idx, const Storage* __restrict__ values,
                     const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha,
                     Vector beta) {
    constexpr int step = subwarp / rhs_lanes;
    const int lane = static_cast<int>(threadIdx.x) % subwarp;
    const long row = static_cast<long>(blockIdx.x) * (block / subwarp) + threadIdx.x / subwarp;
    const long first_rhs =
        static_cast<long>(blockIdx.y) * (rhs_lanes * rhs_group) + lane % rhs_lanes * rhs_group;
    Value sum[rhs_group] = {};
    if constexpr (alpha_mode == scale::zero) {
        await_launches_ahead();
    } else {
        // All lanes of a warp take part in the shuffles, those beyond the last row with no entries.
        const Offset begin = row < num_rows ? row_ptr[row] : static_cast<Offset>(0);
        const Offset count = row < num_rows ? row_ptr[row + 1] - begin : static_cast<Offset>(0);
        const Offset first = static_cast<Offset>(lane / rhs_lanes);
        await_launches_ahead();
        if constexpr (in_wide_loads<num_rhs, rhs_group, Vector>) {
            if (reinterpret_cast<unsigned long>(x) % 16 == 0) {
                add_row_pieces<true, step, unroll, num_rhs, rhs_group>(
                    sum, values + begin, col_idx + begin, x + first_rhs, first, count);
            } else {
                add_row_pieces<false, step, unroll, num_rhs, rhs_group>(
                    sum, values + begin, col_idx + begin, x + first_rhs, first, count);
            }
        } else {
            add_row_pieces<false, step, unroll, num_rhs, rhs_group>(
                sum, values + begin, col_idx + begin, x + first_rhs, first, count);
        }
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            sum[rhs] = subwarp_sum_of_parts<subwarp, rhs_lanes>(sum[rhs]);
        }
    }
    if (lane < rhs_lanes && row < num_rows) {
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            store<alpha_mode, beta_mode, has_epilogue>(y, row * num_rhs + first_rhs + rhs, sum[rhs],
                                                       alpha, beta, row);
        }
    }
}
