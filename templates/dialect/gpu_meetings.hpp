// How the parts of a row that warps or blocks have cut are put together, without atomic sums.
//
// The parts of a row are the leaves of a binary tree. Whoever comes first to a place where two
// subtrees meet leaves its sum there, in one atomic exchange, and is done; whoever comes second
// finds it, empties the place and goes on with both. Nobody waits, no fence empties the L1 cache,
// and the bits of y do not depend on who comes when.
#pragma once
#include "dialect/gpu.hpp"

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

/// The bits of a sum that stands for none where sums meet: those of a NaN.
constexpr unsigned long long no_sum = 0x7ffdbeef7ffdbeefull;

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
    const unsigned long long left = atomicExch(meeting, key);
    if (left != 0) {
        meeting[0] = 0;
    }
    return left;
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
