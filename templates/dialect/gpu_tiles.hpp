// What the kernels of format `tiles` share: how a warp multiplies a run of tiles, and how rows that
// runs have cut are put together.
//
// A tile is warp_size · items neighbouring entries, `items` for each lane; entry k of lane l lies
// at k · warp_size + l. A mark says that an entry begins a row. Rows that have entries are
// numbered; what lies behind the last entry is a row of its own, which is never stored. A run is
// `run` neighbouring tiles, those of one warp.
//
// Cut rows: each run that has a part of one leaves its sum in memory and counts itself as arrived.
// Whoever finds that all others have arrived adds up the parts, in their order, stores the row and
// puts the count back to 0. Nobody waits, and the bits of y do not depend on who comes last.
#pragma once
#include "dialect/gpu_coded_values.hpp"

/// Threads of the launch that gathers x.
constexpr int gather_block = 256;

/// The bits of the lane's entries that begin a row.
template <int items>
[[gnu::always_inline]] inline unsigned load_marks(const unsigned char* row_marks, long tile) {
    const long at = tile * warp_size + threadIdx.x % warp_size;
    if constexpr (items == 8) {
        return load_stream(row_marks + at);
    } else if constexpr (items == 16) {
        return load_stream(reinterpret_cast<const unsigned short*>(row_marks) + at);
    } else {
        return load_stream(reinterpret_cast<const unsigned*>(row_marks) + at);
    }
}

/// The sum over this lane and those below it. All lanes of the warp take part.
[[gnu::always_inline]] inline int warp_prefix(int count) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    for (int delta = 1; delta < warp_size; delta *= 2) {
        const int before = shuffle_up(count, delta);
        count += lane >= delta ? before : 0;
    }
    return count;
}

/// Adds `sum` of the lanes below, down to the nearest that has a mark, this lane included; `ended`
/// counts the marks of this lane and those below it. All lanes of the warp take part.
template <typename Value>
[[gnu::always_inline]] inline Value segment_prefix(Value sum, int ended) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    for (int delta = 1; delta < warp_size; delta *= 2) {
        const Value sum_before = shuffle_up(sum, delta);
        const int ended_before = shuffle_up(ended, delta);
        if (lane >= delta && ended_before == ended) {
            sum = add(sum_before, sum);
        }
    }
    return sum;
}

/// Puts what the lane has of each row that its marks end into part[place], place = `first` for the
/// first of them, as far as places are within `staged`. Returns the sum behind the last mark.
template <int items, int staged, typename Value>
[[gnu::always_inline]] inline Value walk_items(const Value* product, unsigned marks, int first,
                                               Value* part) {
    Value sum = {};
    int place = first;
    for (int k = 0; k < items; ++k) {
        if (((marks >> k) & 1u) != 0) {
            if (static_cast<unsigned>(place) < static_cast<unsigned>(staged)) {
                part[place] = sum;
            }
            ++place;
            sum = Value{};
        }
        sum = add(sum, product[k]);
    }
    return sum;
}

/// The element of x for one right-hand side that a stored column stands for: the `hubs` most used
/// columns come first and lie in shared memory, the `warm` next ones lie side by side in hot_x
/// behind them, and all columns, counted from hubs + warm on, in x.
template <int hubs, int warm, int num_rhs, int rhs_group, typename Vector, typename Index>
[[gnu::always_inline]] inline Vector load_x(const Vector* hub_x, const Vector* hot_x,
                                            const Vector* x, Index code, int rhs) {
    constexpr int hot = hubs + warm;
    if constexpr (hubs > 0) {
        if (code < hubs) {
            return hub_x[code * rhs_group + rhs];
        }
    }
    if constexpr (warm > 0) {
        if (code < hot) {
            return hot_x[element_of<num_rhs, rhs_group>(code) + rhs];
        }
    }
    return x[element_of<num_rhs, rhs_group>(code - hot) + rhs];
}

/// The row with that number.
template <int gaps, typename Index>
[[gnu::always_inline]] inline long row_of(const Index* filled_rows, long number) {
    if constexpr (gaps == 1) {
        return filled_rows[number];
    } else {
        return number;
    }
}

/// What a warp knows of its place in a run.
struct run_state {
    long number;    ///< of the row that is open
    bool has_head;  ///< a row has ended in the run
};

