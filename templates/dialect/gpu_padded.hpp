// What the kernels of padded formats (ELL, SELL, HYB) share.
#pragma once
#include "dialect/gpu.hpp"

/// sum[r] += the products of one row, or of a part of it: `count` entries that lie `step` elements
/// apart from `place` on. It ends early at padding, which has the column -1 and meets no x.
template <int unroll, int num_rhs, int rhs_group, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::always_inline]] inline void add_padded_row(Value* sum, const Storage* values,
                                                  const Index* col_idx, const Vector* x, long place,
                                                  long step, long count) {
    // More would not fit the registers.
    constexpr int most =
        (is_complex<Value> ? 32 : 64) / (static_cast<int>(sizeof(Value)) * rhs_group);
    constexpr int batch = unroll < most ? unroll : most < 1 ? 1 : most;
    const int end = static_cast<int>(count);
    for (int k = 0; k < end; k += batch) {
        // All of A is loaded before the first use, then all of x.
        Index col[batch];
        Value value[batch];
        for (int u = 0; u < batch; ++u) {
            const long at = place + (k + u) * step;
            col[u] = k + u < end ? load_stream(col_idx + at) : static_cast<Index>(-1);
            value[u] = k + u < end ? load_value<Value>(values + at) : Value{};
        }
        Vector factor[batch * rhs_group];
        for (int u = 0; u < batch; ++u) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                factor[u * rhs_group + rhs] =
                    col[u] >= 0 ? x[element_of<num_rhs, rhs_group>(col[u]) + rhs] : Vector{};
            }
        }
        for (int u = 0; u < batch; ++u) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                sum[rhs] =
                    multiply_add(value[u], converted<Value>(factor[u * rhs_group + rhs]), sum[rhs]);
            }
        }
        if (col[batch - 1] < 0) {
            break;
        }
    }
}

/// The same after the launches ahead. Of few entries at a time the first columns are on their way
/// when it waits; of more, compilers make branches.
template <int unroll, int num_rhs, int rhs_group, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::always_inline]] inline void await_and_add_padded_row(Value* sum, const Storage* values,
                                                            const Index* col_idx, const Vector* x,
                                                            long place, long step, int count) {
    if constexpr (!launches_overlap || num_rhs > 1 || unroll > 4) {
        await_launches_ahead();
        add_padded_row<unroll, num_rhs, rhs_group>(sum, values, col_idx, x, place, step, count);
    } else {
        Index col[unroll];
        for (int u = 0; u < unroll; ++u) {
            col[u] = u < count ? col_idx[place + u * step] : static_cast<Index>(-1);
        }
        await_launches_ahead();
        for (int k = 0; k < count && col[0] >= 0;) {
            Value value[unroll];
            for (int u = 0; u < unroll; ++u) {
                value[u] =
                    k + u < count ? load_value<Value>(values + place + (k + u) * step) : Value{};
            }
            Vector factor[unroll];
            for (int u = 0; u < unroll; ++u) {
                factor[u] = col[u] >= 0 ? x[col[u]] : Vector{};
            }
            for (int u = 0; u < unroll; ++u) {
                sum[0] = multiply_add(value[u], converted<Value>(factor[u]), sum[0]);
            }
            k = col[unroll - 1] >= 0 ? k + unroll : count;
            for (int u = 0; u < unroll; ++u) {
                col[u] = k + u < count ? load_stream(col_idx + place + (k + u) * step)
                                       : static_cast<Index>(-1);
            }
        }
    }
}

/// sum[r] = 0.
template <int rhs_group, typename Value>
[[gnu::always_inline]] inline void clear(Value* sum) {
    for (int rhs = 0; rhs < rhs_group; ++rhs) {
        sum[rhs] = Value{};
    }
}

/// to[r] = from[r].
template <int rhs_group, typename Value>
[[gnu::always_inline]] inline void copy_values(Value* to, const Value* from) {
    for (int rhs = 0; rhs < rhs_group; ++rhs) {
        to[rhs] = from[rhs];
    }
}

/// sum[r] += part[r].
template <int rhs_group, typename Value>
[[gnu::always_inline]] inline void add_values(Value* sum, const Value* part) {
    for (int rhs = 0; rhs < rhs_group; ++rhs) {
        sum[rhs] = add(sum[rhs], part[rhs]);
    }
}

/// sum[r] += the product of one entry.
template <int num_rhs, int rhs_group, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::always_inline]] inline void add_entry(Value* sum, const Storage* value, const Index* col,
                                             const Vector* x) {
    const Value a = load_value<Value>(value);
    const long first = element_of<num_rhs, rhs_group>(load_stream(col));
    for (int rhs = 0; rhs < rhs_group; ++rhs) {
        sum[rhs] = multiply_add(a, converted<Value>(x[first + rhs]), sum[rhs]);
    }
}

/// Adds part[r] up over the lanes that have the same row; rows do not fall from lane to lane.
/// Returns whether this lane is the first of its row, which then has the sum. All lanes take part.
template <int rhs_group, typename Value, typename Row>
[[gnu::always_inline]] inline bool add_segments(Value* part, Row row) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    for (int offset = 1; offset < warp_size; offset *= 2) {
        const Row other = shuffle_down(row, offset);
        const bool same = lane + offset < warp_size && other == row;
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            const Value more = shuffle_down(part[rhs], offset);
            part[rhs] = add(part[rhs], same ? more : Value{});
        }
    }
    const Row before = shuffle_up(row, 1);
    return lane == 0 || before != row;
}

/// Adds sum[r] up over each group of `width` lanes; its first lane has the result. All lanes of the
/// warp take part.
template <int width, int rhs_group, typename Value>
[[gnu::always_inline]] inline void add_lanes(Value* sum) {
    if constexpr (width > 1) {
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            sum[rhs] = subwarp_sum<width>(sum[rhs]);
        }
    }
}

/// y += α·sum, atomically, for the thread's group of right-hand sides in row `row`.
template <scale alpha_mode, int num_rhs, int rhs_group, typename Value, typename Vector>
[[gnu::always_inline]] inline void atomic_add_row(Vector* y, long row, const Value* sum,
                                                  Vector alpha) {
    const long first = element_of<num_rhs, rhs_group>(row);
    for (int rhs = 0; rhs < rhs_group; ++rhs) {
        atomic_add_scaled<alpha_mode>(y + first + rhs, sum[rhs], alpha);
    }
}
