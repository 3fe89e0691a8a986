// Strips: slices of lanes with compressed columns, long rows on warps of their own, in one launch.
//
// What:       a lane takes a block row (r rows; one row for r = 1), or `threads_per_row`
//             neighbouring lanes share one and add their sums by shuffles. A strip is one block
//             of each lane of a slice: its columns are stored as one base and a delta for each
//             lane, of 0, 8, 16 or 32 bits, the same for all strips of a slice. Block rows may be
//             sorted by length in windows of sigma. Rows far longer than the rest are cut into
//             chunks of 32 entries a lane; whichever warp ends last with a row adds the chunks'
//             sums, in their order.
// Source:     SELL-C-σ (Kreutzer, Hager, Wellein, Fehske & Bishop, SISC 36(5), 2014) with the
//             columns compressed; docs/explanation/strips.md has every array.
// Parameters: block       64, 128, 256, 512: threads of a block.
//             slice       32, 64: lanes of a slice.
//             sigma       1, 64, 256, 1024, 4096, 16384: block rows in a sorting window; 1 = they
//                         keep their order, and none is read.
//             threads_per_row  1, 2, 4, 8, 16, 32: lanes that share a block row.
//             unroll      1 … 8: blocks that a lane loads before it uses the first, at most as
//                         many as fit 192 bytes with their x.
//             block_rows  1 … 8: r.   block_cols 1 … 8: c.
//             codes       1 … 15: a bit for each of 0, 8, 16, 32 bits that occurs.
//             ragged      0 = all lanes of a slice have as many strips; no lengths are read.
//             fill        0 = all blocks are whole, no slice has holes; no masks are read.
//             value_code  0 … 3: how values are stored, see coded_values.hpp.
//             long_rows   0 = there are none.
//             any_order   1 = rows do not come in y's order: which one each is, is read.
//             period      1, 2, 3, 4, 6: rows of a slice are so many apart, and so are the columns
//                         of its diagonals: unknowns that take turns. Of 1×1, sigma 1, a lane a row;
//                         rows behind the last whole group of `period` slices keep their order.
// Work:       first a warp for each chunk of the long rows, then a lane for each lane of a slice.
// Counter:    of each long row the chunks that are done; zero when the kernel begins and when it
//             has ended.
// Reads:      stored·value bytes, a base a strip, stored·(0, 1, 2 or 4) bytes of deltas, three
//             numbers a slice, 2 bytes a lane where a slice is ragged, 2 a block row (sigma > 1),
//             an index a row (any_order); x once for each block; writes y once, reads it when β ≠
//             0.
#pragma once
#include "dialect/gpu_strips.hpp"

/// Where the chunks of one long row leave their sums.
template <typename Value>
struct long_row_parts {
    Value* sums;               ///< of all chunks
    unsigned long long* done;  ///< the row's counter
    long first;                ///< chunk of the row
    long end;
};

/// Stores row `row` of y, whose sum over chunk `chunk` the lanes have in `sum`. Of several chunks,
/// the warp that comes last adds them all.
template <scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          typename Value, typename Vector>
[[gnu::always_inline]] inline void store_long_row(Vector* y, long row, Value* sum, Vector alpha,
                                                  Vector beta, long chunk,
                                                  const long_row_parts<Value>& parts) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const long chunks = parts.end - parts.first;
    add_lanes<warp_size, rhs_group>(sum);
    if (chunks > 1) {
        unsigned long long others = 0;
        if (lane == 0) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                parts.sums[element_of<num_rhs, rhs_group>(chunk) + rhs] = sum[rhs];
            }
            __threadfence();
            others = atomicAdd(parts.done, 1ull);
        }
        others = shuffle(others, 0);
        if (static_cast<long>(others) + 1 < chunks) {
            return;
        }
        __threadfence();
        clear<rhs_group>(sum);
        for (long part = parts.first + lane; part < parts.end; part += warp_size) {
            add_values<rhs_group>(sum, parts.sums + element_of<num_rhs, rhs_group>(part));
        }
        add_lanes<warp_size, rhs_group>(sum);
        if (lane == 0) {
            *parts.done = 0;
        }
    }
    if (lane == 0) {
        store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                           beta);
    }
}

/// The element of y that row `row` makes.
template <int any_order, typename Index>
[[gnu::always_inline]] inline long row_of_y(const Index* row_order, long row) {
    if constexpr (any_order == 1) {
        return row_order[row];
    } else {
        return row;
    }
}

/// y = αAx + βy.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int block, int slice, int sigma, int threads_per_row, int unroll, int block_rows,
          int block_cols, int codes, int ragged, int fill, int value_code, int long_rows,
          int any_order, int period>