/// Stores y of one right-hand side for the rows that the tile ends; but the sum of the run's first,
/// which another run may have begun, goes to *end_sum. `before` and `ended` count the
/// marks of the lanes below, and those of this one too. `open` is what the row has so far that is
/// open as the tile begins; returns what the one has that is open as it ends. All lanes of the
/// warp take part.
template <scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int items, int staged, int gaps, typename Value, typename Vector, typename Index>
[[gnu::always_inline]] inline Value end_rows(const Value* product, unsigned marks, int before,
                                             int ended, run_state at, int rhs, Value open,
                                             Value* end_sum, Value* part, const Index* filled_rows,
                                             Vector* y, Vector alpha, Vector beta) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int rows = shuffle(ended, warp_size - 1);
    Value sum = walk_items<items, staged>(product, marks, before, part);
    if (lane == 0 && ended == 0) {
        sum = add(open, sum);
    }
    sum = segment_prefix(sum, ended);
    Value begun = shuffle_up(sum, 1);
    if (lane == 0) {
        begun = open;
    }
    // Once, unless rows are very short.
    for (int base = 0; base < rows; base += staged) {
        const int place = before - base;
        if (base > 0) {
            walk_items<items, staged>(product, marks, place, part);
        }
        if (marks != 0 && static_cast<unsigned>(place) < static_cast<unsigned>(staged)) {
            part[place] = add(begun, part[place]);
        }
        warp_barrier();
        const bool skips_first = base == 0 && !at.has_head;
        if (skips_first && lane == 0) {
            *end_sum = part[0];
        }
        const int count = rows - base < staged ? rows - base : staged;
        for (int i = skips_first ? lane + 1 : lane; i < count; i += warp_size) {
            const long row = row_of<gaps>(filled_rows, at.number + base + i);
            store<alpha_mode, beta_mode, has_epilogue>(y, element_of<num_rhs, rhs_group>(row) + rhs,
                                                       part[i], alpha, beta, row);
        }
        warp_barrier();
    }
    return shuffle(sum, warp_size - 1);
}

/// The sum of the parts of a row that the runs `first` … `last` have, for one right-hand side; in
/// lane 0. All lanes of the warp take part.
template <int num_rhs, int rhs_group, typename Value>
[[gnu::always_inline]] inline Value sum_of_parts(const Value* open_sum, const Value* end_sum,
                                                 long first, long last, int rhs) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    Value sum = {};
    for (long run = first + lane; run < last; run += warp_size) {
        sum = add(sum, open_sum[element_of<num_rhs, rhs_group>(run) + rhs]);
    }
    return add(subwarp_sum<warp_size>(sum), end_sum[element_of<num_rhs, rhs_group>(last) + rhs]);
}

/// Leaves what a run has of cut rows, and stores those that are complete with it. `open` of lane r
/// is the sum, for right-hand side r, of the row that is open as the run ends, which has number
/// at.number; if a row has ended in it, end_sum has the first. All lanes of the warp take part.
template <scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int gaps, typename Value, typename Vector, typename Index>
[[gnu::always_inline]] inline void join_runs(long run, long first_number, run_state at,
                                             long num_filled, Value open,
                                             const Index* cut_first_run, const Index* cut_last_run,
                                             const Index* filled_rows, Value* open_sum,
                                             Value* end_sum, unsigned long long* arrived, Vector* y,
                                             Vector alpha, Vector beta) {
    constexpr int groups = num_rhs / rhs_group;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    // The run in which the row begins that is cut where this one begins or ends; -1: none is.
    const long head_first = cut_first_run[run];
    const long open_first = cut_first_run[run + 1];
    const long open_last = cut_last_run[run + 1];
    const bool ends_row = head_first >= 0 && (at.has_head || open_first < 0);
    const bool leaves_row = open_first >= 0;
    if (lane < rhs_group) {
        const long place = element_of<num_rhs, rhs_group>(run) + lane;
        if (ends_row && !at.has_head) {
            end_sum[place] = open;
        }
        if (leaves_row) {
            open_sum[place] = open;
        }
    }
    if (!leaves_row && at.has_head && at.number < num_filled && lane < rhs_group) {
        const long row = row_of<gaps>(filled_rows, at.number);
        store<alpha_mode, beta_mode, has_epilogue>(y, element_of<num_rhs, rhs_group>(row) + lane,
                                                   open, alpha, beta, row);
    }
    if (!ends_row && !leaves_row) {
        return;
    }
    warp_barrier();
    device_fence();
    // Lane 0 arrives for the row that ends, lane 1 for the one that is left open.
    const long first = lane == 0 ? head_first : open_first;
    const long others = (lane == 0 ? run : open_last) - first;
    bool is_last = false;
    if ((lane == 0 && ends_row) || (lane == 1 && leaves_row)) {
        unsigned long long* counter = arrived + first * groups + blockIdx.y;
        is_last = atomicAdd(counter, 1ull) == static_cast<unsigned long long>(others);
        if (is_last) {
            *counter = 0;
        }
    }
    if (!any_lane(is_last)) {
        return;
    }
    device_fence();
    warp_barrier();
    for (int which = 0; which < 2; ++which) {
        if (shuffle(static_cast<int>(is_last), which) != 0) {
            const long from = shuffle(first, which);
            const long to = from + shuffle(others, which);
            const long row = row_of<gaps>(filled_rows, which == 0 ? first_number : at.number);
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                const Value sum =
                    sum_of_parts<num_rhs, rhs_group>(open_sum, end_sum, from, to, rhs);
                if (lane == 0) {
                    store<alpha_mode, beta_mode, has_epilogue>(
                        y, element_of<num_rhs, rhs_group>(row) + rhs, sum, alpha, beta, row);
                }
            }
        }
    }
}

