// Compressed strips: SELL-C-σ whose columns are a base a strip and a narrow delta an entry.
//
// What:       rows, or blocks of neighbouring rows, go to lanes. A strip is one entry, or one r×c
//             block, of each lane of a slice; columns are decoded as they are used. Slices of one
//             length run without a mask; rows far longer than the rest are cut evenly between the
//             threads. The values, which no cache holds, are asked for well before they are used.
// Source:     SELL-C-σ (Kreutzer, Hager, Wellein, Fehske & Bishop, SISC 36(5), 2014); bases, deltas
//             and coded values are spmvgen's own. Format: docs/strips.md.
// Parameters: lanes       4, 8, 16, 32: lanes of a slice; one or two vector registers fit best.
//             block_rows  1 … 8: r.   block_cols 1 … 8: c.
//             sigma       1, 64, 256, 1024, 4096, 16384: block rows of a sorting window; 1 = as
//                         they come.
//             codes       1 … 15: bits of the delta codes that occur: 0, 8, 16 and 32 bits a delta.
//             ragged      1 = a slice may hold lanes of different lengths.
//             fill        1 = a block may have elements that the matrix does not have; of 1x1:
//                         slices may be diagonals with holes.
//             long_rows   1 = rows longer than long_from (16 … 65534) blocks are kept apart.
//             value_code  0 … 3: how values are coded (dialect/coded_values.hpp).
//             prefetch    0, 1024, 2048, 4096, 8192: how many bytes ahead of their use values and
//                         deltas are asked for; 0 = never, for matrices that a core's caches hold.
// Work:       a thread takes a contiguous run of slices with its share of slices plus strips, and
//             an equal share of the long rows' entries; parts of cut rows are joined in the order
//             of threads.
// Fill:       a zero of fill must not meet an infinite x. A slice is computed with its fill; only
//             when a sum is NaN, again by the masks, lane after lane.
// Reads:      strips·lanes·(r·c·value + delta) + strips·index bytes and three numbers a slice, two
//             bytes a lane (ragged slices), two a row (σ > 1), x once for each column of a block;
//             writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/cpu_cut_rows.hpp"
#include "dialect/cpu_strips.hpp"

/// sum[i·lanes + l] = row i of lane l's block row times x, of a slice whose lanes all have a row.
template <int code, int lanes, int block_rows, int block_cols, int ragged, int fill, int long_rows,
          int value_code, int prefetch, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::always_inline]] inline void multiply_lanes(
    Value* sum, const Index* bases, const unsigned char* deltas, const unsigned short* length,
    const Storage* values, const unsigned char* coded_values, long place, const Vector* x,
    long num_cols, int info, long full, long width) {
    if constexpr (fill == 1) {
        if ((info & filled_slice) != 0) {
            const unsigned char* masks = deltas + width * (lanes * delta_bytes<code>);
            bool is_done = false;
            if constexpr (fill_is_zero<value_code>) {
                constexpr bool may_reach_beyond = block_rows * block_cols > 1;
                add_strips<code, lanes, block_rows, block_cols, value_code, prefetch,
                           may_reach_beyond>(sum, bases, deltas, values, coded_values, place, x,
                                             num_cols, 0, full);
                is_done = !has_nan<lanes * block_rows>(sum);
            }
            if (!is_done) {
                for (int l = 0; l < lanes * block_rows; ++l) {
                    sum[l] = Value{};
                }
                full = 0;
            }
            add_some_of_strips<code, lanes, block_rows, block_cols, long_rows, value_code, true>(
                sum, bases, deltas, masks, length, values, coded_values, place, x, full, width);
            return;
        }
    }
    add_strips<code, lanes, block_rows, block_cols, value_code, prefetch, false>(
        sum, bases, deltas, values, coded_values, place, x, num_cols, 0, full);
    if constexpr (ragged == 1) {
        add_some_of_strips<code, lanes, block_rows, block_cols, long_rows, value_code, false>(
            sum, bases, deltas, deltas, length, values, coded_values, place, x, full, width);
    }
}

/// Stores the sums of one lane's block row: of row i that of right-hand side rhs is
/// sum[i·stride + rhs].
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int block_rows,
          int stride, typename Value, typename Vector>
[[gnu::always_inline]] inline void store_block_row(Vector* y, long block_row, long num_rows,
                                                   const Value* sum, Vector alpha, Vector beta) {
    for (int i = 0; i < block_rows; ++i) {
        const long row = block_row * block_rows + i;
        if (block_rows == 1 || row < num_rows) {
            store_row<alpha_mode, beta_mode, has_epilogue, num_rhs>(y, row, sum + i * stride, alpha,
                                                                    beta);
        }
    }
}

