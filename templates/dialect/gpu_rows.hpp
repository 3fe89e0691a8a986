// What GPU kernels share that give a row of CSR to a group of lanes.
#pragma once
#include "dialect/gpu_row_pieces.hpp"

/// sum[r] += the products of the entries first, first + step, … below `count` with the lane's piece
/// of each row of x, the first of which is at `x`. `unroll` entries are under way at a time.
template <bool wide, int step, int unroll, int num_rhs, int rhs_group, int rhs_lanes,
          vector_form x_form, typename Value, typename Vector, typename Storage, typename Index,
          typename Offset>
[[gnu::always_inline]] inline void add_row_pieces(Value* sum, const Storage* values,
                                                  const Index* col_idx, const Vector* x, long ld_x,
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
                load_piece<wide, x_form, num_rhs, rhs_group, rhs_lanes>(
                    factor + u * rhs_group,
                    row_at<x_form, num_rhs>(x, static_cast<long>(col[u]), ld_x), ld_x);
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

/// The value of A that the group's lane number `lane` has loaded, as the type that is computed with.
template <int width, typename Value, typename Storage>
[[gnu::always_inline]] inline Value value_of_lane(Storage value, int lane) {
    if constexpr (is_f16<Storage> || is_bf16<Storage>) {
        return shuffle<width>(widened<Value>(value), lane);
    } else {
        return widened<Value>(shuffle<width>(value, lane));
    }
}

/// Adds to *sum what add_shared_pieces says, of the entries that the lanes of a group have loaded as
/// value and col: those from number `from` on, `turns` in turn for each `rhs_lanes` lanes, of which
/// there are `left`.
template <bool wide, int width, int turns, int num_rhs, int rhs_group, int rhs_lanes,
          vector_form x_form, typename Value, typename Vector, typename Storage, typename Index,
          typename Offset>
[[gnu::always_inline]] inline void add_loaded_pieces(Value* sum, Storage value, Index col,
                                                     const Vector* x, long ld_x, int from,
                                                     Offset left) {
    constexpr int entries = width / rhs_lanes;  // at a time
    Vector factor[turns * rhs_group] = {};
    for (int turn = 0; turn < turns; ++turn) {
        const int entry = from + turn * entries;
        const Index shared = shuffle<width>(col, entry);
        if (left > entry) {
            load_piece<wide, x_form, num_rhs, rhs_group, rhs_lanes>(
                factor + turn * rhs_group,
                row_at<x_form, num_rhs>(x, static_cast<long>(shared), ld_x), ld_x);
        }
    }
    // Where there is no entry, both factors are zero.
    for (int turn = 0; turn < turns; ++turn) {
        const Value shared = value_of_lane<width, Value>(value, from + turn * entries);
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            sum[rhs] =
                multiply_add(shared, converted<Value>(factor[turn * rhs_group + rhs]), sum[rhs]);
        }
    }
}

/// value and col: the entries that are the last `left` of a row of `count`, every `step`-th; zero
/// where there are none.
template <int step, int loads, typename Storage, typename Index, typename Offset>
[[gnu::always_inline]] inline void load_own_entries(Storage* value, Index* col,
                                                    const Storage* values, const Index* col_idx,
                                                    Offset left, Offset count) {
    const Offset k = count - left;
    for (int load = 0; load < loads; ++load) {
        value[load] = {};
        col[load] = {};
        if (left > load * step) {
            value[load] = load_stored(values + k + load * step);
            col[load] = load_stream(col_idx + k + load * step);
        }
    }
}

/// Adds to *sum what add_shared_pieces says, of the entries that load_own_entries has loaded. `left`
/// counts from the first lane of the warp that shares the row.
template <bool wide, int step, int unroll, int num_rhs, int rhs_group, int rhs_lanes,
          vector_form x_form, typename Value, typename Vector, typename Storage, typename Index,
          typename Offset>
[[gnu::always_inline]] inline void add_own_entries(Value* sum, const Storage* value,
                                                   const Index* col, const Vector* x, long ld_x,
                                                   int own, Offset left) {
    constexpr int width = step < warp_size ? step : warp_size;
    constexpr int turns = unroll < rhs_lanes ? unroll : rhs_lanes;
    constexpr int loads = unroll / turns;
    constexpr int entries = turns * (width / rhs_lanes);  // under way at a time
    if constexpr (loads == 1 && entries == width) {
        add_loaded_pieces<wide, width, turns, num_rhs, rhs_group, rhs_lanes, x_form>(
            sum, value[0], col[0], x, ld_x, own / rhs_lanes, left);
    } else {
        for (int load = 0; load < loads; ++load) {
            for (int from = 0; from < width; from += entries) {
                if (any_lane(left > load * step + from)) {
                    add_loaded_pieces<wide, width, turns, num_rhs, rhs_group, rhs_lanes, x_form>(
                        sum, value[load], col[load], x, ld_x, from + own / rhs_lanes,
                        left - load * step);
                }
            }
        }
    }
}

