// What GPU kernels share that give a row of CSR to a group of lanes.
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

/// sum[r] += the products of a row of `count` entries, shared out among `step` lanes, of which this
/// is number `lane`. `unroll` of them are under way at a time: their values and columns are loaded
/// before any x is, and every x before the first is used.
template <int step, int unroll, int num_rhs, int rhs_group, int rhs_lanes = 1, typename Value,
          typename Vector, typename Storage, typename Index, typename Offset>
[[gnu::always_inline]] inline void add_row_entries(Value* sum, const Storage* values,
                                                   const Index* col_idx, const Vector* x,
                                                   Offset lane, Offset count) {
    if constexpr (num_rhs == 1) {
        for (Offset left = count - lane; left > 0; left -= step * unroll) {
            const Offset k = count - left;
            Storage value[unroll] = {};
            Index col[unroll] = {};
            for (int u = 0; u < unroll; ++u) {
                if (left > u * step) {
                    value[u] = load_stored(values + k + u * step);
                    col[u] = load_stream(col_idx + k + u * step);
                }
            }
            Vector factor[unroll] = {};
            for (int u = 0; u < unroll; ++u) {
                if (left > u * step) {
                    factor[u] = x[col[u]];
                }
            }
            // Where there is no entry, both factors are zero.
            for (int u = 0; u < unroll; ++u) {
                sum[0] = multiply_add(widened<Value>(value[u]), converted<Value>(factor[u]), sum[0]);
            }
        }
    } else {
        // rhs_lanes neighbouring lanes share an entry, each with its group of right-hand sides.
        constexpr int entries = step / rhs_lanes;
        const Offset first = lane / rhs_lanes;
        const Vector* piece = x + first_rhs<num_rhs, rhs_group, rhs_lanes>(static_cast<int>(lane));
        if constexpr (in_wide_loads<num_rhs, rhs_group, Vector>) {
            if (reinterpret_cast<unsigned long>(x) % 16 == 0) {
                add_row_pieces<true, entries, unroll, num_rhs, rhs_group>(sum, values, col_idx,
                                                                          piece, first, count);
            } else {
                add_row_pieces<false, entries, unroll, num_rhs, rhs_group>(sum, values, col_idx,
                                                                           piece, first, count);
            }
        } else {
            add_row_pieces<false, entries, unroll, num_rhs, rhs_group>(sum, values, col_idx, piece,
                                                                       first, count);
        }
    }
}

/// Whether the lane has sums of its row when those of its subwarp are added up.
template <int rhs_lanes>
[[gnu::always_inline]] inline bool has_sums(int lane) {
    if constexpr (rhs_lanes == 1) {
        return lane == 0;
    } else {
        return lane < rhs_lanes;
    }
}

/// y = epilogue(α·sum + βy) for the right-hand sides of lane `lane` in row `row`.
template <scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, int rhs_lanes,
          bool has_epilogue, typename Value, typename Vector>
[[gnu::always_inline]] inline void store_row_of_lane(Vector* y, long row, int lane,
                                                     const Value* sum, Vector alpha, Vector beta) {
    if constexpr (rhs_lanes == 1) {
        store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                           beta);
    } else {
        const long first = row * num_rhs + first_rhs<num_rhs, rhs_group, rhs_lanes>(lane);
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            store<alpha_mode, beta_mode, has_epilogue>(y, first + rhs, sum[rhs], alpha, beta, row);
        }
    }
}
