// The CPU dialect: what kernel templates may use. Freestanding: no standard headers, so that
// emitted text needs none.
#pragma once

#include "dialect/common.hpp"
#include "dialect/cpu_lanes.hpp"
#include "dialect/cpu_shares.hpp"
#include "dialect/epilogue.hpp"

/// y[i] = α·sum + β·y[i]; y is not read when β = 0.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, typename Value, typename Vector>
[[gnu::always_inline]] inline void store(Vector* y, long i, Value sum, Vector alpha, Vector beta,
                                         long row) {
    if constexpr (alpha_mode == scale::general) {
        sum = multiply(converted<Value>(alpha), sum);
    }
    if constexpr (has_epilogue) {
        if constexpr (beta_mode == scale::one) {
            sum = add(converted<Value>(y[i]), sum);
        } else if constexpr (beta_mode == scale::general) {
            sum = multiply_add(converted<Value>(beta), converted<Value>(y[i]), sum);
        }
        y[i] = epilogue(converted<Vector>(sum), row);
    } else if constexpr (beta_mode == scale::zero) {
        y[i] = converted<Vector>(sum);
    } else if constexpr (beta_mode == scale::one) {
        y[i] = converted<Vector>(add(converted<Value>(y[i]), sum));
    } else {
        y[i] = converted<Vector>(multiply_add(converted<Value>(beta), converted<Value>(y[i]), sum));
    }
}

/// y = βy for the thread's share of `count` elements: what is left of the product when α = 0.
template <scale beta_mode, bool has_epilogue, int num_rhs, typename Vector>
[[gnu::always_inline]] inline void scale_share(Vector* y, long count, Vector beta, int thread,
                                               int threads) {
    if constexpr (beta_mode != scale::one || has_epilogue) {
        const long end = share(count, thread + 1, threads);
        for (long i = share(count, thread, threads); i < end; ++i) {
            if constexpr (has_epilogue) {
                store<scale::zero, beta_mode, true>(y, i, Vector{}, beta, beta, i / num_rhs);
            } else if constexpr (beta_mode == scale::zero) {
                y[i] = Vector{};
            } else {
                y[i] = multiply(beta, y[i]);
            }
        }
    }
}

/// sum[rhs] += value · x_row[rhs] for every right-hand side: one entry times one row of x.
template <int num_rhs, typename Value, typename Vector>
[[gnu::always_inline]] inline void add_scaled(Value* sum, Value value, const Vector* x_row) {
    for (int rhs = 0; rhs < num_rhs; ++rhs) {
        sum[rhs] = multiply_add(value, converted<Value>(x_row[rhs]), sum[rhs]);
    }
}

/// The same of an x by columns.
template <int num_rhs, typename Value, typename Vector>
[[gnu::always_inline]] inline void add_scaled_column(Value* sum, Value value, const Vector* x_row,
                                                     long ld_x) {
    for (int rhs = 0; rhs < num_rhs; ++rhs) {
        sum[rhs] = multiply_add(value, converted<Value>(x_row[rhs * ld_x]), sum[rhs]);
    }
}

/// sum[rhs] += value · x[col][rhs], of an x of that form.
template <int num_rhs, vector_form x_form, typename Value, typename Index, typename Vector>
[[gnu::always_inline]] inline void add_entry(Value* sum, Value value, Index col, const Vector* x,
                                             long ld_x) {
    if constexpr (x_form == vector_form::columns) {
        add_scaled_column<num_rhs>(sum, value, x + col, ld_x);
    } else {
        add_scaled<num_rhs>(sum, value, row_at<x_form, num_rhs>(x, static_cast<long>(col), ld_x));
    }
}

/// sum[rhs] += Σ values[k] · x[col_idx[k]][rhs] for k = begin … end-1.
template <int num_rhs, vector_form x_form = vector_form::dense, typename Value, typename Storage,
          typename Index, typename Vector>
[[gnu::always_inline]] inline void add_entries(Value* sum, const Storage* values,
                                               const Index* col_idx, const Vector* x, long ld_x,
                                               long begin, long end) {
    // Unrolled, a row would end at two branches, each of which may be foretold wrongly.
#pragma GCC unroll 1
    for (long k = begin; k < end; ++k) {
        add_entry<num_rhs, x_form>(sum, widened<Value>(values[k]), col_idx[k], x, ld_x);
    }
}

