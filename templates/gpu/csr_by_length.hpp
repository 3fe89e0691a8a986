// CSR, as many threads a row as its length asks for.
//
// What:       the product from compressed rows, one launch, no atomic sums. `subwarp` neighbouring
//             lanes take a short row; a warp takes a middle one; a long one is cut into even parts
//             of at most `share` entries, and a block takes each. Parts of one row meet in a tree,
//             as the runs of tiles do: whoever comes second goes on with both. So no row holds
//             others up for long, and rows that one block can take pay for no meeting.
// Source:     this project's; a kernel for each class of lengths: ACSR (Ashari et al., SC 2014).
// Parameters: block        threads of a block.
//             subwarp      1 … 64, within the wavefront: lanes for a short row.
//             unroll       1, 2, 4, 8: entries of a thread that are loaded before the first is used;
//                          where lanes share entries, pieces of rows of x.
//             most_short   entries of a short row at most.
//             most_middle  entries of a middle row at most. Decides what is stored, not the code.
//             share        entries of a block's part of a long row at most. Likewise.
// Work:       the first blocks take the parts of long rows, the next a middle row with each warp,
//             the others short rows with each subwarp; rows that are not short are skipped there.
// Reads:      nnz·(storage + index) + rows·offset bytes of A, an index and two offsets for each
//             middle row, three indices and two offsets for each part; x once for each entry; writes
//             y once, reads it when β ≠ 0.
#pragma once
#include "dialect/gpu_meetings.hpp"
#include "dialect/gpu_rows.hpp"
#include "dialect/gpu_segments.hpp"

/// α = 0: y = βy.
template <typename Vector, scale beta_mode, int num_rhs, vector_form y_form, int rhs_group,
          int rhs_lanes, bool has_epilogue, int block>
void csr_by_length_scaled(long num_rows, Vector* __restrict__ y, long ld_y, Vector beta) {
    store_scaled<beta_mode, num_rhs, numbers_together<num_rhs, rhs_group, rhs_lanes>, has_epilogue,
                 block, y_form>(num_rows, y, beta, ld_y);
}

/// Replaces *sum by the sum over the block's threads, in all lanes of its first warp. `warp_sum` has
/// a place for each warp. All threads of the block take part.
template <int block, typename Value>
[[gnu::always_inline]] inline void sum_over_block(Value* sum, Value* warp_sum) {
    constexpr int warps = block / warp_size;
    const int thread = static_cast<int>(threadIdx.x);
    *sum = subwarp_sum<warp_size>(*sum);
    if (thread % warp_size == 0) {
        warp_sum[thread / warp_size] = *sum;
    }
    __syncthreads();
    if (thread < warp_size) {
        *sum = thread < warps ? warp_sum[thread] : Value{};
        *sum = shuffle(subwarp_sum<warps>(*sum), 0);
    }
}

/// Of several right-hand sides: puts what each warp has for them into `warp_sum`, in the order of a
/// row of y. All threads of the block take part.
template <int num_rhs, int rhs_group, int rhs_lanes, typename Vector, typename Value>
[[gnu::always_inline]] inline void put_warp_sums(Value* warp_sum, Value* sum) {
    constexpr int width = rhs_group * rhs_lanes;
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % warp_size;
    for (int i = 0; i < rhs_group; ++i) {
        sum[i] = subwarp_sum<warp_size, rhs_lanes>(sum[i]);
        if (lane < rhs_lanes) {
            warp_sum[thread / warp_size * width + lane * chunk<num_rhs, rhs_group, Vector> +
                     place_of<num_rhs, rhs_group, rhs_lanes, Vector>(i)] = sum[i];
        }
    }
    __syncthreads();
}

/// The sum over the warps of their number `i` of `width`.
template <int warps, int width, typename Value>
[[gnu::always_inline]] inline Value sum_of_warps(const Value* warp_sum, int i) {
    Value total = warp_sum[i];
    for (int warp = 1; warp < warps; ++warp) {
        total = add(total, warp_sum[warp * width + i]);
    }
    return total;
}

/// y = αAx + βy for A in CSR. part_row, part_begin, part_end: the row of each part of a long row,
/// and the part's entries; part_first, part_last: first and last part of that row.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, vector_form x_form, vector_form y_form,
          int rhs_group, bool has_epilogue, int block, int subwarp, int rhs_lanes, int unroll,
          int most_short>
