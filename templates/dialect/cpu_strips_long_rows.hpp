// The long rows of the format `strips` on CPUs, which threads share.
#pragma once
#include "dialect/cpu_coded_values.hpp"
#include "dialect/cpu_cut_rows.hpp"

/// sum[rhs] = entries begin … end-1 of the long rows times x.
template <int num_rhs, int lanes, int value_code, int prefetch, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_long_entries(Value* sum, const Index* long_col,
                                                         const Storage* values,
                                                         const unsigned char* coded_values,
                                                         long long_begin, const Vector* x,
                                                         long begin, long end) {
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
        sum[0] = sum_of_lanes<wide>(part);
    }
#pragma GCC unroll 1
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
[[gnu::noinline]] inline void multiply_long_rows(long num_long, long long_begin,
                                                 const Index* long_row, const Offset* long_ptr,
                                                 const Index* long_col, const Storage* values,
                                                 const unsigned char* coded_values, const Vector* x,
                                                 Vector* y, Vector alpha, Vector beta,
                                                 long* carry_row, Value* carry_sum, long* head_row,
                                                 Value* head_sum, int thread, int threads) {
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
            sum, long_col, values, coded_values, long_begin, x, entry, stop);
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