/// Prefetches the row of x that an entry of column `col` needs into the second cache, which has more
/// lines under way than the first: each line of 64 bytes, and the last number's where rows may begin
/// anywhere in a line. Of an x by columns nothing: each number has a line of its own.
template <int num_rhs, vector_form x_form, typename Index, typename Vector>
[[gnu::always_inline]] inline void prefetch_x(const Vector* x, Index col, long ld_x) {
    if constexpr (x_form != vector_form::columns) {
        const Vector* row = row_at<x_form, num_rhs>(x, static_cast<long>(col), ld_x);
        constexpr int width = 64 / int(sizeof(Vector));
        for (int rhs = 0; rhs < num_rhs; rhs += width) {
            __builtin_prefetch(row + rhs, 0, 2);
        }
        if constexpr (x_form != vector_form::dense || num_rhs % width != 0) {
            __builtin_prefetch(row + num_rhs - 1, 0, 2);
        }
    }
}

/// sum[rhs] += the products of entries begin … end-1, the rows of x prefetched `ahead` entries
/// before: there must be as many behind `end`.
template <int num_rhs, int ahead, vector_form x_form, typename Value, typename Storage,
          typename Index, typename Vector>
[[gnu::always_inline]] inline void add_entries_ahead(Value* sum, const Storage* values,
                                                     const Index* col_idx, const Vector* x,
                                                     long ld_x, long begin, long end) {
#pragma GCC unroll 1
    for (long k = begin; k < end; ++k) {
        prefetch_x<num_rhs, x_form>(x, col_idx[k + ahead], ld_x);
        add_entry<num_rhs, x_form>(sum, widened<Value>(values[k]), col_idx[k], x, ld_x);
    }
}

/// The same, nothing prefetched, `unroll` entries at a time, each with sums of its own: for rows so
/// long that adding to one sum after another takes longer than loading x.
template <int num_rhs, int unroll, vector_form x_form, typename Value, typename Storage,
          typename Index, typename Vector>
[[gnu::always_inline]] inline void add_entries_unrolled(Value* sum, const Storage* values,
                                                        const Index* col_idx, const Vector* x,
                                                        long ld_x, long begin, long end) {
    if constexpr (unroll == 1) {
        add_entries<num_rhs, x_form>(sum, values, col_idx, x, ld_x, begin, end);
    } else {
        Value part[unroll * num_rhs] = {};
        long k = begin;
#pragma GCC unroll 1
        for (; k + unroll <= end; k += unroll) {
            for (int u = 0; u < unroll; ++u) {
                add_entry<num_rhs, x_form>(part + u * num_rhs, widened<Value>(values[k + u]),
                                           col_idx[k + u], x, ld_x);
            }
        }
        add_entries<num_rhs, x_form>(part, values, col_idx, x, ld_x, k, end);
        for (int rhs = 0; rhs < num_rhs; ++rhs) {
            for (int u = 0; u < unroll; ++u) {
                sum[rhs] = add(sum[rhs], part[u * num_rhs + rhs]);
            }
        }
    }
}

/// Stores num_rhs sums as row `row` of y.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs,
          vector_form y_form = vector_form::dense, typename Value, typename Vector>
[[gnu::always_inline]] inline void store_row(Vector* y, long row, const Value* sum, Vector alpha,
                                             Vector beta, long ld_y = 0) {
    for (int rhs = 0; rhs < num_rhs; ++rhs) {
        if constexpr (y_form == vector_form::dense) {
            store<alpha_mode, beta_mode, has_epilogue>(y, row * num_rhs + rhs, sum[rhs], alpha,
                                                       beta, row);
        } else {
            store<alpha_mode, beta_mode, has_epilogue>(
                place_at<y_form>(row_at<y_form, num_rhs>(y, row, ld_y), rhs, ld_y), 0, sum[rhs],
                alpha, beta, row);
        }
    }
}

/// Whether rows of y are whole lines of 64 bytes where y begins with one.
template <vector_form y_form, int num_rhs, typename Vector>
inline constexpr bool may_be_lines = y_form != vector_form::columns && !is_complex<Vector> &&
                                     num_rhs % (64 / int(sizeof(Vector))) == 0;

