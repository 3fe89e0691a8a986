// The long rows of the format `strips` on CPUs, which threads share.
#pragma once
#include "dialect/cpu_cut_rows.hpp"
#include "dialect/cpu_strips.hpp"

/// The long rows, and their entries.
template <typename Storage, typename Index, typename Offset>
struct long_rows_view {
    const Index* row;       ///< of y, of each
    const Offset* ptr;      ///< where each begins
    const Index* columns;   ///< of their entries
    const Storage* values;  ///< of the matrix
    const unsigned char* coded_values;
    long first_value;  ///< number of their first value
    long count;
};

/// Where threads leave what they have of rows that they do not begin (head) or not end (carry).
template <typename Value>
struct cut_rows_view {
    long* carry_row;
    Value* carry_sum;
    long* head_row;
    Value* head_sum;
};

/// sum[rhs] = entries begin … end-1 of the long rows times x.
template <int num_rhs, typename Shape, typename Value, typename Vector, typename Storage,
          typename Index, typename Offset>
[[gnu::always_inline]] inline void multiply_long_entries(
    Value* sum, const long_rows_view<Storage, Index, Offset>& rows, const Vector* x, long begin,
    long end) {
    long k = begin;
    if constexpr (num_rhs == 1) {
        constexpr int wide = Shape::lanes < 8 ? Shape::lanes : 8;
        Value part[wide] = {};
        Value entries[wide] = {};
        for (; k + wide <= end; k += wide) {
            if constexpr (Shape::value_code == plain_values) {
                prefetch_ahead<Shape::prefetch, wide* static_cast<int>(sizeof(Storage))>(
                    rows.values + rows.first_value + k);
            }
            prefetch_ahead<Shape::prefetch, wide* static_cast<int>(sizeof(Index))>(rows.columns +
                                                                                   k);
            decode_lanes<Shape::value_code, wide>(entries, rows.values, rows.coded_values,
                                                  rows.first_value + k);
            add_products<wide>(part, entries, rows.columns + k, x);
        }
        sum[0] = sum_of_lanes<wide>(part);
    }
#pragma GCC unroll 1
    for (; k < end; ++k) {
        add_scaled<num_rhs>(sum,
                            coded_value<Shape::value_code, Value>(rows.values, rows.coded_values,
                                                                  rows.first_value + k),
                            x + static_cast<long>(rows.columns[k]) * num_rhs);
    }
}

/// The thread's share of the long rows: the path that merges their ends with their entries is cut
/// evenly.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, typename Shape,
          typename Value, typename Vector, typename Storage, typename Index, typename Offset>
[[gnu::noinline]] inline void multiply_long_rows(const long_rows_view<Storage, Index, Offset>& rows,
                                                 const cut_rows_view<Value>& cuts,
                                                 const result_view<Vector>& result, const Vector* x,
                                                 int thread, int threads) {
    const long entries = rows.ptr[rows.count];
    const long first_step = share(rows.count + entries, thread, threads);
    const long last_step = share(rows.count + entries, thread + 1, threads);
    long number = rows_ended(rows.count, rows.ptr, first_step);
    long entry = first_step - number;
    const long end_number = rows_ended(rows.count, rows.ptr, last_step);
    const long end_entry = last_step - end_number;
    for (; number < end_number || entry < end_entry; ++number) {
        const bool is_ended = number < end_number;
        const long stop = is_ended ? static_cast<long>(rows.ptr[number + 1]) : end_entry;
        Value sum[num_rhs] = {};
        multiply_long_entries<num_rhs, Shape>(sum, rows, x, entry, stop);
        if (!is_ended) {
            cuts.carry_row[thread] = rows.row[number];
            copy_sums<num_rhs>(cuts.carry_sum, thread, sum);
        } else if (entry > rows.ptr[number]) {
            cuts.head_row[thread] = rows.row[number];
            copy_sums<num_rhs>(cuts.head_sum, thread, sum);
        } else {
            store_row<alpha_mode, beta_mode, has_epilogue, num_rhs>(result.y, rows.row[number], sum,
                                                                    result.alpha, result.beta);
        }
        entry = stop;
    }
}
