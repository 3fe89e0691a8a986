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

/// number: what `numbers`, which are read once, have for the entries that are the last `left` of a
/// row of `count`, every `step`-th; zero where there are none.
template <int step, int loads, typename Number, typename Offset>
[[gnu::always_inline]] inline void load_own_entries(Number* number, const Number* numbers,
                                                    Offset left, Offset count) {
    const Offset k = count - left;
    for (int load = 0; load < loads; ++load) {
        number[load] = {};
        if (left > load * step) {
            number[load] = load_stored(numbers + k + load * step);
        }
    }
}

/// Adds to *sum what add_shared_pieces says, of the entries that the lanes have loaded as value and
/// col. `left`
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

/// Entries that a lane loads at a time where lanes share entries, and `unroll` pieces are under way.
template <int unroll, int rhs_lanes>
constexpr int own_loads = unroll > rhs_lanes ? unroll / rhs_lanes : 1;

/// Adds to *sum what add_shared_pieces says; the columns of the next entries, and of rows of many
/// rounds their values, are loaded before these are used.
template <bool wide, int step, int unroll, int num_rhs, int rhs_group, int rhs_lanes,
          vector_form x_form, typename Value, typename Vector, typename Storage, typename Index,
          typename Offset>
[[gnu::always_inline]] inline void add_pieces_ahead(Value* sum, const Storage* values,
                                                    const Index* col_idx, Index* next_col,
                                                    const Vector* x, long ld_x, int own,
                                                    Offset first, Offset count) {
    constexpr int loads = own_loads<unroll, rhs_lanes>;
    Storage next_value[loads];
    if constexpr (step >= warp_size) {
        load_own_entries<step, loads>(next_value, values, first - own, count);
    }
    for (Offset left = first; any_lane(left > 0); left -= step * loads) {
        Storage this_value[loads];
        Index this_col[loads];
        for (int load = 0; load < loads; ++load) {
            this_col[load] = next_col[load];
            if constexpr (step >= warp_size) {
                this_value[load] = next_value[load];
            }
        }
        const Offset next = left - own - step * loads;
        if constexpr (step >= warp_size) {
            load_own_entries<step, loads>(next_value, values, next, count);
        } else {
            load_own_entries<step, loads>(this_value, values, left - own, count);
        }
        load_own_entries<step, loads>(next_col, col_idx, next, count);
        add_own_entries<wide, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
            sum, this_value, this_col, x, ld_x, own, left);
    }
}

/// sum[r] += the products of a row of `count` entries with the lane's piece of each row of x, the
/// first of which is at `x`, shared out among `step` lanes, of which this is number `lane`. Each lane
/// loads an entry of its own, side by side, and hands it to the `rhs_lanes` lanes that share it:
/// so lines of A are asked for once. `unroll` pieces are under way at a time. `own_col` has the
/// lane's first columns. All lanes of the warp take part.
template <bool wide, int step, int unroll, int num_rhs, int rhs_group, int rhs_lanes,
          vector_form x_form, typename Value, typename Vector, typename Storage, typename Index,
          typename Offset>
[[gnu::always_inline]] inline void add_shared_pieces(Value* sum, const Storage* values,
                                                     const Index* col_idx, Index* own_col,
                                                     const Vector* x, long ld_x, Offset lane,
                                                     Offset count) {
    constexpr int width = step < warp_size ? step : warp_size;
    constexpr int loads = own_loads<unroll, rhs_lanes>;
    const int own = static_cast<int>(lane) % width;
    const Offset first = count - (lane - own);
    // Where few pieces are under way, more warps are worth more than columns ahead.
    constexpr bool ahead = step >= warp_size || (unroll > 2 && rhs_lanes > 2);
    if constexpr (ahead) {
        add_pieces_ahead<wide, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
            sum, values, col_idx, own_col, x, ld_x, own, first, count);
    } else {
        Storage own_value[loads];
        load_own_entries<step, loads>(own_value, values, first - own, count);
        add_own_entries<wide, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
            sum, own_value, own_col, x, ld_x, own, first);
        for (Offset left = first - step * loads; any_lane(left > 0); left -= step * loads) {
            load_own_entries<step, loads>(own_value, values, left - own, count);
            load_own_entries<step, loads>(own_col, col_idx, left - own, count);
            add_own_entries<wide, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
                sum, own_value, own_col, x, ld_x, own, left);
        }
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
/// before any x is, and every x before the first is used. No lanes share an entry.
template <int step, int unroll, int num_rhs, int rhs_group, vector_form x_form = vector_form::dense,
          typename Value, typename Vector, typename Storage, typename Index, typename Offset>
