// What GPU kernels share that give a row of CSR to a group of lanes.
#pragma once
#include "dialect/gpu.hpp"
#include "dialect/gpu_multivector.hpp"

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
