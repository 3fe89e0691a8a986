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
struct alignas(8) f32_pair {
    float first;
    float second;
};

/// How many numbers one instruction moves of rows of `num_rhs` numbers, of which a lane has
/// `rhs_group`, where x and y begin at a multiple of 16 bytes: as many as 16 bytes hold, or half of
/// that, where they divide both.
template <int num_rhs, int rhs_group, typename Vector>
inline constexpr int chunk =
    is_same<Vector, float> && num_rhs % 4 == 0 && rhs_group % 4 == 0 ? 4
    : (is_same<Vector, double> || is_same<Vector, float>) && num_rhs % 2 == 0 && rhs_group % 2 == 0
        ? 2
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
    if constexpr (num_rhs <= rhs_group * rhs_lanes) {
        return own;
    } else {
        return static_cast<long>(blockIdx.y) * (rhs_group * rhs_lanes) + own;
    }
}

/// Whether lanes that share a row of x and y have places for more numbers than it has.
template <int num_rhs, int rhs_group, int rhs_lanes>
inline constexpr bool has_empty_places = num_rhs < rhs_group * rhs_lanes;

/// Right-hand sides that lanes which share an entry have together.
template <int num_rhs, int rhs_group, int rhs_lanes>
inline constexpr int numbers_together =
    has_empty_places<num_rhs, rhs_group, rhs_lanes> ? num_rhs : rhs_group * rhs_lanes;

/// Whether the lane has a number i there, and what one instruction moves with it.
template <int num_rhs, int rhs_group, int rhs_lanes, typename Vector>
[[gnu::always_inline]] inline bool is_in_row(int i) {
    return first_place<num_rhs, rhs_group, rhs_lanes, Vector>(static_cast<int>(threadIdx.x)) +
               place_of<num_rhs, rhs_group, rhs_lanes, Vector>(i) <
           num_rhs;
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

/// to[i] = from[i] for as many numbers as one instruction moves.
template <int numbers, typename Vector>
[[gnu::always_inline]] inline void load_chunk(Vector* to, const Vector* from) {
    if constexpr (numbers == 1) {
        *to = *from;
    } else if constexpr (is_same<Vector, double>) {
        const f64_pair pair = *reinterpret_cast<const f64_pair*>(from);
        to[0] = pair.first;
        to[1] = pair.second;
    } else if constexpr (numbers == 2) {
        const f32_pair pair = *reinterpret_cast<const f32_pair*>(from);
        to[0] = pair.first;
        to[1] = pair.second;
    } else {
        const f32_quad quad = *reinterpret_cast<const f32_quad*>(from);
        to[0] = quad.first;
        to[1] = quad.second;
        to[2] = quad.third;
        to[3] = quad.fourth;
    }
}

/// What load_piece says where rows have empty places.
template <bool wide, vector_form form, int num_rhs, int rhs_group, int rhs_lanes, typename Vector>
[[gnu::always_inline]] inline void load_partial_piece(Vector* to, const Vector* from, long ld) {
    constexpr int numbers = wide ? chunk<num_rhs, rhs_group, Vector> : 1;
    for (int c = 0; c < rhs_group / numbers; ++c) {
        if (is_in_row<num_rhs, rhs_group, rhs_lanes, Vector>(c * numbers)) {
            load_chunk<numbers>(
                to + c * numbers,
                place_at<form>(from, place_of<num_rhs, rhs_group, rhs_lanes, Vector>(c * numbers),
                               ld));
        }
    }
}

/// to[i] = the lane's number i of a row, the first of which is at `from`; with `wide` in loads of
/// 16 bytes. Where the lane has none, to[i] stays.
template <bool wide, vector_form form, int num_rhs, int rhs_group, int rhs_lanes, typename Vector>
[[gnu::always_inline]] inline void load_piece(Vector* to, const Vector* from, long ld) {
    if constexpr (has_empty_places<num_rhs, rhs_group, rhs_lanes>) {
        load_partial_piece<wide, form, num_rhs, rhs_group, rhs_lanes>(to, from, ld);
    } else if constexpr (wide) {
        constexpr int numbers = chunk<num_rhs, rhs_group, Vector>;
        for (int i = 0; i < rhs_group / numbers; ++i) {
            load_chunk<numbers>(to + numbers * i, from + i * (rhs_lanes * numbers));
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

/// Stores at `to` what one instruction moves, which is not read soon: a hint to keep x in the caches.
[[gnu::always_inline]] inline void store_f64_pair(f64_pair* to, double first, double second) {
    if constexpr (nvidia) {
        store_stream_f64_pair(to, first, second);
    } else {
        *to = {first, second};
    }
}
[[gnu::always_inline]] inline void store_f32_pair(f32_pair* to, float first, float second) {
    if constexpr (nvidia) {
        store_stream_f32_pair(to, first, second);
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

/// The opposite of load_chunk.
template <int numbers, typename Vector>
[[gnu::always_inline]] inline void store_chunk(Vector* to, const Vector* from) {
    if constexpr (numbers == 1) {
        *to = *from;
    } else if constexpr (is_same<Vector, double>) {
        store_f64_pair(reinterpret_cast<f64_pair*>(to), from[0], from[1]);
    } else if constexpr (numbers == 2) {
        store_f32_pair(reinterpret_cast<f32_pair*>(to), from[0], from[1]);
    } else {
        store_quad(reinterpret_cast<f32_quad*>(to), from);
    }
}

/// What store_piece says where rows have empty places.
template <bool wide, vector_form form, int num_rhs, int rhs_group, int rhs_lanes, typename Vector>
[[gnu::always_inline]] inline void store_partial_piece(Vector* to, const Vector* from, long ld) {
    constexpr int numbers = wide ? chunk<num_rhs, rhs_group, Vector> : 1;
    for (int c = 0; c < rhs_group / numbers; ++c) {
        if (is_in_row<num_rhs, rhs_group, rhs_lanes, Vector>(c * numbers)) {
            store_chunk<numbers>(
                place_at<form>(to, place_of<num_rhs, rhs_group, rhs_lanes, Vector>(c * numbers),
                               ld),
                from + c * numbers);
        }
    }
}

/// The opposite of load_piece: the lane's number i of a row is from[i].
template <bool wide, vector_form form, int num_rhs, int rhs_group, int rhs_lanes, typename Vector>
[[gnu::always_inline]] inline void store_piece(Vector* to, const Vector* from, long ld) {
    if constexpr (has_empty_places<num_rhs, rhs_group, rhs_lanes>) {
        store_partial_piece<wide, form, num_rhs, rhs_group, rhs_lanes>(to, from, ld);
    } else if constexpr (wide) {
        constexpr int numbers = chunk<num_rhs, rhs_group, Vector>;
        for (int i = 0; i < rhs_group / numbers; ++i) {
            store_chunk<numbers>(to + i * (rhs_lanes * numbers), from + numbers * i);
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
