// What the kernels of format `tiles` share: how a warp multiplies a run of tiles.
#pragma once
#include "dialect/formats/tiles_format.hpp"
#include "dialect/gpu_coded_values.hpp"
#include "dialect/gpu_meetings.hpp"

/// What all tiles of a matrix have in common, and the product: the kernel's parameters.
template <scale alpha_is, scale beta_is, int all_rhs, int rhs_of_thread, bool epilogue,
          int lane_items, int tiles_of_run, int staged_sums, int has_gaps, int value_coding,
          int hub_columns, int warm_columns>
struct tile_shape {
    static constexpr scale alpha_mode = alpha_is;
    static constexpr scale beta_mode = beta_is;
    static constexpr int num_rhs = all_rhs;
    static constexpr int rhs_group = rhs_of_thread;
    static constexpr bool has_epilogue = epilogue;
    static constexpr int items = lane_items;  ///< entries of a lane
    static constexpr int run = tiles_of_run;
    static constexpr int staged = staged_sums;  ///< that a warp keeps in shared memory
    static constexpr int gaps = has_gaps;
    static constexpr int value_code = value_coding;  ///< coded_values.hpp
    static constexpr int hubs = hub_columns;
    static constexpr int warm = warm_columns;
};

/// The arrays of a matrix in tiles: docs/explanation/tiles.md.
template <typename Storage, typename Index>
struct tiles_view {
    const Index* tile_row;
    const unsigned char* row_marks;
    const Index* col_idx;
    const Storage* values;
    const unsigned char* coded_values;
    const Index* cut_first_run;
    const Index* cut_last_run;
    const Index* filled_rows;
    long num_tiles;
    long num_filled;
};

/// x: of the hubs in shared memory, of hubs and warm columns side by side, and all of it.
template <typename Vector>
struct x_view {
    const Vector* hub_x;
    const Vector* hot_x;
    const Vector* x;
};

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
        const bool ends = ((marks >> k) & 1u) != 0;
        if (ends && static_cast<unsigned>(place) < static_cast<unsigned>(staged)) {
            part[place] = sum;
        }
        if (ends) {
            sum = Value{};
        }
        place += ends ? 1 : 0;
        sum = add(sum, product[k]);
    }
    return sum;
}