/// sum[r] += the products of a row of `count` entries with the lane's piece of each row of x, the
/// first of which is at `x`, shared out among `step` lanes, of which this is number `lane`. Each lane
/// loads an entry of its own, side by side, and hands it to the `rhs_lanes` lanes that share it:
/// so lines of A are asked for once. `unroll` pieces are under way at a time. All lanes of the warp
/// take part.
template <bool wide, int step, int unroll, int num_rhs, int rhs_group, int rhs_lanes,
          vector_form x_form, typename Value, typename Vector, typename Storage, typename Index,
          typename Offset>
[[gnu::always_inline]] inline void add_shared_pieces(Value* sum, const Storage* values,
                                                     const Index* col_idx, const Vector* x,
                                                     long ld_x, Offset lane, Offset count) {
    constexpr int width = step < warp_size ? step : warp_size;
    constexpr int loads = unroll > rhs_lanes ? unroll / rhs_lanes : 1;
    const int own = static_cast<int>(lane) % width;
    Storage value[loads];
    Index col[loads];
    if constexpr (step >= warp_size) {
        // Rows of many rounds: the next entries are loaded before these are used.
        Storage next_value[loads];
        Index next_col[loads];
        load_own_entries<step, loads>(next_value, next_col, values, col_idx, count - lane, count);
        for (Offset left = count - (lane - own); any_lane(left > 0); left -= step * loads) {
            for (int load = 0; load < loads; ++load) {
                value[load] = next_value[load];
                col[load] = next_col[load];
            }
            load_own_entries<step, loads>(next_value, next_col, values, col_idx,
                                          left - own - step * loads, count);
            add_own_entries<wide, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
                sum, value, col, x, ld_x, own, left);
        }
    } else {
        for (Offset left = count; any_lane(left > 0); left -= step * loads) {
            load_own_entries<step, loads>(value, col, values, col_idx, left - own, count);
            add_own_entries<wide, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
                sum, value, col, x, ld_x, own, left);
        }
    }
}

/// The same, each lane alone where none share an entry.
template <bool wide, int step, int unroll, int num_rhs, int rhs_group, int rhs_lanes,
          vector_form x_form, typename Value, typename Vector, typename Storage, typename Index,
          typename Offset>
[[gnu::always_inline]] inline void add_row_of_lanes(Value* sum, const Storage* values,
                                                    const Index* col_idx, const Vector* x,
                                                    long ld_x, Offset lane, Offset count) {
    if constexpr (rhs_lanes == 1) {
        add_row_pieces<wide, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
            sum, values, col_idx, x, ld_x, lane, count);
    } else {
        add_shared_pieces<wide, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
            sum, values, col_idx, x, ld_x, lane, count);
    }
}

/// *sum += the products of a row of `count` entries, shared out among `lanes` lanes, of which this is
/// number `lane`; all callers know how many. `unroll` entries are under way at a time: their values
/// and columns are loaded before any x is, and every x before the first is used.
template <int unroll, typename Value, typename Vector, typename Storage, typename Index,
          typename Offset>
[[gnu::always_inline]] inline void add_entries(Value* sum, const Storage* values,
                                               const Index* col_idx, const Vector* x, Offset lane,
                                               int lanes, Offset count) {
    for (Offset left = count - lane; left > 0; left -= lanes * unroll) {
        const Offset k = count - left;
        Storage value[unroll] = {};
        Index col[unroll] = {};
        for (int u = 0; u < unroll; ++u) {
            if (left > u * lanes) {
                value[u] = load_stored(values + k + u * lanes);
                col[u] = load_stream(col_idx + k + u * lanes);
            }
        }
        Vector factor[unroll] = {};
        for (int u = 0; u < unroll; ++u) {
            if (left > u * lanes) {
                factor[u] = x[col[u]];
            }
        }
        // Where there is no entry, both factors are zero.
        for (int u = 0; u < unroll; ++u) {
            sum[0] = multiply_add(widened<Value>(value[u]), converted<Value>(factor[u]), sum[0]);
        }
    }
}

/// sum[r] += the products of a row of `count` entries, shared out among `step` lanes, of which this
/// is number `lane`. `unroll` of them are under way at a time: their values and columns are loaded
/// before any x is, and every x before the first is used.
template <int step, int unroll, int num_rhs, int rhs_group, int rhs_lanes = 1,
          vector_form x_form = vector_form::dense, typename Value, typename Vector,
          typename Storage, typename Index, typename Offset>
[[gnu::always_inline]] inline void add_row_entries(Value* sum, const Storage* values,
                                                   const Index* col_idx, const Vector* x, long ld_x,
                                                   Offset lane, Offset count) {
    if constexpr (num_rhs == 1) {
        add_entries<unroll>(sum, values, col_idx, x, lane, step, count);
    } else {
        const Vector* piece = place_at<x_form>(
            x, first_place<num_rhs, rhs_group, rhs_lanes, Vector>(static_cast<int>(lane)), ld_x);
        if constexpr (may_be_wide<x_form, num_rhs, rhs_group, Vector>) {
            if (are_wide<x_form>(x, ld_x)) {
                add_row_of_lanes<true, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
                    sum, values, col_idx, piece, ld_x, lane, count);
            } else {
                add_row_of_lanes<false, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
                    sum, values, col_idx, piece, ld_x, lane, count);
            }
        } else {
            add_row_of_lanes<false, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
                sum, values, col_idx, piece, ld_x, lane, count);
        }
    }
}

