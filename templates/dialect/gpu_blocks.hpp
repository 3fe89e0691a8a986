// What the kernels of BCSR share: products of dense blocks.
//
// Format:     block row b has rows b·r …; its blocks are block_ptr[b] … block_ptr[b+1]-1. col_idx
//             has each block's first column, a multiple of c, but for the blocks at the right edge,
//             which begin c columns before it. Blocks are stored 32 at a time: element i·c + j of
//             block k is at ((k / 32)·r·c + i·c + j)·32 + k % 32, so that neighbouring lanes with
//             neighbouring blocks load neighbouring values. Bit i·c + j of block_masks tells
//             whether the matrix has element (i, j), and not only fill.
// Fill:       a zero of fill must not meet an infinite x, for 0 · Inf is NaN. With finite x it
//             changes no sum. So a lane's blocks are multiplied with their fill, and only when one
//             of the lane's sums is NaN they are multiplied again without, by the masks; they are
//             not read otherwise.
#pragma once
#include "dialect/gpu_rows.hpp"

/// Blocks that are stored together.
constexpr int tile_blocks = 32;

/// Where element 0 of block k is stored; the others follow tile_blocks elements apart.
template <int block_rows, int block_cols>
[[gnu::always_inline]] inline long place_of_block(long k) {
    return k / tile_blocks * (tile_blocks * block_rows * block_cols) + k % tile_blocks;
}

/// sum[rhs] += value · factor[rhs].
template <int rhs_group, typename Value, typename Vector>
[[gnu::always_inline]] inline void add_product(Value* sum, Value value, const Vector* factor) {
    for (int rhs = 0; rhs < rhs_group; ++rhs) {
        sum[rhs] = multiply_add(value, converted<Value>(factor[rhs]), sum[rhs]);
    }
}

/// sum[i][rhs] += the products of the blocks first, first + step, … below `end`, fill included; one
/// block after the other.
template <int block_rows, int block_cols, int step, int num_rhs, int rhs_group, vector_form x_form,
          typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void add_large_blocks(Value* sum, const Storage* values,
                                                    const Index* col_idx, const Vector* x,
                                                    long ld_x, long first, long end) {
    for (long k = first; k < end; k += step) {
        const long col = load_stream(col_idx + k);
        Vector factor[block_cols * rhs_group] = {};
        for (int j = 0; j < block_cols; ++j) {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                factor[j * rhs_group + rhs] =
                    x[element_in<x_form, num_rhs, rhs_group>(col + j, rhs, ld_x)];
            }
        }
        const Storage* block = values + place_of_block<block_rows, block_cols>(k);
        for (int i = 0; i < block_rows; ++i) {
            for (int j = 0; j < block_cols; ++j) {
                const Value value = load_value<Value>(block + (i * block_cols + j) * tile_blocks);
                add_product<rhs_group>(sum + i * rhs_group, value, factor + j * rhs_group);
            }
        }
    }
}

/// sum[i][rhs] += the products of the blocks first, first + step, … below `end`, fill included. Of
/// small blocks `batch` are loaded before the first is used.
template <int block_rows, int block_cols, int step, int batch, int num_rhs, int rhs_group,
          vector_form x_form, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void add_small_blocks(Value* sum, const Storage* values,
                                                    const Index* col_idx, const Vector* x,
                                                    long ld_x, long first, long end) {
    constexpr int size = block_rows * block_cols;
    constexpr int width = block_cols * rhs_group;
    for (long k = first; k < end; k += batch * step) {
        // Where there is no block, both factors are zero.
        Index col[batch] = {};
        Storage value[batch * size] = {};
        for (int u = 0; u < batch; ++u) {
            if (k + u * step < end) {
                const Storage* block =
                    values + place_of_block<block_rows, block_cols>(k + u * step);
                col[u] = load_stream(col_idx + k + u * step);
                for (int e = 0; e < size; ++e) {
                    value[u * size + e] = load_stored(block + e * tile_blocks);
                }
            }
        }
        Vector factor[batch * width] = {};
        for (int u = 0; u < batch; ++u) {
            if (k + u * step < end) {
                for (int j = 0; j < block_cols; ++j) {
                    for (int rhs = 0; rhs < rhs_group; ++rhs) {
                        factor[u * width + j * rhs_group + rhs] =
                            x[element_in<x_form, num_rhs, rhs_group>(static_cast<long>(col[u]) + j,
                                                                     rhs, ld_x)];
                    }
                }
            }
        }
        for (int u = 0; u < batch; ++u) {
            for (int i = 0; i < block_rows; ++i) {
                for (int j = 0; j < block_cols; ++j) {
                    add_product<rhs_group>(sum + i * rhs_group,
                                           widened<Value>(value[u * size + i * block_cols + j]),
                                           factor + (u * width + j * rhs_group));
                }
            }
        }
    }
}