/// The block row of lane l of a slice whose first position is `first`.
template <int sigma>
[[gnu::always_inline]] inline long block_row_of(const unsigned short* places, long first, int l) {
    if constexpr (sigma == 1) {
        return first + l;
    } else {
        return first / sigma * sigma + places[l];
    }
}

/// Whether the lanes of a slice have different lengths, which must be read then.
template <int ragged>
[[gnu::always_inline]] inline bool is_ragged_slice(int info) {
    if constexpr (ragged == 1) {
        return (info & ragged_slice) != 0;
    } else {
        return false;
    }
}

/// Whether lane l of a ragged slice works for a row that is long, and kept elsewhere.
template <int long_rows>
[[gnu::always_inline]] inline bool is_long(const unsigned short* length, bool is_ragged, int l) {
    if constexpr (long_rows == 0) {
        return false;
    } else {
        return is_ragged && length[l] == length_of_long;
    }
}

/// Stores what multiply_lanes has summed.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int lanes, int block_rows,
          int sigma, int long_rows, typename Value, typename Vector>
[[gnu::always_inline]] inline void store_lanes(Vector* y, long first, long num_rows,
                                               const unsigned short* length,
                                               const unsigned short* places, bool is_ragged,
                                               const Value* sum, Vector alpha, Vector beta) {
    if constexpr (sigma == 1 && block_rows == 1 && long_rows == 0) {
        store_rows<alpha_mode, beta_mode, has_epilogue, lanes, 1>(y + first, lanes, sum, alpha,
                                                                  beta, first);
    } else {
        for (int l = 0; l < lanes; ++l) {
            if (!is_long<long_rows>(length, is_ragged, l)) {
                store_block_row<alpha_mode, beta_mode, has_epilogue, 1, block_rows, lanes>(
                    y, block_row_of<sigma>(places, first, l), num_rows, sum + l, alpha, beta);
            }
        }
    }
}

/// The first `count` lanes of a slice, one after the other: several right-hand sides, or the last
/// slice.
template <int code, scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int lanes,
          int block_rows, int block_cols, int sigma, int fill, int long_rows, int value_code,
          typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_lane_by_lane(
    long num_rows, long first, long count, const Index* bases, const unsigned char* deltas,
    const unsigned short* length, const unsigned short* places, const Storage* values,
    const unsigned char* coded_values, long place, const Vector* x, Vector* y, Vector alpha,
    Vector beta, int info, bool is_ragged, long width) {
    const unsigned char* masks = nullptr;
    if constexpr (fill == 1) {
        if ((info & filled_slice) != 0) {
            masks = deltas + width * (lanes * delta_bytes<code>);
        }
    }
    for (int l = 0; l < lanes && l < count; ++l) {
        if (!is_long<long_rows>(length, is_ragged, l)) {
            Value sum[block_rows * num_rhs] = {};
            add_lane<code, lanes, block_rows, block_cols, value_code, fill, num_rhs>(
                sum, bases, deltas, masks, values, coded_values, place, x, l,
                is_ragged ? length[l] : width);
            store_block_row<alpha_mode, beta_mode, has_epilogue, num_rhs, block_rows, num_rhs>(
                y, block_row_of<sigma>(places, first, l), num_rows, sum, alpha, beta);
        }
    }
}

/// One slice, whose deltas have the code `code`: `bases`, `deltas`, `length` and `places` are its
/// own, `first` is the number of its first position, `place` of its first value.
template <int code, scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int lanes,
          int block_rows, int block_cols, int sigma, int ragged, int fill, int long_rows,
          int value_code, int prefetch, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::always_inline]] inline void multiply_slice(
    long num_rows, long num_cols, long first, const Index* bases, const unsigned char* deltas,
    const unsigned short* length, const unsigned short* places, const Storage* values,
    const unsigned char* coded_values, long place, const Vector* x, Vector* y, Vector alpha,
    Vector beta, int info, long width) {
    constexpr int blocks_fill = may_have_fill<code, block_rows * block_cols> ? fill : 0;
    const long count = (num_rows + (block_rows - 1)) / block_rows - first;
    const bool is_ragged = is_ragged_slice<ragged>(info);
    if constexpr (num_rhs == 1) {
        if (count >= lanes) {
            Value sum[lanes * block_rows] = {};
            multiply_lanes<code, lanes, block_rows, block_cols, ragged, blocks_fill, long_rows,
                           value_code, prefetch>(
                sum, bases, deltas, length, values, coded_values, place, x, num_cols, info,
                is_ragged ? info >> full_strips_shift : width, width);
            store_lanes<alpha_mode, beta_mode, has_epilogue, lanes, block_rows, sigma, long_rows>(
                y, first, num_rows, length, places, is_ragged, sum, alpha, beta);
            return;
        }
    }
    multiply_lane_by_lane<code, alpha_mode, beta_mode, has_epilogue, num_rhs, lanes, block_rows,
                          block_cols, sigma, blocks_fill, long_rows, value_code, Value>(
        num_rows, first, count, bases, deltas, length, places, values, coded_values, place, x, y,
        alpha, beta, info, is_ragged, width);
}