/// The same of the y at hand.
template <vector_form y_form, typename Vector>
[[gnu::always_inline]] inline bool are_lines(const Vector* y, long ld_y) {
    const bool begins = reinterpret_cast<unsigned long>(y) % 64 == 0;
    if constexpr (y_form == vector_form::dense) {
        return begins;
    } else {
        return begins && ld_y * sizeof(Vector) % 64 == 0;
    }
}

/// Stores num_rhs sums as row `row` of y, whose rows are whole lines: past the caches, so that no
/// line of y is read before it is written. Before another thread reads y, a fence must follow.
template <scale alpha_mode, bool has_epilogue, int num_rhs, vector_form y_form, typename Value,
          typename Vector>
[[gnu::always_inline]] inline void store_row_past_caches(Vector* y, long row, const Value* sum,
                                                         Vector alpha, Vector beta, long ld_y) {
    constexpr int width = 64 / int(sizeof(Vector));
    typedef Vector Line __attribute__((vector_size(64)));
    Vector made[num_rhs];
    for (int rhs = 0; rhs < num_rhs; ++rhs) {
        store<alpha_mode, scale::zero, has_epilogue>(made, rhs, sum[rhs], alpha, beta, row);
    }
    Vector* const first = row_at<y_form, num_rhs>(y, row, ld_y);
    for (int rhs = 0; rhs < num_rhs; rhs += width) {
        Line line;
        for (int i = 0; i < width; ++i) {
            line[i] = made[rhs + i];
        }
        __builtin_nontemporal_store(line, reinterpret_cast<Line*>(first + rhs));
    }
}

/// y = βy for the thread's share of the rows of a y of that form: what is left of the product when
/// α = 0.
template <scale beta_mode, bool has_epilogue, int num_rhs, vector_form y_form, typename Vector>
[[gnu::always_inline]] inline void scale_rows(Vector* y, long ld_y, long num_rows, Vector beta,
                                              int thread, int threads) {
    if constexpr (y_form == vector_form::dense) {
        scale_share<beta_mode, has_epilogue, num_rhs>(y, num_rows * num_rhs, beta, thread, threads);
    } else if constexpr (beta_mode != scale::one || has_epilogue) {
        const long end = share(num_rows, thread + 1, threads);
        for (long row = share(num_rows, thread, threads); row < end; ++row) {
            const Vector sum[num_rhs] = {};
            store_row<scale::zero, beta_mode, has_epilogue, num_rhs, y_form>(y, row, sum, beta,
                                                                             beta, ld_y);
        }
    }
}

/// Stores the sums 0 of rows begin to end - 1.
template <typename Value, scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs,
          typename Vector>
[[gnu::always_inline]] inline void store_empty_rows(Vector* y, long begin, long end, Vector alpha,
                                                    Vector beta) {
    if constexpr (beta_mode != scale::one || has_epilogue) {  // else y stays as it is
        const Value sum[num_rhs] = {};
        for (long row = begin; row < end; ++row) {
            store_row<alpha_mode, beta_mode, has_epilogue, num_rhs>(y, row, sum, alpha, beta);
        }
    }
}

/// Stores the sums of up to `height` neighbouring rows, the first of them at y.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, int height, int num_rhs,
          typename Value, typename Vector>
[[gnu::always_inline]] inline void store_rows(Vector* y, long rows, const Value* sum, Vector alpha,
                                              Vector beta, long first_row) {
    if (rows >= height) {  // a fixed count: vector stores
        for (int l = 0; l < height; ++l) {
            store<alpha_mode, beta_mode, has_epilogue>(y, l, sum[l], alpha, beta,
                                                       first_row + l / num_rhs);
        }
    } else {
        for (int l = 0; l < rows; ++l) {
            store<alpha_mode, beta_mode, has_epilogue>(y, l, sum[l], alpha, beta,
                                                       first_row + l / num_rhs);
        }
    }
}

/// sum[l] += the product of row l, for lanes · unroll rows stored column after column, `stride`
/// elements apart: the first `full` columns have an entry in every row, the others up to `width`
/// in some.
template <int lanes, int unroll, int prefetch, typename Value, typename Storage, typename Index,
          typename Vector>