[[gnu::always_inline]] inline void add_row_entries(Value* sum, const Storage* values,
                                                   const Index* col_idx, const Vector* x, long ld_x,
                                                   Offset lane, Offset count) {
    if constexpr (num_rhs == 1) {
        add_entries<unroll>(sum, values, col_idx, x, lane, step, count);
    } else {
        const Vector* piece = place_at<x_form>(
            x, first_place<num_rhs, rhs_group, 1, Vector>(static_cast<int>(lane)), ld_x);
        if constexpr (may_be_wide<x_form, num_rhs, rhs_group, Vector>) {
            if (are_wide<x_form>(x, ld_x)) {
                add_row_pieces<true, step, unroll, num_rhs, rhs_group, 1, x_form>(
                    sum, values, col_idx, piece, ld_x, lane, count);
            } else {
                add_row_pieces<false, step, unroll, num_rhs, rhs_group, 1, x_form>(
                    sum, values, col_idx, piece, ld_x, lane, count);
            }
        } else {
            add_row_pieces<false, step, unroll, num_rhs, rhs_group, 1, x_form>(
                sum, values, col_idx, piece, ld_x, lane, count);
        }
    }
}

/// The same where `rhs_lanes` lanes share an entry, after the launches ahead; then the next one may
/// begin. The lane's first columns are on their way when it waits. All lanes of the warp take part.
template <int step, int unroll, int num_rhs, int rhs_group, int rhs_lanes, vector_form x_form,
          typename Value, typename Vector, typename Storage, typename Index, typename Offset>
[[gnu::always_inline]] inline void await_and_add_shared(Value* sum, const Storage* values,
                                                        const Index* col_idx, const Vector* x,
                                                        long ld_x, Offset lane, Offset count) {
    constexpr int loads = own_loads<unroll, rhs_lanes>;
    Index col[loads];
    for (int load = 0; load < loads; ++load) {
        col[load] = {};
        if (lane + load * step < count) {
            col[load] = col_idx[lane + load * step];
        }
    }
    await_launches_ahead();
    const Vector* piece = place_at<x_form>(
        x, first_place<num_rhs, rhs_group, rhs_lanes, Vector>(static_cast<int>(lane)), ld_x);
    bool wide = false;
    if constexpr (may_be_wide<x_form, num_rhs, rhs_group, Vector>) {
        wide = are_wide<x_form>(x, ld_x);
        if (wide) {
            add_shared_pieces<true, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
                sum, values, col_idx, col, piece, ld_x, lane, count);
        }
    }
    if (!wide) {
        add_shared_pieces<false, step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
            sum, values, col_idx, col, piece, ld_x, lane, count);
    }
    let_next_launch_begin();
}

/// Whether the first columns of a row are loaded before the wait for the launches ahead with one
/// right-hand side. Of more entries at a time compilers make branches.
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
    } else if constexpr (rhs_lanes > 1) {
        await_and_add_shared<step, unroll, num_rhs, rhs_group, rhs_lanes, x_form>(
            sum, values + begin, col_idx + begin, x, ld_x, static_cast<Offset>(lane),
            static_cast<Offset>(end - begin));
    } else {
        await_launches_ahead();
        add_row_entries<step, unroll, num_rhs, rhs_group, x_form>(
            sum, values + begin, col_idx + begin, x, ld_x, static_cast<Offset>(lane),
            static_cast<Offset>(end - begin));
    }
}
