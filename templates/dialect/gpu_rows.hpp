// What GPU kernels share that give a row of CSR to a group of lanes.
#pragma once
#include "dialect/gpu.hpp"

/// sum[r] += the products of the entries first, first + step, … below `count`. `unroll` of them are
/// under way at a time: their values and columns are loaded before any x is, and every x before the
/// first is used.
template <int step, int unroll, int num_rhs, int rhs_group, typename Value, typename Vector,
          typename Storage, typename Index, typename Offset>
[[gnu::always_inline]] inline void add_row_entries(Value* sum, const Storage* values,
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
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                if (left > u * step) {
                    factor[u * rhs_group + rhs] = x[element_of<num_rhs, rhs_group>(col[u]) + rhs];
                }
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