/// sum[rhs] = entries begin … end-1 of the long rows, which have `limit` of them, times x.
template <int num_rhs, int lanes, int value_code, int prefetch, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_long_entries(Value* sum, const Index* long_col,
                                                         const Storage* values,
                                                         const unsigned char* coded_values,
                                                         long long_begin, const Vector* x,
                                                         long begin, long end, long limit) {
    long k = begin;
    if constexpr (num_rhs == 1) {
        constexpr int wide = lanes < 8 ? lanes : 8;
        Value part[wide] = {};
        Value entries[wide] = {};
        for (; k + wide <= end; k += wide) {
            if constexpr (value_code == plain_values) {
                prefetch_ahead<prefetch, wide* static_cast<int>(sizeof(Storage))>(values +
                                                                                  long_begin + k);
            }
            prefetch_ahead<prefetch, wide* static_cast<int>(sizeof(Index))>(long_col + k);
            decode_lanes<value_code, wide>(entries, values, coded_values, long_begin + k);
            add_products<wide>(part, entries, long_col + k, x);
        }
        if (k < end && k + wide <= limit) {
            decode_lanes<value_code, wide>(entries, values, coded_values, long_begin + k);
            add_first_products<wide>(part, entries, long_col + k, x, end - k);
            k = end;
        }
        sum[0] = sum_of_lanes<wide>(part);
    }
    for (; k < end; ++k) {
        add_scaled<num_rhs>(sum,
                            coded_value<value_code, Value>(values, coded_values, long_begin + k),
                            x + static_cast<long>(long_col[k]) * num_rhs);
    }
}

/// The thread's share of the long rows: the path that merges their ends with their entries is cut
/// evenly. What a thread leaves of rows that it does not begin or not end goes to head and carry.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int lanes,
          int value_code, int prefetch, typename Value, typename Vector, typename Storage,
          typename Index, typename Offset>
[[gnu::always_inline]] inline void multiply_long_rows(
    long num_long, long long_begin, const Index* long_row, const Offset* long_ptr,
    const Index* long_col, const Storage* values, const unsigned char* coded_values,
    const Vector* x, Vector* y, Vector alpha, Vector beta, long* carry_row, Value* carry_sum,
    long* head_row, Value* head_sum, int thread, int threads) {
    const long entries = long_ptr[num_long];
    const long first_step = share(num_long + entries, thread, threads);
    const long last_step = share(num_long + entries, thread + 1, threads);
    long row = rows_ended(num_long, long_ptr, first_step);
    long entry = first_step - row;
    const long end_row = rows_ended(num_long, long_ptr, last_step);
    const long end_entry = last_step - end_row;
    for (; row < end_row || entry < end_entry; ++row) {
        const bool is_ended = row < end_row;
        const long stop = is_ended ? static_cast<long>(long_ptr[row + 1]) : end_entry;
        Value sum[num_rhs] = {};
        multiply_long_entries<num_rhs, lanes, value_code, prefetch>(
            sum, long_col, values, coded_values, long_begin, x, entry, stop, entries);
        if (!is_ended) {
            carry_row[thread] = long_row[row];
            copy_sums<num_rhs>(carry_sum, thread, sum);
        } else if (entry > long_ptr[row]) {
            head_row[thread] = long_row[row];
            copy_sums<num_rhs>(head_sum, thread, sum);
        } else {
            store_row<alpha_mode, beta_mode, has_epilogue, num_rhs>(y, long_row[row], sum, alpha,
                                                                    beta);
        }
        entry = stop;
    }
}

/// y = αAx + βy for A in compressed strips, but for long rows that threads share.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int lanes,
          int block_rows, int block_cols, int sigma, int codes, int ragged, int fill, int long_rows,
          int value_code, int prefetch>
