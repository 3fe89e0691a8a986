// What products with several right-hand sides share: lanes that share an entry, each with a part of
// the row of x that it meets.
#pragma once
#include "dialect/gpu.hpp"

/// What one instruction loads.
struct alignas(16) f64_pair {
    double first;
    double second;
};
struct alignas(16) f32_quad {
    float first;
    float second;
    float third;
    float fourth;
};

/// Whether pieces of rows of `num_rhs` numbers, each of `rhs_group`, can be loaded 16 bytes at a
/// time where x begins at a multiple of 16 bytes.
template <int num_rhs, int rhs_group, typename Vector>
inline constexpr bool in_wide_loads =
    (is_same<Vector, double> && num_rhs % 2 == 0 && rhs_group % 2 == 0) ||
    (is_same<Vector, float> && num_rhs % 4 == 0 && rhs_group % 4 == 0);

/// to[i] = from[i] for `count` numbers; with `wide` in loads of 16 bytes.
template <bool wide, int count, typename Vector>
[[gnu::always_inline]] inline void load_piece(Vector* to, const Vector* from) {
    if constexpr (wide && is_same<Vector, double>) {
        for (int i = 0; i < count / 2; ++i) {
            const f64_pair pair = reinterpret_cast<const f64_pair*>(from)[i];
            to[2 * i] = pair.first;
            to[2 * i + 1] = pair.second;
        }
    } else if constexpr (wide && is_same<Vector, float>) {
        for (int i = 0; i < count / 4; ++i) {
            const f32_quad quad = reinterpret_cast<const f32_quad*>(from)[i];
            to[4 * i] = quad.first;
            to[4 * i + 1] = quad.second;
            to[4 * i + 2] = quad.third;
            to[4 * i + 3] = quad.fourth;
        }
    } else {
        for (int i = 0; i < count; ++i) {
            to[i] = from[i];
        }
    }
}

/// Where the lane's group of right-hand sides begins, of `rhs_lanes` groups side by side.
template <int num_rhs, int rhs_group, int rhs_lanes>
[[gnu::always_inline]] inline long first_rhs(int lane) {
    if constexpr (num_rhs == rhs_group * rhs_lanes) {
        return static_cast<long>(lane % rhs_lanes) * rhs_group;
    } else {
        return static_cast<long>(blockIdx.y) * (rhs_group * rhs_lanes) +
               lane % rhs_lanes * rhs_group;
    }
}

/// sum[r] += the products of the entries first, first + step, … below `count` with the lane's piece
/// of each row of x, the first of which is at `x`. `unroll` entries are under way at a time.
template <bool wide, int step, int unroll, int num_rhs, int rhs_group, typename Value,
          typename Vector, typename Storage, typename Index, typename Offset>
[[gnu::always_inline]] inline void add_row_pieces(Value* sum, const Storage* values,
                                                  const Index* col_idx, const Vector* x,
                                                  Offset first, Offset count) {
    for (Offset left = count - first; left > 0; left -= step * unroll) {
        const Offset k = count - left;
        Storage value[unroll] = {};
        Index col[unroll] = {};
        for (int u = 0; u < unroll; ++u) {
            if (left > u * step) {
                value[u] = load_stored(values + k + u * step);
                col[u] = load_stream(col_idx + k + u * step);
            }
        }
        Vector factor[unroll * rhs_group] = {};
        for (int u = 0; u < unroll; ++u) {
            if (left > u * step) {
                load_piece<wide, rhs_group>(factor + u * rhs_group,
                                            x + static_cast<long>(col[u]) * num_rhs);
            }
        }
        // Where there is no entry, both factors are zero.
        for (int u = 0; u < unroll; ++u) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                sum[rhs] = multiply_add(widened<Value>(value[u]),
                                        converted<Value>(factor[u * rhs_group + rhs]), sum[rhs]);
            }
        }
    }
}