/// sum[i][rhs] += the products of the blocks first, first + step, … below `end`, fill included. Up to
/// `unroll` are loaded before the first is used, as many as fit the registers.
template <int block_rows, int block_cols, int step, int unroll, int num_rhs, int rhs_group,
          vector_form x_form, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void add_blocks(Value* sum, const Storage* values,
                                              const Index* col_idx, const Vector* x, long ld_x,
                                              long first, long end) {
    constexpr int bytes = block_rows * block_cols * static_cast<int>(sizeof(Storage)) +
                          block_cols * rhs_group * static_cast<int>(sizeof(Vector));
    constexpr int most = 256 / bytes;
    if constexpr (unroll > 1 && most > 1) {
        constexpr int batch = unroll < most ? unroll : most;
        add_small_blocks<block_rows, block_cols, step, batch, num_rhs, rhs_group, x_form>(
            sum, values, col_idx, x, ld_x, first, end);
    } else {
        add_large_blocks<block_rows, block_cols, step, num_rhs, rhs_group, x_form>(
            sum, values, col_idx, x, ld_x, first, end);
    }
}

/// sum[i][rhs] += the products of the blocks first, first + step, … below `end`, without the
/// fill: x is read where the matrix has an element, and nowhere else.
template <int block_rows, int block_cols, int step, int num_rhs, int rhs_group, int rhs_lanes,
          vector_form x_form, typename Value, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void add_unfilled_blocks(Value* sum, const Storage* values,
                                                       const Index* col_idx,
                                                       const long* block_masks, const Vector* x,
                                                       long ld_x, long first, long end) {
    for (long k = first; k < end; k += step) {
        const long mask = block_masks[k];
        const Storage* block = values + place_of_block<block_rows, block_cols>(k);
        for (int i = 0; i < block_rows; ++i) {
            for (int j = 0; j < block_cols; ++j) {
                if ((mask >> (i * block_cols + j) & 1) != 0) {
                    const Value value =
                        load_value<Value>(block + (i * block_cols + j) * tile_blocks);
                    if constexpr (rhs_lanes == 1) {
                        for (int rhs = 0; rhs < rhs_group; ++rhs) {
                            sum[i * rhs_group + rhs] = multiply_add(
                                value,
                                converted<Value>(x[element_in<x_form, num_rhs, rhs_group>(
                                    static_cast<long>(col_idx[k]) + j, rhs, ld_x)]),
                                sum[i * rhs_group + rhs]);
                        }
                    } else {
                        // x begins with the lane's piece of its first row.
                        Vector factor[rhs_group] = {};
                        load_piece<false, x_form, num_rhs, rhs_group, rhs_lanes>(
                            factor,
                            row_at<x_form, num_rhs>(x, static_cast<long>(col_idx[k]) + j, ld_x),
                            ld_x);
                        add_product<rhs_group>(sum + i * rhs_group, value, factor);
                    }
                }
            }
        }
    }
}

/// sum[i][rhs] = the products of the blocks first, first + step, … below `end`, for the thread's
/// group of right-hand sides.
template <int block_rows, int block_cols, int step, int unroll, int num_rhs, int rhs_group,
          vector_form x_form = vector_form::dense, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_blocks(Value* sum, const Storage* values,
                                                   const Index* col_idx, const long* block_masks,
                                                   const Vector* x, long ld_x, long num_cols,
                                                   long first, long end) {
    constexpr int height = block_rows * rhs_group;
    // A matrix narrower than a block has no c neighbours of x.
    bool done = num_cols >= block_cols;
    if (done) {
        add_blocks<block_rows, block_cols, step, unroll, num_rhs, rhs_group, x_form>(
            sum, values, col_idx, x, ld_x, first, end);
        done = !has_nan<height>(sum);
    }
    if (!done) {
        for (int e = 0; e < height; ++e) {
            sum[e] = Value{};
        }
        add_unfilled_blocks<block_rows, block_cols, step, num_rhs, rhs_group, 1, x_form>(
            sum, values, col_idx, block_masks, x, ld_x, first, end);
    }
}

/// Adds to *sum what multiply_shared_blocks says, of the blocks that the lanes of a group have
/// loaded as value and col: those from number `from` on, `turns` in turn for each `rhs_lanes` lanes,
/// of which there are `left`.
template <bool wide, int width, int turns, int block_rows, int block_cols, int num_rhs,
          int rhs_group, int rhs_lanes, vector_form x_form, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_loaded_blocks(Value* sum, const Storage* value, Index col,
                                                     const Vector* x, long ld_x, int from,
                                                     long left) {
    constexpr int blocks = width / rhs_lanes;  // at a time
    constexpr int piece = block_cols * rhs_group;
    Vector factor[turns * piece] = {};
    for (int turn = 0; turn < turns; ++turn) {
        const int block = from + turn * blocks;
        const Index shared = shuffle<width>(col, block);
        if (left > block) {
            for (int j = 0; j < block_cols; ++j) {
                load_piece<wide, x_form, num_rhs, rhs_group, rhs_lanes>(
                    factor + turn * piece + j * rhs_group,
                    row_at<x_form, num_rhs>(x, static_cast<long>(shared) + j, ld_x), ld_x);
            }
        }
    }
    // Where there is no block, both factors are zero.
    for (int turn = 0; turn < turns; ++turn) {
        for (int i = 0; i < block_rows; ++i) {
            for (int j = 0; j < block_cols; ++j) {
                const Value shared =
                    value_of_lane<width, Value>(value[i * block_cols + j], from + turn * blocks);
                add_product<rhs_group>(sum + i * rhs_group, shared,
                                       factor + turn * piece + j * rhs_group);
            }
        }
    }
}