/// The warp's run number `this_run`: y = αAx + βy for the rows that begin and end in it, and its
/// part of those that it shares with others. `part` has `staged` places for this warp alone. All
/// lanes of the warp take part.
template <scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          int items, int run, int staged, int gaps, int value_code, int hubs, int warm,
          typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_run(
    long this_run, long num_tiles, long num_filled, const Index* tile_row,
    const unsigned char* row_marks, const Index* col_idx, const Storage* values,
    const unsigned char* coded_values, const Index* cut_first_run, const Index* cut_last_run,
    const Index* filled_rows, const Vector* hub_x, const Vector* hot_x, const Vector* x, Vector* y,
    Vector alpha, Vector beta, Value* part, Value* open_sum, Value* end_sum,
    unsigned long long* arrived) {
    constexpr int size = warp_size * items;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const long begin = this_run * run;
    const long end = begin + run < num_tiles ? begin + run : num_tiles;
    const long first_number = tile_row[begin];
    run_state at = {first_number, false};
    Value open = {};  // of lane r: the sum, for right-hand side r, of the row that is open
    for (long tile = begin; tile < end; ++tile) {
        const long first = tile * size + lane;
        Index col[items];
        Value value[items];
        for (int k = 0; k < items; ++k) {
            col[k] = load_stream(col_idx + first + k * warp_size);
        }
        const unsigned marks = load_marks<items>(row_marks, tile);
        for (int k = 0; k < items; ++k) {
            value[k] = coded_value<value_code, Value>(values, coded_values, first + k * warp_size);
        }
        int ended = 0;
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            Vector factor[items];
            for (int k = 0; k < items; ++k) {
                factor[k] = load_x<hubs, warm, num_rhs, rhs_group>(hub_x, hot_x, x, col[k], rhs);
            }
            if (rhs == 0) {
                // While x is on its way.
                ended = warp_prefix(count_bits(marks));
            }
            Value product[items];
            for (int k = 0; k < items; ++k) {
                product[k] = multiply(value[k], converted<Value>(factor[k]));
            }
            const Value left = end_rows<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue,
                                        items, staged, gaps>(
                product, marks, ended - count_bits(marks), ended, at, rhs, shuffle(open, rhs),
                end_sum + element_of<num_rhs, rhs_group>(this_run) + rhs, part, filled_rows, y,
                alpha, beta);
            if (lane == rhs) {
                open = left;
            }
        }
        const int rows = shuffle(ended, warp_size - 1);
        at.number += rows;
        at.has_head = at.has_head || rows > 0;
    }
    join_runs<alpha_mode, beta_mode, num_rhs, rhs_group, has_epilogue, gaps>(
        this_run, first_number, at, num_filled, open, cut_first_run, cut_last_run, filled_rows,
        open_sum, end_sum, arrived, y, alpha, beta);
}

/// y = epilogue(βy) for the empty row that the thread finds at place `i`, if there is one.
template <scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue, typename Vector,
          typename Index>
[[gnu::always_inline]] inline void store_empty_row(long i, long num_empty, const Index* empty_rows,
                                                   Vector* y, Vector beta) {
    if (i < num_empty) {
        const Vector sum[rhs_group] = {};
        store_row<scale::zero, beta_mode, num_rhs, rhs_group, has_epilogue>(y, empty_rows[i], sum,
                                                                            beta, beta);
    }
}