void csr_by_length(long num_rows, long num_parts, long num_middle,
                   const Offset* __restrict__ row_ptr, const Index* __restrict__ col_idx,
                   const Storage* __restrict__ values, const Index* __restrict__ part_row,
                   const Offset* __restrict__ part_begin, const Offset* __restrict__ part_end,
                   const Index* __restrict__ part_first, const Index* __restrict__ part_last,
                   const Index* __restrict__ middle_row, const Offset* __restrict__ middle_begin,
                   const Offset* __restrict__ middle_end, const Vector* __restrict__ x, long ld_x,
                   Vector* __restrict__ y, long ld_y, Vector alpha, Vector beta,
                   unsigned long long* __restrict__ meetings) {
    constexpr int warps = block / warp_size;
    constexpr int width = rhs_group * rhs_lanes;
    constexpr int numbers = numbers_together<num_rhs, rhs_group, rhs_lanes>;
    __shared__ Value warp_sum[warps * width];
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % warp_size;
    const long middle_block = static_cast<long>(blockIdx.x) - num_parts;
    const long short_block = middle_block - (num_middle + warps - 1) / warps;
    Value sum[rhs_group] = {};
    if (middle_block < 0) {
        const long part = blockIdx.x;
        const long row = part_row[part];
        const parts_view parts = {
            .meetings = meetings,
            .own = part,
            .first = part_first[part],
            .last = part_last[part],
        };
        const result_view<Vector> result = {.y = y, .alpha = alpha, .beta = beta, .ld_y = ld_y};
        const long begin = part_begin[part];
        const long end = part_end[part];
        await_and_add_row<Offset, block, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
            sum, values, col_idx, x, ld_x, thread, begin, end);
        constexpr int lanes = meeting_words<Value> == 1 ? 1 : 2;  // of a sum
        if constexpr (num_rhs == 1) {
            sum_over_block<block>(sum, warp_sum);
            if (thread < lanes) {
                join_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue, y_form>(
                    sum[0], thread, 0, row, parts, result);
            }
        } else {
            put_warp_sums<num_rhs, rhs_group, rhs_lanes, Vector>(warp_sum, sum);
            for (int rhs = thread / lanes; rhs < numbers; rhs += block / lanes) {
                join_row<alpha_mode, beta_mode, num_rhs, numbers, has_epilogue, y_form>(
                    sum_of_warps<warps, width>(warp_sum, rhs), thread % lanes, rhs, row, parts,
                    result);
            }
        }
    } else if (short_block < 0) {
        const long i = middle_block * warps + thread / warp_size;
        if (i < num_middle) {
            const long row = middle_row[i];
            const long begin = middle_begin[i];
            const long end = middle_end[i];
            await_and_add_row<Offset, warp_size, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
                sum, values, col_idx, x, ld_x, lane, begin, end);
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                sum[rhs] = subwarp_sum<warp_size, rhs_lanes>(sum[rhs]);
            }
            if (has_sums<rhs_lanes>(lane)) {
                store_row_of_lane<alpha_mode, beta_mode, num_rhs, rhs_group, rhs_lanes,
                                  has_epilogue, y_form>(y, ld_y, row, lane, sum, alpha, beta);
            }
        }
    } else {
        const long row = short_block * (block / subwarp) + thread / subwarp;
        bool is_short = false;
        // All lanes of a warp take part in the shuffles, those without a short row with no entries.
        if constexpr (rhs_lanes == 1) {
            if (row < num_rows) {
                const long begin = row_ptr[row];
                const long end = row_ptr[row + 1];
                is_short = end - begin <= most_short;
                await_and_add_row<Offset, subwarp, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
                    sum, values, col_idx, x, ld_x, lane % subwarp, begin, is_short ? end : begin);
            }
        } else {
            const long begin = row < num_rows ? row_ptr[row] : 0;
            const long end = row < num_rows ? row_ptr[row + 1] : 0;
            is_short = row < num_rows && end - begin <= most_short;
            await_and_add_row<Offset, subwarp, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
                sum, values, col_idx, x, ld_x, lane % subwarp, begin, is_short ? end : begin);
        }
        if constexpr (subwarp > rhs_lanes) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                sum[rhs] = subwarp_sum<subwarp, rhs_lanes>(sum[rhs]);
            }
        }
        if (has_sums<rhs_lanes>(lane % subwarp) && is_short) {
            store_row_of_lane<alpha_mode, beta_mode, num_rhs, rhs_group, rhs_lanes, has_epilogue,
                              y_form>(y, ld_y, row, lane % subwarp, sum, alpha, beta);
        }
    }
}