/// Adds to *sum what multiply_shared_blocks says, fill included. All lanes of the warp take part.
template <bool wide, int block_rows, int block_cols, int step, int unroll, int num_rhs,
          int rhs_group, int rhs_lanes, vector_form x_form, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void add_shared_blocks(Value* sum, const Storage* values,
                                                     const Index* col_idx, Index next_col,
                                                     const Vector* x, long ld_x, int lane,
                                                     long begin, long end) {
    constexpr int size = block_rows * block_cols;
    constexpr int width = step < warp_size ? step : warp_size;
    constexpr int turns = unroll < rhs_lanes ? unroll : rhs_lanes;
    constexpr int blocks = turns * (width / rhs_lanes);  // under way at a time
    const int own = lane % width;
    for (long first = begin + (lane - own); any_lane(first < end); first += step) {
        const Index col = next_col;
        Storage value[size] = {};
        const long k = first + own;
        next_col = {};
        if (k + step < end) {
            next_col = load_stream(col_idx + k + step);
        }
        if (k < end) {
            const Storage* block = values + place_of_block<block_rows, block_cols>(k);
            for (int e = 0; e < size; ++e) {
                value[e] = load_stored(block + e * tile_blocks);
            }
        }
        for (int from = 0; from < width; from += blocks) {
            if (any_lane(first + from < end)) {
                add_loaded_blocks<wide, width, turns, block_rows, block_cols, num_rhs, rhs_group,
                                  rhs_lanes, x_form>(sum, value, col, x, ld_x,
                                                     from + own / rhs_lanes, end - first);
            }
        }
    }
}

/// sum[i][rhs] = the products of the blocks begin … end-1 of a block row that the lane has, for its
/// piece of the right-hand sides. Each lane loads a block of its own, side by side, and hands it to
/// the `rhs_lanes` lanes that share it. `first_col` is the column of the lane's first block. All
/// lanes of the warp take part.
template <int block_rows, int block_cols, int step, int unroll, int num_rhs, int rhs_group,
          int rhs_lanes, vector_form x_form, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::always_inline]] inline void multiply_shared_blocks(Value* sum, const Storage* values,
                                                          const Index* col_idx, Index first_col,
                                                          const long* block_masks, const Vector* x,
                                                          long ld_x, long num_cols, int lane,
                                                          long begin, long end) {
    constexpr int height = block_rows * rhs_group;
    const Vector* piece =
        place_at<x_form>(x, first_place<num_rhs, rhs_group, rhs_lanes, Vector>(lane), ld_x);
    // A matrix narrower than a block has no c neighbours of x.
    bool done = num_cols >= block_cols;
    if (done) {
        bool wide = false;
        if constexpr (may_be_wide<x_form, num_rhs, rhs_group, Vector>) {
            wide = are_wide<x_form>(x, ld_x);
            if (wide) {
                add_shared_blocks<true, block_rows, block_cols, step, unroll, num_rhs, rhs_group,
                                  rhs_lanes, x_form>(sum, values, col_idx, first_col, piece, ld_x,
                                                     lane, begin, end);
            }
        }
        if (!wide) {
            add_shared_blocks<false, block_rows, block_cols, step, unroll, num_rhs, rhs_group,
                              rhs_lanes, x_form>(sum, values, col_idx, first_col, piece, ld_x, lane,
                                                 begin, end);
        }
        done = !has_nan<height>(sum);
    }
    if (!done) {
        for (int e = 0; e < height; ++e) {
            sum[e] = Value{};
        }
        // The same blocks as before: of each `step` those of the lane's warp.
        constexpr int width = step < warp_size ? step : warp_size;
        const int own = lane % width;
        for (long first = begin + (lane - own); first < end; first += step) {
            const long behind = first + width < end ? first + width : end;
            add_unfilled_blocks<block_rows, block_cols, width / rhs_lanes, num_rhs, rhs_group,
                                rhs_lanes, x_form>(sum, values, col_idx, block_masks, piece, ld_x,
                                                   first + own / rhs_lanes, behind);
        }
    }
}
