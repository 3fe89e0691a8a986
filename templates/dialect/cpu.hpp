// The CPU dialect: what kernel templates may use. Freestanding: no standard headers, so that
// emitted text needs none.
#pragma once

#include "dialect/common.hpp"

/// y[i] = α·sum + β·y[i]; y is not read when β = 0.
template <scale alpha_mode, scale beta_mode, typename Value>
[[gnu::always_inline]] inline void store(Value* y, long i, Value sum, Value alpha, Value beta) {
    if constexpr (alpha_mode == scale::general) {
        sum = multiply(alpha, sum);
    }
    if constexpr (beta_mode == scale::zero) {
        y[i] = sum;
    } else if constexpr (beta_mode == scale::one) {
        y[i] = add(y[i], sum);
    } else {
        y[i] = multiply_add(beta, y[i], sum);
    }
}

/// Where the share of thread number `thread` begins when `total` units of work are cut into
/// `threads` nearly equal shares; share(total, threads, threads) = total.
[[gnu::always_inline]] inline long share(long total, long thread, long threads) {
    return total / threads * thread + total % threads * thread / threads;
}

/// First row of a thread's share when rows are not cut: every thread gets about the same number of
/// rows plus entries. row_ptr has num_rows + 1 elements.
template <typename Offset>
[[gnu::always_inline]] inline long first_row(long num_rows, const Offset* row_ptr, long thread,
                                             long threads) {
    const long work = share(num_rows + row_ptr[num_rows], thread, threads);
    long low = 0;
    long high = num_rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (middle + row_ptr[middle] < work) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Merge path over the rows' ends and the entries of CSR: how many of its first `step` steps end a
/// row; the other steps take an entry. A row's end comes after its entries.
template <typename Offset>
[[gnu::always_inline]] inline long rows_ended(long num_rows, const Offset* row_ptr, long step) {
    long low = 0;
    long high = num_rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (middle + row_ptr[middle + 1] < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// The same path over entries that are sorted by row: how many of its first `step` steps take an
/// entry; the other steps end a row.
template <typename Index>
[[gnu::always_inline]] inline long entries_taken(long nnz, const Index* row_idx, long step) {
    long low = 0;
    long high = nnz;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (middle + row_idx[middle] < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// y = βy for the thread's share of `count` elements: what is left of the product when α = 0.
template <scale beta_mode, typename Value>
[[gnu::always_inline]] inline void scale_share(Value* y, long count, Value beta, int thread,
                                               int threads) {
    if constexpr (beta_mode != scale::one) {
        const long end = share(count, thread + 1, threads);
        for (long i = share(count, thread, threads); i < end; ++i) {
            if constexpr (beta_mode == scale::zero) {
                y[i] = Value{};
            } else {
                y[i] = multiply(beta, y[i]);
            }
        }
    }
}

/// sum[l] += values[l] · x[col_idx[l]] for every lane l.
template <int lanes, typename Value, typename Index>
[[gnu::always_inline]] inline void add_products(Value* sum, const Value* values,
                                                const Index* col_idx, const Value* x) {
    if constexpr (is_complex<Value>) {
        for (int l = 0; l < lanes; ++l) {
            sum[l] = multiply_add(values[l], x[col_idx[l]], sum[l]);
        }
    } else {
        // A vector type, copied in and out of plain arrays: Clang then keeps `sum` in registers
        // and loads x with gathers where the machine has them.
        typedef Value Lanes __attribute__((vector_size(lanes * sizeof(Value))));
        Lanes total = {};
        Lanes a = {};
        Lanes b = {};
        __builtin_memcpy(&total, sum, sizeof(Lanes));
        __builtin_memcpy(&a, values, sizeof(Lanes));
        for (int l = 0; l < lanes; ++l) {
            b[l] = x[col_idx[l]];
        }
        total += a * b;
        __builtin_memcpy(sum, &total, sizeof(Lanes));
    }
}

/// The same for the first `count` lanes only. All lanes are loaded, so that all columns must be
/// legal; what the others give, NaN included, is dropped.
template <int lanes, typename Value, typename Index>
[[gnu::always_inline]] inline void add_first_products(Value* sum, const Value* values,
                                                      const Index* col_idx, const Value* x,
                                                      long count) {
    if constexpr (is_complex<Value>) {
        for (long l = 0; l < count; ++l) {
            sum[l] = multiply_add(values[l], x[col_idx[l]], sum[l]);
        }
    } else {
        typedef Value Lanes __attribute__((vector_size(lanes * sizeof(Value))));
        Lanes total = {};
        Lanes a = {};
        Lanes b = {};
        decltype(a < b) counts = {};
        __builtin_memcpy(&total, sum, sizeof(Lanes));
        __builtin_memcpy(&a, values, sizeof(Lanes));
        for (int l = 0; l < lanes; ++l) {
            b[l] = x[col_idx[l]];
            counts[l] = l < count ? -1 : 0;
        }
        total += counts ? a * b : Lanes{};
        __builtin_memcpy(sum, &total, sizeof(Lanes));
    }
}

/// The same for the lanes that hold an entry; padding has the column -1. Padded lanes load x[0],
/// which exists because some lane holds an entry, and drop what it gives.
template <int lanes, typename Value, typename Index>
[[gnu::always_inline]] inline void add_unpadded_products(Value* sum, const Value* values,
                                                         const Index* col_idx, const Value* x) {
    if constexpr (is_complex<Value>) {
        for (int l = 0; l < lanes; ++l) {
            if (col_idx[l] >= 0) {
                sum[l] = multiply_add(values[l], x[col_idx[l]], sum[l]);
            }
        }
    } else {
        typedef Value Lanes __attribute__((vector_size(lanes * sizeof(Value))));
        typedef Index Columns __attribute__((vector_size(lanes * sizeof(Index))));
        Columns col = {};
        Lanes total = {};
        Lanes a = {};
        Lanes b = {};
        __builtin_memcpy(&col, col_idx, sizeof(Columns));
        __builtin_memcpy(&total, sum, sizeof(Lanes));
        __builtin_memcpy(&a, values, sizeof(Lanes));
        const Columns padding = col < 0;
        col = padding ? Columns{} : col;
        for (int l = 0; l < lanes; ++l) {
            b[l] = x[col[l]];
        }
        total += __builtin_convertvector(padding, decltype(a < b)) ? Lanes{} : a * b;
        __builtin_memcpy(sum, &total, sizeof(Lanes));
    }
}

/// The sum of all lanes, added pairwise. `lanes` is a power of two; overwrites sum.
template <int lanes, typename Value>
[[gnu::always_inline]] inline Value sum_of_lanes(Value* sum) {
    for (int half = lanes / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; ++l) {
            sum[l] = add(sum[l], sum[l + half]);
        }
    }
    return sum[0];
}

/// Σ values[k] · x[col_idx[k]] for k = begin … end-1, `unroll` vectors of `lanes` entries at a
/// time; the arrays have `limit` elements, beyond which nothing is read.
template <int lanes, int unroll, typename Value, typename Index>
[[gnu::always_inline]] inline Value row_product(const Value* values, const Index* col_idx,
                                                const Value* x, long begin, long end, long limit) {
    Value sum[lanes * unroll] = {};
    long k = begin;
    for (; k + lanes * unroll <= end; k += lanes * unroll) {
        for (int u = 0; u < unroll; ++u) {
            add_products<lanes>(sum + u * lanes, values + k + u * lanes, col_idx + k + u * lanes,
                                x);
        }
    }
    if constexpr (unroll > 1) {
        for (; k + lanes <= end; k += lanes) {
            add_products<lanes>(sum, values + k, col_idx + k, x);
        }
    }
    if (k < end && k + lanes <= limit) {
        add_first_products<lanes>(sum, values + k, col_idx + k, x, end - k);
    } else {
        for (; k < end; ++k) {
            sum[0] = multiply_add(values[k], x[col_idx[k]], sum[0]);
        }
    }
    return sum_of_lanes<lanes * unroll>(sum);
}

/// sum[rhs] += value · x_row[rhs] for every right-hand side: one entry times one row of x.
template <int num_rhs, typename Value>
[[gnu::always_inline]] inline void add_scaled(Value* sum, Value value, const Value* x_row) {
    for (int rhs = 0; rhs < num_rhs; ++rhs) {
        sum[rhs] = multiply_add(value, x_row[rhs], sum[rhs]);
    }
}

/// sum[rhs] += Σ values[k] · x[col_idx[k]][rhs] for k = begin … end-1.
template <int num_rhs, typename Value, typename Index>
[[gnu::always_inline]] inline void add_entries(Value* sum, const Value* values,
                                               const Index* col_idx, const Value* x, long begin,
                                               long end) {
    for (long k = begin; k < end; ++k) {
        add_scaled<num_rhs>(sum, values[k], x + static_cast<long>(col_idx[k]) * num_rhs);
    }
}

/// Stores num_rhs sums as row `row` of y.
template <scale alpha_mode, scale beta_mode, int num_rhs, typename Value>
[[gnu::always_inline]] inline void store_row(Value* y, long row, const Value* sum, Value alpha,
                                             Value beta) {
    for (int rhs = 0; rhs < num_rhs; ++rhs) {
        store<alpha_mode, beta_mode>(y, row * num_rhs + rhs, sum[rhs], alpha, beta);
    }
}

/// Stores the sums of up to `height` neighbouring rows, the first of them at y.
template <scale alpha_mode, scale beta_mode, int height, typename Value>
[[gnu::always_inline]] inline void store_rows(Value* y, long rows, const Value* sum, Value alpha,
                                              Value beta) {
    if (rows >= height) {  // a fixed count: vector stores
        for (int l = 0; l < height; ++l) {
            store<alpha_mode, beta_mode>(y, l, sum[l], alpha, beta);
        }
    } else {
        for (int l = 0; l < rows; ++l) {
            store<alpha_mode, beta_mode>(y, l, sum[l], alpha, beta);
        }
    }
}

/// sum[l] += the product of row l, for lanes · unroll rows stored column after column, `stride`
/// elements apart: the first `full` columns have an entry in every row, the others up to `width`
/// in some.
template <int lanes, int unroll, typename Value, typename Index>
[[gnu::always_inline]] inline void add_strips(Value* sum, const Value* values, const Index* col_idx,
                                              const Value* x, long stride, long full, long width) {
    for (long k = 0; k < full; ++k) {
        for (int u = 0; u < unroll; ++u) {
            add_products<lanes>(sum + u * lanes, values + k * stride + u * lanes,
                                col_idx + k * stride + u * lanes, x);
        }
    }
    for (long k = full; k < width; ++k) {
        for (int u = 0; u < unroll; ++u) {
            add_unpadded_products<lanes>(sum + u * lanes, values + k * stride + u * lanes,
                                         col_idx + k * stride + u * lanes, x);
        }
    }
}

/// sum[rhs] += the product of one row whose entries lie `stride` elements apart, up to `width` of
/// them; it ends at the first padding.
template <int num_rhs, typename Value, typename Index>
[[gnu::always_inline]] inline void add_strided_row(Value* sum, const Value* values,
                                                   const Index* col_idx, const Value* x,
                                                   long stride, long width) {
    for (long k = 0; k < width && col_idx[k * stride] >= 0; ++k) {
        add_scaled<num_rhs>(sum, values[k * stride],
                            x + static_cast<long>(col_idx[k * stride]) * num_rhs);
    }
}

/// sum[rhs] += the products of the entries from `entry` on that have the same row as it, at most up
/// to `end`; returns the entry after them. `row` is that row.
template <int lanes, int num_rhs, typename Value, typename Index>
[[gnu::always_inline]] inline long add_segment(Value* sum, const Index* row_idx,
                                               const Value* values, const Index* col_idx,
                                               const Value* x, long row, long entry, long end) {
    if constexpr (num_rhs == 1 && lanes > 1) {
        if (entry + lanes <= end && row_idx[entry + lanes - 1] == row) {
            Value part[lanes] = {};
            for (; entry + lanes <= end && row_idx[entry + lanes - 1] == row; entry += lanes) {
                add_products<lanes>(part, values + entry, col_idx + entry, x);
            }
            sum[0] = sum_of_lanes<lanes>(part);
        }
    }
    for (; entry < end && row_idx[entry] == row; ++entry) {
        add_scaled<num_rhs>(sum, values[entry], x + static_cast<long>(col_idx[entry]) * num_rhs);
    }
    return entry;
}

/// y += α · what each thread left of a row that it did not end, in the order of threads;
/// carry_row is -1 where a thread left nothing.
template <scale alpha_mode, int num_rhs, typename Value>
[[gnu::always_inline]] inline void add_carries(const long* carry_row, const Value* carry_sum,
                                               Value* y, Value alpha, int threads) {
    for (int t = 0; t < threads; ++t) {
        if (carry_row[t] >= 0) {
            store_row<alpha_mode, scale::one, num_rhs>(y, carry_row[t], carry_sum + t * num_rhs,
                                                       alpha, alpha);
        }
    }
}
