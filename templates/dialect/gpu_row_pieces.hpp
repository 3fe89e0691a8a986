// Rows of x and y with several right-hand sides, of which each lane has a piece.
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

/// How many numbers one instruction moves of rows of `num_rhs` numbers, of which a lane has
/// `rhs_group`: as many as 16 bytes hold, where x and y begin at a multiple of 16 bytes.
template <int num_rhs, int rhs_group, typename Vector>
inline constexpr int chunk = is_same<Vector, double> && num_rhs % 2 == 0 && rhs_group % 2 == 0  ? 2
                             : is_same<Vector, float> && num_rhs % 4 == 0 && rhs_group % 4 == 0 ? 4
                                                                                                : 1;

/// Where number i of the lane's right-hand sides is in a row of x or y, of `rhs_lanes` lanes that
/// share the row: chunks lie side by side, lane by lane, so that what one instruction moves has no
/// gaps.
template <int num_rhs, int rhs_group, int rhs_lanes, typename Vector>
[[gnu::always_inline]] inline int place_of(int i) {
    constexpr int numbers = chunk<num_rhs, rhs_group, Vector>;
    return i / numbers * (rhs_lanes * numbers) + i % numbers;
}

/// Where the lane's first right-hand side is in a row.
template <int num_rhs, int rhs_group, int rhs_lanes, typename Vector>
[[gnu::always_inline]] inline long first_place(int lane) {
    const int own = lane % rhs_lanes * chunk<num_rhs, rhs_group, Vector>;
    if constexpr (num_rhs == rhs_group * rhs_lanes) {
        return own;
    } else {
        return static_cast<long>(blockIdx.y) * (rhs_group * rhs_lanes) + own;
    }
}

/// Whether rows of x or y that begin at `first` can be moved 16 bytes at a time.
template <vector_form form, typename Vector>
[[gnu::always_inline]] inline bool are_wide(const Vector* first, long ld) {
    if constexpr (form == vector_form::dense) {
        return reinterpret_cast<unsigned long>(first) % 16 == 0;
    } else {
        return reinterpret_cast<unsigned long>(first) % 16 == 0 && ld * sizeof(Vector) % 16 == 0;
    }
}

/// The same of any row, where numbers of a row lie side by side at all.
template <vector_form form, int num_rhs, int rhs_group, typename Vector>
inline constexpr bool may_be_wide =
    form != vector_form::columns && chunk<num_rhs, rhs_group, Vector> > 1;

/// to[i] = the lane's number i of a row, the first of which is at `from`; with `wide` in loads of
/// 16 bytes.
template <bool wide, vector_form form, int num_rhs, int rhs_group, int rhs_lanes, typename Vector>
[[gnu::always_inline]] inline void load_piece(Vector* to, const Vector* from, long ld) {
    if constexpr (wide && is_same<Vector, double>) {
        for (int i = 0; i < rhs_group / 2; ++i) {
            const f64_pair pair = reinterpret_cast<const f64_pair*>(from)[i * rhs_lanes];
            to[2 * i] = pair.first;
            to[2 * i + 1] = pair.second;
        }
    } else if constexpr (wide && is_same<Vector, float>) {
        for (int i = 0; i < rhs_group / 4; ++i) {
            const f32_quad quad = reinterpret_cast<const f32_quad*>(from)[i * rhs_lanes];
            to[4 * i] = quad.first;
            to[4 * i + 1] = quad.second;
            to[4 * i + 2] = quad.third;
            to[4 * i + 3] = quad.fourth;
        }
    } else if constexpr (form == vector_form::columns) {
        for (int i = 0; i < rhs_group; ++i) {
            to[i] = from[place_of<num_rhs, rhs_group, rhs_lanes, Vector>(i) * ld];
        }
    } else {
        for (int i = 0; i < rhs_group; ++i) {
            to[i] = from[place_of<num_rhs, rhs_group, rhs_lanes, Vector>(i)];
        }
    }
}

/// Stores what 16 bytes hold at `to`, a number that is not read soon: a hint to keep x in the caches.
[[gnu::always_inline]] inline void store_pair(f64_pair* to, double first, double second) {
    if constexpr (nvidia) {
        store_stream_f64_pair(to, first, second);
    } else {
        *to = {first, second};
    }
}
[[gnu::always_inline]] inline void store_quad(f32_quad* to, const float* from) {
    if constexpr (nvidia) {
        store_stream_f32_quad(to, from[0], from[1], from[2], from[3]);
    } else {
        *to = {from[0], from[1], from[2], from[3]};
    }
}

/// The opposite: the lane's number i of a row is from[i].
template <bool wide, vector_form form, int num_rhs, int rhs_group, int rhs_lanes, typename Vector>
[[gnu::always_inline]] inline void store_piece(Vector* to, const Vector* from, long ld) {
    if constexpr (wide && is_same<Vector, double>) {
        for (int i = 0; i < rhs_group / 2; ++i) {
            store_pair(reinterpret_cast<f64_pair*>(to) + i * rhs_lanes, from[2 * i],
                       from[2 * i + 1]);
        }
    } else if constexpr (wide && is_same<Vector, float>) {
        for (int i = 0; i < rhs_group / 4; ++i) {
            store_quad(reinterpret_cast<f32_quad*>(to) + i * rhs_lanes, from + 4 * i);
        }
    } else if constexpr (form == vector_form::columns) {
        for (int i = 0; i < rhs_group; ++i) {
            to[place_of<num_rhs, rhs_group, rhs_lanes, Vector>(i) * ld] = from[i];
        }
    } else {
        for (int i = 0; i < rhs_group; ++i) {
            to[place_of<num_rhs, rhs_group, rhs_lanes, Vector>(i)] = from[i];
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