/// Whether the first columns of a row are loaded before the wait for the launches ahead. Of more
/// entries at a time compilers make branches.
template <int num_rhs, int unroll>
constexpr bool loads_ahead = launches_overlap && num_rhs == 1 && unroll <= 4;

/// *sum += the products of the entries first, first + lanes, … below `end`, `unroll` at a time. The
/// first columns are on their way when it waits for the launches ahead. Where there is no entry,
/// both factors are zero.
template <int unroll, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void await_and_add_entries(Value* sum, const Storage* values,
                                                         const Index* col_idx, const Vector* x,
                                                         long first, int lanes, long end) {
    Index col[unroll] = {};
    for (int u = 0; u < unroll; ++u) {
        if (first + u * lanes < end) {
            col[u] = col_idx[first + u * lanes];
        }
    }
    await_launches_ahead();
    for (long k = first; k < end; k += lanes * unroll) {
        Storage value[unroll] = {};
        for (int u = 0; u < unroll; ++u) {
            if (k + u * lanes < end) {
                value[u] = load_stored(values + k + u * lanes);
            }
        }
        Vector factor[unroll] = {};
        for (int u = 0; u < unroll; ++u) {
            if (k + u * lanes < end) {
                factor[u] = x[col[u]];
            }
        }
        for (int u = 0; u < unroll; ++u) {
            sum[0] = multiply_add(widened<Value>(value[u]), converted<Value>(factor[u]), sum[0]);
        }
        for (int u = 0; u < unroll; ++u) {
            if (k + (unroll + u) * lanes < end) {
                col[u] = load_stream(col_idx + k + (unroll + u) * lanes);
            }
        }
    }
}

/// sum[r] += the products of the row of the entries begin … end-1, as add_row_entries, after the
/// launches ahead.
template <typename Offset, int step, int unroll, int num_rhs, int rhs_group, int rhs_lanes,
          vector_form x_form, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void await_and_add_row(Value* sum, const Storage* values,
                                                     const Index* col_idx, const Vector* x,
                                                     long ld_x, int lane, long begin, long end) {
    if constexpr (loads_ahead<num_rhs, unroll>) {
        await_and_add_entries<unroll>(sum, values, col_idx, x, begin + lane, step, end);
    } else {
        await_launches_ahead();
        add_row_entries<step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
            sum, values + begin, col_idx + begin, x, ld_x, static_cast<Offset>(lane),
            static_cast<Offset>(end - begin));
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

/// y = epilogue(α·sum + βy) for the lane's piece of row `row`, which begins at `y`: with `wide` in loads and stores of 16 bytes.
template <bool wide, scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, int rhs_lanes,
          bool has_epilogue, vector_form y_form, typename Value, typename Vector>
[[gnu::always_inline]] inline void update_piece(Vector* y, long ld_y, long row, const Value* sum,
                                                Vector alpha, Vector beta) {
    Vector made[rhs_group] = {};
    if constexpr (beta_mode != scale::zero) {
        load_piece<wide, y_form, num_rhs, rhs_group, rhs_lanes>(made, y, ld_y);
    }
    for (int i = 0; i < rhs_group; ++i) {
        store<alpha_mode, beta_mode, has_epilogue>(made, i, sum[i], alpha, beta, row);
    }
    store_piece<wide, y_form, num_rhs, rhs_group, rhs_lanes>(y, made, ld_y);
}

/// y = epilogue(α·sum + βy) for the right-hand sides of lane `lane` in row `row`.
template <scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, int rhs_lanes,
          bool has_epilogue, vector_form y_form, typename Value, typename Vector>
[[gnu::always_inline]] inline void store_row_of_lane(Vector* y, long ld_y, long row, int lane,
                                                     const Value* sum, Vector alpha, Vector beta) {
    if constexpr (num_rhs == 1) {
        store_row<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue>(y, row, sum, alpha,
                                                                           beta);
    } else {
        Vector* const piece =
            place_at<y_form>(row_at<y_form, num_rhs>(y, row, ld_y),
                             first_place<num_rhs, rhs_group, rhs_lanes, Vector>(lane), ld_y);
        if constexpr (may_be_wide<y_form, num_rhs, rhs_group, Vector>) {
            if (are_wide<y_form>(y, ld_y)) {
                update_piece<true, alpha_mode, beta_mode, num_rhs, rhs_group, rhs_lanes,
                             has_epilogue, y_form>(piece, ld_y, row, sum, alpha, beta);
            } else {
                update_piece<false, alpha_mode, beta_mode, num_rhs, rhs_group, rhs_lanes,
                             has_epilogue, y_form>(piece, ld_y, row, sum, alpha, beta);
            }
        } else {
            update_piece<false, alpha_mode, beta_mode, num_rhs, rhs_group, rhs_lanes, has_epilogue,
                         y_form>(piece, ld_y, row, sum, alpha, beta);
        }
    }
}