/// The element of x for one right-hand side that a stored column stands for: the `hubs` most used
/// columns come first and lie in shared memory, the `warm` next ones lie side by side in hot_x
/// behind them, and all columns, counted from hubs + warm on, in x.
template <typename Shape, typename Vector, typename Index>
[[gnu::always_inline]] inline Vector load_x(const x_view<Vector>& from, Index code, int rhs) {
    constexpr int hot = Shape::hubs + Shape::warm;
    if constexpr (Shape::hubs > 0) {
        if (code < Shape::hubs) {
            return load_shared(from.hub_x + code * Shape::rhs_group + rhs);
        }
    }
    if constexpr (Shape::warm > 0) {
        if (code < hot) {
            return from.hot_x[element_of<Shape::num_rhs, Shape::rhs_group>(code) + rhs];
        }
    }
    return from.x[element_of<Shape::num_rhs, Shape::rhs_group>(code - hot) + rhs];
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

/// What a warp knows of its run.
struct run_state {
    long run;           ///< its number
    long first_number;  ///< of the row that is open as it begins
    long head_first;    ///< the first run of that row, when it is cut there; else -1
    long open_first;    ///< the first and the last run of the row that is cut where it ends, or -1
    long open_last;
    long number;    ///< of the row that is open
    bool has_head;  ///< a row has ended in the run
};

/// Stores y for the ended rows `first`, first + warp_size, … below `count`, whose sums are in
/// part[]; row 0 has the number `number`. The epilogue's operands of as many rows as a lane mostly
/// has are loaded before the first is stored, for no compiler knows that they lie apart.
template <typename Shape, typename Value, typename Vector, typename Index>
[[gnu::always_inline]] inline void store_ended_rows(const Value* part, int first, int count,
                                                    long number, const Index* filled_rows,
                                                    const result_view<Vector>& result) {
    constexpr int most = 4;  // more take registers that x needs
    constexpr int mostly = Shape::staged / warp_size;
    constexpr int at_once = mostly < 1 ? 1 : mostly < most ? mostly : most;
    for (int i = first; i < count; i += at_once * warp_size) {
        long row[at_once];
        for (int u = 0; u < at_once; ++u) {
            const int place = i + u * warp_size;
            row[u] = row_of<Shape::gaps>(filled_rows, number + (place < count ? place : i));
        }
        row_operands<Vector> operands[at_once];
        for (int u = 0; u < at_once; ++u) {
            operands[u] = load_operands<Vector>(row[u]);
        }
        for (int u = 0; u < at_once; ++u) {
            if (i + u * warp_size < count) {
                store_loaded<Shape::alpha_mode, Shape::beta_mode>(
                    result.y, row[u], part[i + u * warp_size], result.alpha, result.beta,
                    operands[u], row[u]);
            }
        }
    }
}

/// Stores y of one right-hand side for the rows that the tile ends; but the sum of the run's first,
/// which another run may have begun, goes to part[staged + rhs]. `ended` counts the marks of the
/// lane and of those below it. `open` is what the row has so far that is open as the tile begins;
/// returns what the one has that is open as it ends. All lanes of the warp take part.
template <typename Shape, typename Value, typename Vector, typename Index>
[[gnu::always_inline]] inline Value end_rows(const Value* product, unsigned marks, int ended,
                                             run_state at, int rhs, Value open, Value* part,
                                             const Index* filled_rows,
                                             const result_view<Vector>& result) {
    const int before = ended - count_bits(marks);
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int rows = shuffle(ended, warp_size - 1);
    Value sum = walk_items<Shape::items, Shape::staged>(product, marks, before, part);
    if (lane == 0 && ended == 0) {
        sum = add(open, sum);
    }
    sum = segment_prefix(sum, ended);
    Value begun = shuffle_up(sum, 1);
    if (lane == 0) {
        begun = open;
    }
    // Once, unless rows are very short.
    for (int base = 0; base < rows; base += Shape::staged) {
        const int place = before - base;
        if (base > 0) {
            walk_items<Shape::items, Shape::staged>(product, marks, place, part);
        }
        if (marks != 0 && static_cast<unsigned>(place) < static_cast<unsigned>(Shape::staged)) {
            part[place] = add(begun, part[place]);
        }
        warp_barrier();
        const bool skips_first = base == 0 && !at.has_head;
        if (skips_first && lane == 0) {
            part[Shape::staged + rhs] = part[0];
        }
        const int count = rows - base < Shape::staged ? rows - base : Shape::staged;
        if constexpr (Shape::has_epilogue && loads_operands) {
            store_ended_rows<Shape>(part, skips_first ? lane + 1 : lane, count, at.number + base,
                                    filled_rows, result);
        } else {
            for (int i = skips_first ? lane + 1 : lane; i < count; i += warp_size) {
                const long row = row_of<Shape::gaps>(filled_rows, at.number + base + i);
                store<Shape::alpha_mode, Shape::beta_mode, Shape::has_epilogue>(
                    result.y, element_of<Shape::num_rhs, Shape::rhs_group>(row) + rhs, part[i],
                    result.alpha, result.beta, row);
            }
        }
        warp_barrier();
    }
    return shuffle(sum, warp_size - 1);
}

/// What is left when a run has ended: the row that was open as it began, if it has ended and others
/// have parts of it, and the one that is open now. part[staged + r] and `open` of lane r are their
/// sums for right-hand side r. All lanes of the warp take part.
template <typename Shape, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void end_run(const tiles_view<Storage, Index>& tiles, run_state at,
                                           Value open, const Value* part,
                                           unsigned long long* meetings,
                                           const result_view<Vector>& result) {
    constexpr int lanes = meeting_words<Value> == 1 ? 1 : 2;  // of a sum
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int rhs = lane / lanes % Shape::rhs_group;
    const bool is_head = lane < lanes * Shape::rhs_group;
    Value sum = shuffle(open, rhs);
    if (is_head && at.has_head) {
        sum = part[Shape::staged + rhs];
    }
    bool joins = false;
    parts_view parts = {.meetings = meetings, .own = at.run, .first = at.run, .last = at.run};
    if (is_head) {
        joins = at.head_first >= 0 && (at.has_head || at.open_first < 0);
        parts.first = at.head_first;
    } else if (lane < 2 * lanes * Shape::rhs_group) {
        // A row that begins and ends here, but with the last entry, is its only part.
        joins = at.open_first >= 0 || (at.has_head && at.number < tiles.num_filled);
        parts.first = at.open_first >= 0 ? at.open_first : at.run;
        parts.last = at.open_first >= 0 ? at.open_last : at.run;
    }
    if (joins) {
        const long row =
            row_of<Shape::gaps>(tiles.filled_rows, is_head ? at.first_number : at.number);
        join_row<Shape::alpha_mode, Shape::beta_mode, Shape::num_rhs, Shape::rhs_group,
                 Shape::has_epilogue>(sum, lane % lanes, rhs, row, parts, result);
    }
}

/// The warp's run number `this_run`: y = αAx + βy for the rows that begin and end in it, and its
/// part of those that it shares with others. `part` has staged + rhs_group places for this warp
/// alone. All lanes of the warp take part.
template <typename Shape, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_run(long this_run,
                                                const tiles_view<Storage, Index>& tiles,
                                                const x_view<Vector>& from, Value* part,
                                                unsigned long long* meetings,
                                                const result_view<Vector>& result) {
    constexpr int size = warp_size * Shape::items;
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const long begin = this_run * Shape::run;
    const long end = begin + Shape::run < tiles.num_tiles ? begin + Shape::run : tiles.num_tiles;
    const long first_number = tiles.tile_row[begin];
    run_state at = {this_run,
                    first_number,
                    tiles.cut_first_run[this_run],
                    tiles.cut_first_run[this_run + 1],
                    tiles.cut_last_run[this_run + 1],
                    first_number,
                    false};
    Value open = {};  // of lane r: the sum, for right-hand side r, of the row that is open
    for (long tile = begin; tile < end; ++tile) {
        const long first = tile * size + lane;
        Index col[Shape::items];
        Value value[Shape::items];
        for (int k = 0; k < Shape::items; ++k) {
            col[k] = load_stream(tiles.col_idx + first + k * warp_size);
        }
        const unsigned marks = load_marks<Shape::items>(tiles.row_marks, tile);
        for (int k = 0; k < Shape::items; ++k) {
            value[k] = coded_value<Shape::value_code, Value>(tiles.values, tiles.coded_values,
                                                             first + k * warp_size);
        }
        int ended = 0;
        for (int rhs = 0; rhs < Shape::rhs_group; ++rhs) {
            Vector factor[Shape::items];
            for (int k = 0; k < Shape::items; ++k) {
                factor[k] = load_x<Shape>(from, col[k], rhs);
            }
            if (rhs == 0) {
                // While x is on its way.
                ended = warp_prefix(count_bits(marks));
            }
            Value product[Shape::items];
            for (int k = 0; k < Shape::items; ++k) {
                product[k] = multiply(value[k], converted<Value>(factor[k]));
            }
            const Value left = end_rows<Shape>(product, marks, ended, at, rhs, shuffle(open, rhs),
                                               part, tiles.filled_rows, result);
            if (lane == rhs) {
                open = left;
            }
        }
        const int rows = shuffle(ended, warp_size - 1);
        at.number += rows;
        at.has_head = at.has_head || rows > 0;
    }
    end_run<Shape>(tiles, at, open, part, meetings, result);
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
