// What the CPU kernels share that cut rows between threads.
#pragma once
#include "dialect/cpu.hpp"

/// y += α · what each thread left of a row that it did not end, in the order of threads;
/// carry_row is -1 where a thread left nothing.
template <scale alpha_mode, int num_rhs, vector_form y_form = vector_form::dense, typename Value,
          typename Vector>
[[gnu::always_inline]] inline void add_carries(const long* carry_row, const Value* carry_sum,
                                               Vector* y, Vector alpha, int threads,
                                               long ld_y = 0) {
    for (int t = 0; t < threads; ++t) {
        if (carry_row[t] >= 0) {
            if constexpr (num_rhs == 1) {
                store<alpha_mode, scale::one, false>(y, carry_row[t], carry_sum[t], alpha, alpha,
                                                     carry_row[t]);
            } else {
                store_row<alpha_mode, scale::one, false, num_rhs, y_form>(
                    y, carry_row[t], carry_sum + t * num_rhs, alpha, alpha, ld_y);
            }
        }
    }
}

/// Whether rows that are cut between threads are put together before they are stored: y, of another
/// type than the sums, would round what is stored first, and an epilogue takes all of an element.
template <typename Value, typename Vector, bool has_epilogue>
inline constexpr bool joins_rows = has_epilogue || !is_same<Value, Vector>;

/// Row `to` of kept = sum.
template <int num_rhs, typename Value>
[[gnu::always_inline]] inline void copy_sums(Value* kept, long to, const Value* sum) {
    for (int rhs = 0; rhs < num_rhs; ++rhs) {
        kept[to * num_rhs + rhs] = sum[rhs];
    }
}

/// Stores the rows of which threads have left parts: carry_sum of those that a later thread ends,
/// and then head_sum of that one. Row numbers are -1 where a thread left nothing.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs,
          vector_form y_form = vector_form::dense, typename Value, typename Vector>
[[gnu::always_inline]] inline void join_parts(const long* head_row, const Value* head_sum,
                                              const long* carry_row, const Value* carry_sum,
                                              Vector* y, Vector alpha, Vector beta, int threads,
                                              long ld_y = 0) {
    Value sum[num_rhs] = {};
    for (int t = 0; t < threads; ++t) {
        if (head_row[t] >= 0) {
            for (int rhs = 0; rhs < num_rhs; ++rhs) {
                sum[rhs] = add(sum[rhs], head_sum[t * num_rhs + rhs]);
            }
            store_row<alpha_mode, beta_mode, has_epilogue, num_rhs, y_form>(y, head_row[t], sum,
                                                                            alpha, beta, ld_y);
            for (int rhs = 0; rhs < num_rhs; ++rhs) {
                sum[rhs] = Value{};
            }
        }
        if (carry_row[t] >= 0) {
            for (int rhs = 0; rhs < num_rhs; ++rhs) {
                sum[rhs] = add(sum[rhs], carry_sum[t * num_rhs + rhs]);
            }
        }
    }
}