void strips(long num_rows, long num_chunks, long long_begin, const Offset* __restrict__ slice_ptr,
            const int* __restrict__ slice_info, const Offset* __restrict__ delta_ptr,
            const Index* __restrict__ bases, const unsigned char* __restrict__ deltas,
            const unsigned short* __restrict__ lengths, const unsigned short* __restrict__ places,
            const Storage* __restrict__ values, const unsigned char* __restrict__ coded_values,
            const Index* __restrict__ long_row, const Offset* __restrict__ long_ptr,
            const Index* __restrict__ long_col, const Offset* __restrict__ chunk_ptr,
            const Index* __restrict__ chunk_row, const Index* __restrict__ row_order,
            const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha, Vector beta,
            Value* parts, unsigned long long* chunks_done) {
    constexpr bool several_codes = codes != only_code<widest_code<codes>>;
    constexpr bool may_have_holes = threads_per_row == 1 && has_delta_code<codes, affine_deltas>;
    constexpr bool has_fill = fill == 1 && (block_rows * block_cols > 1 || may_have_holes);
    constexpr bool has_info = several_codes || has_fill || ragged == 1;
    constexpr bool own_deltas = several_codes || has_fill;  // else the strips before say where
    constexpr bool is_lane_a_row = threads_per_row == 1;
    constexpr bool has_period =
        period > 1 && sigma == 1 && threads_per_row == 1 && block_rows * block_cols == 1;
    using Shape = strip_shape<slice, has_period ? period : 1, block_rows, block_cols, codes,
                              has_fill ? 1 : 0, value_code, unroll, num_rhs, rhs_group>;
    long thread = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    Value sum[block_rows * rhs_group] = {};
    if constexpr (alpha_mode == scale::zero) {
        await_launches_ahead();
    }
    if constexpr (long_rows == 1 && alpha_mode != scale::zero) {
        const long chunk = thread / warp_size;
        if (chunk < num_chunks) {
            constexpr int chunk_entries = entries_of_chunk(warp_size);
            const long number = chunk_row[chunk];
            const long first_chunk = chunk_ptr[number];
            const long begin = long_ptr[number] + (chunk - first_chunk) * chunk_entries;
            const long end = long_ptr[number + 1];
            const chunk_view<Storage, Index> entries = {
                .columns = long_col,
                .values = values,
                .coded_values = coded_values,
                .first_value = long_begin,
                .begin = begin,
                .end = begin + chunk_entries < end ? begin + chunk_entries : end,
            };
            const long_row_parts<Value> row_parts = {
                .sums = parts,
                .done = chunks_done + number * (num_rhs / rhs_group) + blockIdx.y,
                .first = first_chunk,
                .end = chunk_ptr[number + 1],
            };
            await_launches_ahead();
            add_long_entries<Shape>(sum, entries, x, static_cast<int>(thread % warp_size));
            store_long_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(
                y, row_of_y<any_order>(row_order, long_row[number]), sum, alpha, beta, chunk,
                row_parts);
            return;
        }
        thread -= num_chunks * warp_size;
    }
    const long position = thread / threads_per_row;
    if constexpr (is_lane_a_row) {
        if (position * block_rows >= num_rows) {
            return;
        }
    }
    bool is_long = false;
    if constexpr (alpha_mode != scale::zero) {
        if (is_lane_a_row || position * block_rows < num_rows) {
            const long number = thread / slice;
            const int lane = static_cast<int>(thread % slice);
            const long first = slice_ptr[number];
            const int width = static_cast<int>(slice_ptr[number + 1] - first);
            const int info = has_info ? slice_info[number] : 0;
            const int full = ragged == 1 ? info >> full_strips_shift : width;
            slice_view<Storage, Index> own_slice = {
                .bases = bases + first,
                .deltas =
                    deltas + slice * (own_deltas ? static_cast<long>(delta_ptr[number])
                                                 : first * bytes_of_delta<widest_code<codes>>),
                .values = values,
                .coded_values = coded_values,
                .place = first * (block_rows * block_cols * slice) + lane,
                .lane = lane,
                .info = info,
                .width = width,
                .full = full,
                .length = width,
            };
            if constexpr (ragged == 1) {
                if ((info & ragged_slice) != 0) {
                    own_slice.length = lengths[thread];
                    if constexpr (long_rows == 1) {
                        is_long = own_slice.length == length_of_long;
                        own_slice.length = is_long ? 0 : own_slice.length;
                    }
                }
            }
            await_launches_ahead();
            add_coded_slice<Shape>(sum, own_slice, x);
        }
        add_lanes<threads_per_row, block_rows * rhs_group>(sum);
    }
    if ((long_rows == 0 || !is_long) &&
        (is_lane_a_row || (position * block_rows < num_rows && thread % threads_per_row == 0))) {
        long first_row = position * block_rows;
        if constexpr (sigma > 1) {
            first_row = (position / sigma * sigma + places[position]) * block_rows;
        }
        if constexpr (has_period) {
            first_row = row_of_group<slice, period>(position, num_rows);
        }
        for (int i = 0; i < block_rows; ++i) {
            if (block_rows == 1 || first_row + i < num_rows) {
                store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(
                    y, row_of_y<any_order>(row_order, first_row + i), sum + i * rhs_group, alpha,
                    beta);
            }
        }
    }
}