[[gnu::always_inline]] inline void add_strips(Value* sum, const Storage* values,
                                              const Index* col_idx, const Vector* x, long stride,
                                              long full, long width) {
    for (long k = 0; k < full; ++k) {
        prefetch_entries<prefetch, lanes * unroll>(values + k * stride, col_idx + k * stride);
        for (int u = 0; u < unroll; ++u) {
            add_products<lanes>(sum + u * lanes, values + k * stride + u * lanes,
                                col_idx + k * stride + u * lanes, x);
        }
    }
    for (long k = full; k < width; ++k) {
        prefetch_entries<prefetch, lanes * unroll>(values + k * stride, col_idx + k * stride);
        for (int u = 0; u < unroll; ++u) {
            add_unpadded_products<lanes>(sum + u * lanes, values + k * stride + u * lanes,
                                         col_idx + k * stride + u * lanes, x);
        }
    }
}

/// sum[rhs] += the product of one row whose entries lie `stride` elements apart, up to `width` of
/// them; it ends at the first padding.
template <int num_rhs, vector_form x_form = vector_form::dense, typename Value, typename Storage,
          typename Index, typename Vector>
[[gnu::always_inline]] inline void add_strided_row(Value* sum, const Storage* values,
                                                   const Index* col_idx, const Vector* x,
                                                   long stride, long width, long ld_x = 0) {
    for (long k = 0; k < width && col_idx[k * stride] >= 0; ++k) {
        add_entry<num_rhs, x_form>(sum, widened<Value>(values[k * stride]), col_idx[k * stride], x,
                                   ld_x);
    }
}

/// The same of a row of exactly `width` entries: rows of one length end where branches are foretold.
template <int num_rhs, vector_form x_form = vector_form::dense, typename Value, typename Storage,
          typename Index, typename Vector>
[[gnu::always_inline]] inline void add_full_strided_row(Value* sum, const Storage* values,
                                                        const Index* col_idx, const Vector* x,
                                                        long stride, long width, long ld_x = 0) {
#pragma GCC unroll 1
    for (long k = 0; k < width; ++k) {
        add_entry<num_rhs, x_form>(sum, widened<Value>(values[k * stride]), col_idx[k * stride], x,
                                   ld_x);
    }
}

/// y = αAx + βy for rows `row` to end_row - 1, of which `entry` is the first entry, at most up to
/// end_entry; returns the entry after them. A window of y becomes βy first; its entries are added
/// while a core's first cache has it, one after another: no branch depends on where rows end. Of
/// large parts of y with few entries the window is all: clearing memory at a stretch need not read
/// it, and few of its lines are read for their entries.
template <scale alpha_mode, scale beta_mode, typename Value, typename Vector, typename Index,
          typename Storage>
[[gnu::always_inline]] inline long add_windows(Vector* y, const Index* row_idx,
                                               const Storage* values, const Index* col_idx,
                                               const Vector* x, long row, long end_row, long entry,
                                               long end_entry, Vector alpha, Vector beta) {
    constexpr long near_window = 1024;    // rows
    constexpr long far_bytes = 8L << 20;  // of y: more than a core's share of the caches
    constexpr long least_rows_an_entry = 10;
    const long rows = end_row - row;
    const bool is_far = beta_mode == scale::zero && rows * long(sizeof(Vector)) >= far_bytes &&
                        rows >= least_rows_an_entry * (end_entry - entry);
    const long window = is_far ? rows : near_window;
    for (; row < end_row; row += window) {
        const long next_row = row + window < end_row ? row + window : end_row;
        if (is_far) {
            __builtin_memset(y + row, 0, (next_row - row) * sizeof(Vector));
        } else {
            store_empty_rows<Value, alpha_mode, beta_mode, false, 1>(y, row, next_row, alpha, beta);
        }
        for (; entry < end_entry && row_idx[entry] < next_row; ++entry) {
            const Value product =
                multiply(widened<Value>(values[entry]), converted<Value>(x[col_idx[entry]]));
            store<alpha_mode, scale::one, false>(y, row_idx[entry], product, alpha, alpha, 0);
        }
    }
    return entry;
}

/// sum[rhs] += the products of the entries from `entry` on that have the same row as it, at most up
/// to `end`; returns the entry after them. `row` is that row.
template <int lanes, int num_rhs, typename Value, typename Storage, typename Index, typename Vector>
[[gnu::always_inline]] inline long add_segment(Value* sum, const Index* row_idx,
                                               const Storage* values, const Index* col_idx,
                                               const Vector* x, long row, long entry, long end) {
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
        add_scaled<num_rhs>(sum, widened<Value>(values[entry]),
                            x + static_cast<long>(col_idx[entry]) * num_rhs);
    }
    return entry;
}
