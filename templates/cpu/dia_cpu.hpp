// DIA in tiles: diagonals, cut where they have holes.
//
// What:       the rows of a tile go through its pieces of diagonals one after another, each with
//             vectors over neighbouring rows; their sums stay in the first cache. Columns are not
//             stored: row i of a piece meets x[i + offset]. Good for stencils, spin chains and
//             banded matrices, whose diagonals are long; a matrix without any has a piece an entry.
// Source:     diagonal storage (Saad, SPARSKIT, 1990; Bell & Garland, SC 2009), with the holes that
//             theirs fills left out.
// Parameters: tile  64, 128, 256, 512, 1024: rows of a tile.
//             lanes 2, 4, 8, 16: rows in one vector; the vector register's width fits best.
// Format:     the pieces of tile t are tile_ptr[t] … tile_ptr[t + 1]-1. Each has the entries (i, i +
//             piece_offset) of the rows first … last-1 of the tile, all of which are stored;
//             piece_rows is first + 65536·last. They are at piece_begin, in the order of the rows.
//             An entry that A holds twice is in two pieces. Nothing is padded but gaps between
//             pieces, which are not read.
// Work:       a thread takes an equal run of tiles.
// Reads:      nnz·value bytes, and index + offset + 4 bytes for a piece; x once for each entry;
//             writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/cpu.hpp"

/// sum[l] += values[l] · x[l] for every lane l.
template <int lanes, typename Value, typename Storage, typename Vector>
[[gnu::always_inline]] inline void add_neighbours(Value* sum, const Storage* values,
                                                  const Vector* x) {
    typedef Value Lanes __attribute__((vector_size(lanes * sizeof(Value))));
    Lanes total = {};
    Lanes a = {};
    Lanes b = {};
    __builtin_memcpy(&total, sum, sizeof(Lanes));
    widen_lanes<lanes>(reinterpret_cast<Value*>(&a), values);
    widen_lanes<lanes>(reinterpret_cast<Value*>(&b), x);
    total += a * b;
    __builtin_memcpy(sum, &total, sizeof(Lanes));
}

/// Whether a row of so many sums is vectors of 32 bytes or more.
template <int num_rhs, typename Value>
inline constexpr bool fills_registers =
    !is_complex<Value> && (num_rhs & (num_rhs - 1)) == 0 && num_rhs * sizeof(Value) >= 32;

/// sum[l] += value · x[l] for every lane l.
template <int lanes, typename Value, typename Vector>
[[gnu::always_inline]] inline void add_scaled_lanes(Value* sum, Value value, const Vector* x) {
    typedef Value Lanes __attribute__((vector_size(lanes * sizeof(Value))));
    Lanes total = {};
    Lanes b = {};
    __builtin_memcpy(&total, sum, sizeof(Lanes));
    widen_lanes<lanes>(reinterpret_cast<Value*>(&b), x);
    total += value * b;
    __builtin_memcpy(sum, &total, sizeof(Lanes));
}

/// sum[i] += values[i] · x[i] for `count` rows, fewer than 2·lanes: by halves, for a loop over those
/// that are left over would begin once for each piece.
template <int lanes, typename Value, typename Storage, typename Vector>
[[gnu::always_inline]] inline void add_left_over(Value* sum, const Storage* values, const Vector* x,
                                                 long count) {
    if constexpr (lanes == 1) {
        if (count > 0) {
            sum[0] = multiply_add(widened<Value>(values[0]), converted<Value>(x[0]), sum[0]);
        }
    } else {
        long i = 0;
        if (count >= lanes) {
            add_neighbours<lanes>(sum, values, x);
            i = lanes;
        }
        add_left_over<lanes / 2>(sum + i, values + i, x + i, count - i);
    }
}

/// sum[i] += values[i] · x[i] for `count` rows with num_rhs elements each; of one real right-hand
/// side `lanes` rows at a time.
template <int lanes, int num_rhs, typename Value, typename Storage, typename Vector>
[[gnu::always_inline]] inline void add_diagonal(Value* sum, const Storage* values, const Vector* x,
                                                long count) {
    if constexpr (num_rhs == 1 && !is_complex<Value>) {
        long i = 0;
        for (; i + lanes <= count; i += lanes) {
            add_neighbours<lanes>(sum + i, values + i, x + i);
        }
        add_left_over<lanes / 2>(sum + i, values + i, x + i, count - i);
    } else {
#pragma GCC unroll 1
        for (long i = 0; i < count; ++i) {
            const Value value = widened<Value>(values[i]);
            if constexpr (fills_registers<num_rhs, Value>) {
                add_scaled_lanes<num_rhs>(sum + i * num_rhs, value, x + i * num_rhs);
            } else {
                add_scaled<num_rhs>(sum + i * num_rhs, value, x + i * num_rhs);
            }
        }
    }
}

/// y = αAx + βy for A in DIA, tile after tile.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int tile, int lanes>
void dia_cpu(long num_rows, const Offset* __restrict__ tile_ptr,
             const Index* __restrict__ piece_offset, const unsigned* __restrict__ piece_rows,
             const Offset* __restrict__ piece_begin, const Storage* __restrict__ values,
             const Vector* __restrict__ x, Vector* __restrict__ y, Vector alpha, Vector beta,
             int thread, int threads) {
    if constexpr (alpha_mode == scale::zero) {
        scale_share<beta_mode, has_epilogue, num_rhs>(y, num_rows * num_rhs, beta, thread, threads);
    } else {
        // Rows whose sums are kept together: as many sums, however many right-hand sides.
        constexpr int height = num_rhs < tile ? tile / num_rhs : 1;
        const long tiles = (num_rows + tile - 1) / tile;
        const long end = share(tiles, thread + 1, threads);
        for (long t = share(tiles, thread, threads); t < end; ++t) {
            const long tile_end = (t + 1) * tile < num_rows ? (t + 1) * tile : num_rows;
            for (long first_row = t * tile; first_row < tile_end; first_row += height) {
                const long top = first_row - t * tile;
                const long rows = tile_end - first_row < height ? tile_end - first_row : height;
                Value sum[height * num_rhs] = {};
                for (Offset piece = tile_ptr[t]; piece < tile_ptr[t + 1]; ++piece) {
                    const long first = piece_rows[piece] & 0xffffu;
                    const long last = piece_rows[piece] >> 16;
                    const long begin = first < top ? top : first;
                    const long stop = last < top + rows ? last : top + rows;
                    if (begin < stop) {
                        add_diagonal<lanes, num_rhs>(
                            sum + (begin - top) * num_rhs,
                            values + piece_begin[piece] + (begin - first),
                            x + (t * tile + begin + piece_offset[piece]) * num_rhs, stop - begin);
                    }
                }
                store_rows<alpha_mode, beta_mode, has_epilogue, height * num_rhs, num_rhs>(
                    y + first_row * num_rhs, rows * num_rhs, sum, alpha, beta, first_row);
            }
        }
    }
}
