// What the kernels of format `tiles` share: how a warp multiplies a run of tiles, and how rows that
// runs have cut are put together.
//
// Cut rows: the parts of a row are the leaves of a binary tree. Whoever comes first to a place
// where two subtrees meet leaves its sum there, in one atomic exchange, and is done; whoever comes
// second finds it, empties the place and goes on with both. Nobody waits, no fence empties the L1
// cache, and the bits of y do not depend on who comes when.
#pragma once
#include "dialect/formats/tiles_format.hpp"
#include "dialect/gpu_coded_values.hpp"

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

/// y, and what it is computed with.
template <typename Vector>
struct result_view {
    Vector* y;
    Vector alpha;
    Vector beta;
    long ld_y;  ///< distance of rows or columns where several vectors lie apart
};

/// A row of which the parts first … last have sums, one of them this warp's or block's own.
struct parts_view {
    unsigned long long* meetings;
    long own;
    long first;
    long last;
};

/// Threads of the launch that gathers x.
constexpr int gather_block = 256;

/// The bits of a sum that stands for none where sums meet: those of a NaN.
constexpr unsigned long long no_sum = 0x7ffdbeef7ffdbeefull;

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
        for (int i = skips_first ? lane + 1 : lane; i < count; i += warp_size) {
            const long row = row_of<Shape::gaps>(filled_rows, at.number + base + i);
            store<Shape::alpha_mode, Shape::beta_mode, Shape::has_epilogue>(
                result.y, element_of<Shape::num_rhs, Shape::rhs_group>(row) + rhs, part[i],
                result.alpha, result.beta, row);
        }
        warp_barrier();
    }
    return shuffle(sum, warp_size - 1);
}

/// The sum as a number that is not 0, and back. A NaN of one payload comes back with another one.
template <typename Value>
[[gnu::always_inline]] inline unsigned long long meeting_key(Value sum) {
    if constexpr (is_complex<Value>) {
        const unsigned long long im = __float_as_uint(sum.im);
        const unsigned long long key = (im << 32 | __float_as_uint(sum.re)) ^ no_sum;
        return key != 0 ? key : 1;
    } else if constexpr (is_same<Value, float>) {
        return 1ull << 32 | __float_as_uint(sum);
    } else {
        const unsigned long long bits = static_cast<unsigned long long>(__double_as_longlong(sum));
        return bits != no_sum ? bits ^ no_sum : 1;
    }
}
template <typename Value>
[[gnu::always_inline]] inline Value sum_of_key(unsigned long long key) {
    if constexpr (is_complex<Value>) {
        const unsigned long long bits = key ^ no_sum;
        return {__uint_as_float(static_cast<unsigned>(bits)),
                __uint_as_float(static_cast<unsigned>(bits >> 32))};
    } else if constexpr (is_same<Value, float>) {
        return __uint_as_float(static_cast<unsigned>(key));
    } else {
        return __longlong_as_double(static_cast<long long>(key ^ no_sum));
    }
}

/// What the first of two has left in *meeting, for the second, who empties it; else 0, and the
/// first has left its key.
[[gnu::always_inline]] inline unsigned long long meet(unsigned long long* meeting,
                                                      unsigned long long key) {
    const unsigned long long other = atomicExch(meeting, key);
    if (other != 0) {
        *meeting = 0;
    }
    return other;
}

/// Adds to *sum, what run `run` has of a row that the runs `first` … `last` share, the sums of all
/// others, and says true; or leaves *sum for another run and says false. `stride` words of
/// `meetings` belong to a run.
template <int stride, typename Value>
[[gnu::always_inline]] inline bool completes_row(Value* sum, long run, long first, long last,
                                                 unsigned long long* meetings) {
    const long place = run - first;
    for (long width = 1; width <= last - first; width *= 2) {
        // Of two neighbouring subtrees of this width, the right one's first run names the place.
        const bool is_right = (place & width) != 0;
        const long right = is_right ? place & -width : (place & -width) + width;
        if (first + right <= last) {
            const unsigned long long other =
                meet(meetings + (first + right) * stride, meeting_key(*sum));
            if (other == 0) {
                return false;
            }
            *sum = add(*sum, sum_of_key<Value>(other));
        }
    }
    return true;
}

/// Words of `meetings` for each run and right-hand side.
template <typename Value>
inline constexpr int meeting_words = is_same<Value, complex_f64> ? 3 : 1;

/// Where number `rhs` of the thread's group is in row `row` of vectors of that form.
template <vector_form form, int num_rhs, int rhs_group>
[[gnu::always_inline]] inline long element_in(long row, int rhs, long ld) {
    if constexpr (form == vector_form::dense) {
        return element_of<num_rhs, rhs_group>(row) + rhs;
    } else {
        return element_apart<form, num_rhs, rhs_group>(row, rhs, ld);
    }
}

/// y of one right-hand side for a row of which this warp or block has the part `sum`; whoever
/// completes it. A complex_f64 takes two lanes, for its parts `component` 0 and 1.
template <scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          vector_form y_form = vector_form::dense, typename Value, typename Vector>
[[gnu::always_inline]] inline void join_row(Value sum, int component, int rhs, long row,
                                            const parts_view& parts,
                                            const result_view<Vector>& result) {
    constexpr int words = meeting_words<Value>;
    constexpr int stride = words * num_rhs;
    const long i = element_in<y_form, num_rhs, rhs_group>(row, rhs, result.ld_y);
    unsigned long long* places =
        parts.meetings + element_of<num_rhs, rhs_group>(0) * words + rhs * words;
    if constexpr (words == 1) {
        if (completes_row<stride>(&sum, parts.own, parts.first, parts.last, places)) {
            store<alpha_mode, beta_mode, has_epilogue>(result.y, i, sum, result.alpha, result.beta,
                                                       row);
        }
    } else {
        double own_part = component == 0 ? sum.re : sum.im;
        if (completes_row<stride>(&own_part, parts.own, parts.first, parts.last,
                                  places + component)) {
            // The two parts meet as well.
            const unsigned long long other =
                meet(places + parts.first * stride + 2, meeting_key(own_part));
            if (other != 0) {
                const double other_part = sum_of_key<double>(other);
                sum.re = component == 0 ? own_part : other_part;
                sum.im = component == 0 ? other_part : own_part;
                store<alpha_mode, beta_mode, has_epilogue>(result.y, i, sum, result.alpha,
                                                           result.beta, row);
            }
        }
    }
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
