// CSR, rows drawn from a counter.
//
// What:       the product from compressed rows. `subwarp` neighbouring lanes (a vector) take the
//             entries of one row in turn and add up their sums with shuffles. Which rows they get
//             is decided while the kernel runs: a counter holds the lowest row that nobody has had,
//             and whoever has finished draws from it. So a warp with long rows holds up no other,
//             and as many blocks are launched as the device holds at once.
// Source:     LightSpMV (Liu & Schmidt, ASAP 2015): dynamic row distribution at the level of
//             vectors and of warps.
// Parameters: block    threads of a block.
//             subwarp  1 … 64, within the wavefront: lanes for a row, the paper's vector size V.
//             level    0: each vector draws rows of its own; 1: a warp draws for its vectors.
//             rows     1, 2, 4, 8: neighbouring rows that each vector gets of one draw; 1 in the
//                      paper.
//             unroll   1, 2, 4, 8: entries of a lane that are loaded before the first is used.
// Work:       what is drawn; at most as many blocks as fit on the device, by their threads.
// Counter:    zero when the kernel begins and when it has ended. Everybody who draws goes on until
//             a draw gives no row, so the number of draws is known, and with it the last one:
//             whoever has that one puts the counter back, for nobody will look at it any more. One
//             counter for each group of right-hand sides.
// Reads:      nnz·(storage + index) + rows·offset bytes of A, x once for each entry; writes y once,
//             reads it when β ≠ 0. One atomic addition for each draw.
#pragma once
#include "dialect/gpu_rows.hpp"
#include "dialect/gpu_segments.hpp"

/// α = 0: y = βy. Nothing is drawn.
template <typename Vector, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block>
void csr_light_scaled(long num_rows, Vector* __restrict__ y, Vector beta) {
    store_scaled<beta_mode, num_rhs, rhs_group, has_epilogue, block>(num_rows, y, beta);
}

/// The first of `count` neighbouring rows that nobody has drawn before; there is none from num_rows
/// on. Each of the grid's groups of `lanes` lanes, of which one calls this, draws until it gets
/// none, and then no more.
template <int block, int lanes, int count>
[[gnu::always_inline]] inline long draw_rows(unsigned long long* row_counter, long num_rows) {
    unsigned long long* counter = row_counter + blockIdx.y;
    const long drawn =
        static_cast<long>(atomicAdd(counter, static_cast<unsigned long long>(count)));
    const long groups = static_cast<long>(gridDim.x) * (block / lanes);
    const long draws = (num_rows + count - 1) / count + groups;
    if (drawn == (draws - 1) * count) {
        // This was the last draw of all: nobody else will look at the counter.
        atomicAdd(counter, static_cast<unsigned long long>(-draws * count));
    }
    return drawn;
}

/// y = αAx + βy for A in CSR.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int subwarp, int level, int rows, int unroll>
void csr_light(long num_rows, const Offset* __restrict__ row_ptr, const Index* __restrict__ col_idx,
               const Storage* __restrict__ values, const Vector* __restrict__ x,
               Vector* __restrict__ y, Vector alpha, Vector beta,
               unsigned long long* __restrict__ row_counter) {
    constexpr int lanes = level == 0 ? subwarp : warp_size;  // that draw together
    constexpr int vectors = lanes / subwarp;
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % subwarp;
    const int vector = thread % lanes / subwarp;
    long first = 0;
    while (true) {
        if (thread % lanes == 0 && first < num_rows) {
            first = draw_rows<block, lanes, vectors * rows>(row_counter, num_rows);
        }
        if constexpr (lanes > 1) {
            first = shuffle<lanes>(first, 0);
        }
        // The warp stays together for its shuffles, also when some of its vectors have no rows.
        if (!any_lane(first < num_rows)) {
            return;
        }
        for (int r = 0; r < rows; ++r) {
            const long row = first + r * vectors + vector;
            Value sum[rhs_group] = {};
            if (row < num_rows) {
                const Offset begin = row_ptr[row];
                const Offset count = row_ptr[row + 1] - begin;
                add_row_entries<subwarp, unroll, num_rhs, rhs_group>(
                    sum, values + begin, col_idx + begin, x, 0, static_cast<Offset>(lane), count);
            }
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                sum[rhs] = subwarp_sum<subwarp>(sum[rhs]);
            }
            if (lane == 0 && row < num_rows) {
                store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum,
                                                                                   alpha, beta);
            }
        }
    }
}