void strips_cpu(long num_rows, long num_cols, long num_slices, long num_long, long long_begin,
                const Offset* __restrict__ slice_ptr, const int* __restrict__ slice_info,
                const Offset* __restrict__ delta_ptr, const Index* __restrict__ bases,
                const unsigned char* __restrict__ deltas,
                const unsigned short* __restrict__ lengths,
                const unsigned short* __restrict__ places, const Storage* __restrict__ values,
                const unsigned char* __restrict__ coded_values, const Index* __restrict__ long_row,
                const Offset* __restrict__ long_ptr, const Index* __restrict__ long_col,
                const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha, Vector beta,
                long* __restrict__ carry_row, Value* __restrict__ carry_sum,
                long* __restrict__ head_row, Value* __restrict__ head_sum, int thread,
                int threads) {
    if constexpr (long_rows == 1) {
        carry_row[thread] = -1;
        head_row[thread] = -1;
    }
    if constexpr (alpha_mode == scale::zero) {
        scale_share<beta_mode, has_epilogue, num_rhs>(y, num_rows * num_rhs, beta, thread, threads);
    } else {
        constexpr int widest_code = codes >= 8 ? 3 : codes >= 4 ? 2 : codes >= 2 ? 1 : 0;
        const long end = first_row(num_slices, slice_ptr, thread + 1, threads);
        for (long slice = first_row(num_slices, slice_ptr, thread, threads); slice < end; ++slice) {
            const long first = slice_ptr[slice];
            const long width = slice_ptr[slice + 1] - first;
            const int info = slice_info[slice];
            const unsigned char* slice_deltas =
                deltas + static_cast<long>(delta_ptr[slice]) * lanes;
            const unsigned short* length = lengths + slice * lanes;
            const unsigned short* place = places + slice * lanes;
            const long value = first * (lanes * block_rows * block_cols);
            if constexpr ((codes & 1) != 0 && widest_code != 0) {
                if ((info & code_bits) == 0) {
                    multiply_slice<0, alpha_mode, beta_mode, has_epilogue, num_rhs, lanes,
                                   block_rows, block_cols, sigma, ragged, fill, long_rows,
                                   value_code, prefetch, Value>(
                        num_rows, num_cols, slice * lanes, bases + first, slice_deltas, length,
                        place, values, coded_values, value, x, y, alpha, beta, info, width);
                    continue;
                }
            }
            if constexpr ((codes & 2) != 0 && widest_code != 1) {
                if ((info & code_bits) == 1) {
                    multiply_slice<1, alpha_mode, beta_mode, has_epilogue, num_rhs, lanes,
                                   block_rows, block_cols, sigma, ragged, fill, long_rows,
                                   value_code, prefetch, Value>(
                        num_rows, num_cols, slice * lanes, bases + first, slice_deltas, length,
                        place, values, coded_values, value, x, y, alpha, beta, info, width);
                    continue;
                }
            }
            if constexpr ((codes & 4) != 0 && widest_code != 2) {
                if ((info & code_bits) == 2) {
                    multiply_slice<2, alpha_mode, beta_mode, has_epilogue, num_rhs, lanes,
                                   block_rows, block_cols, sigma, ragged, fill, long_rows,
                                   value_code, prefetch, Value>(
                        num_rows, num_cols, slice * lanes, bases + first, slice_deltas, length,
                        place, values, coded_values, value, x, y, alpha, beta, info, width);
                    continue;
                }
            }
            multiply_slice<widest_code, alpha_mode, beta_mode, has_epilogue, num_rhs, lanes,
                           block_rows, block_cols, sigma, ragged, fill, long_rows, value_code,
                           prefetch, Value>(num_rows, num_cols, slice * lanes, bases + first,
                                            slice_deltas, length, place, values, coded_values,
                                            value, x, y, alpha, beta, info, width);
        }
        if constexpr (long_rows == 1) {
            multiply_long_rows<alpha_mode, beta_mode, has_epilogue, num_rhs, lanes, value_code,
                               prefetch>(num_long, long_begin, long_row, long_ptr, long_col, values,
                                         coded_values, x, y, alpha, beta, carry_row, carry_sum,
                                         head_row, head_sum, thread, threads);
        }
    }
}

/// Stores the long rows that threads share, in the order of threads.
template <typename Value, typename Vector, scale alpha_mode, scale beta_mode, bool has_epilogue,
          int num_rhs>
void strips_cpu_join(long* __restrict__ carry_row, Value* __restrict__ carry_sum,
                     long* __restrict__ head_row, Value* __restrict__ head_sum,
                     Vector* __restrict__ y, Vector alpha, Vector beta, int threads) {
    join_parts<alpha_mode, beta_mode, has_epilogue, num_rhs>(head_row, head_sum, carry_row,
                                                             carry_sum, y, alpha, beta, threads);
}
