// Blocked CSR: dense blocks of r×c elements.
//
// What:       entries are kept in small dense blocks with one column number each; what the matrix
//             does not have in a block is filled with zeros. Good where most of a block is there:
//             finite elements with several unknowns a node.
// Source:     register blocking of SPARSITY and OSKI; BCSR of GOSpMV (Zhang et al., Automatic
//             Performance Tuning of SpMV on GPGPU, 2009).
// Parameters: block_rows 1 … 8: r.
//             block_cols 1 … 8: c.
// Format:     block row b has rows b·r …; its blocks are block_ptr[b] … block_ptr[b+1]-1. col_idx
//             has each block's first column, a multiple of c, but for the blocks at the right edge,
//             which begin c columns before it. A block is stored column after column when r ≥ c,
//             else row after row; 8 more zeros follow the last. Bit i·c + j of block_masks tells
//             whether the matrix has element (i, j), and not only fill.
// Work:       a thread takes a contiguous run of block rows with its share of block rows and
//             blocks. Vectors run along the longer side of a block.
// Fill:       a zero of fill must not meet an infinite x, for 0 · Inf is NaN. With finite x it
//             changes no sum. So a block row is computed with its fill, and only when one of its
//             sums is NaN it is computed again without, by the masks; they are not read otherwise.
// Reads:      blocks·(r·c·value + index) bytes and an offset a block row of A, c neighbours of x
//             for each block. Writes y once, reads it when β ≠ 0.
#pragma once
#include "dialect/cpu.hpp"

/// Where element (i, j) of a block is stored.
template <int block_rows, int block_cols>
[[gnu::always_inline]] inline int place_in_block(int i, int j) {
    if constexpr (block_rows >= block_cols) {
        return j * block_rows + i;
    } else {
        return i * block_cols + j;
    }
}

/// sum[i] = the product of one block row of real numbers, blocks begin … end-1, in vectors of at
/// least max(r, c) lanes; what the lanes beyond that hold means nothing.
template <int block_rows, int block_cols, typename Value, typename Vector, typename Storage,
          typename Index>
[[gnu::always_inline]] inline void multiply_in_vectors(Value* sum, const Storage* values,
                                                       const Index* col_idx, const Vector* x,
                                                       long begin, long end) {
    constexpr int side = block_rows >= block_cols ? block_rows : block_cols;
    constexpr int lanes = side > 4 ? 8 : side > 2 ? 4 : side;
    typedef Value Lanes __attribute__((vector_size(lanes * sizeof(Value))));
    if constexpr (block_rows >= block_cols) {
        Lanes total = {};
        for (long k = begin; k < end; ++k) {
            // The block's own sum first: blocks then wait for each other with one addition only.
            Lanes product = {};
            for (int j = 0; j < block_cols; ++j) {
                Lanes column = {};
                if constexpr (is_same<Value, Storage>) {
                    __builtin_memcpy(&column,
                                     values + k * (block_rows * block_cols) + j * block_rows,
                                     sizeof(Lanes));
                } else {
                    Value wide[lanes] = {};
                    widen_lanes<lanes>(wide,
                                       values + k * (block_rows * block_cols) + j * block_rows);
                    __builtin_memcpy(&column, wide, sizeof(Lanes));
                }
                product += column * converted<Value>(x[col_idx[k] + j]);
            }
            total += product;
        }
        for (int i = 0; i < block_rows; ++i) {
            sum[i] = total[i];
        }
    } else {
        Lanes total[block_rows] = {};
        for (long k = begin; k < end; ++k) {
            Lanes factor = {};
            for (int j = 0; j < block_cols; ++j) {
                factor[j] = converted<Value>(x[col_idx[k] + j]);
            }
            for (int i = 0; i < block_rows; ++i) {
                Lanes row = {};
                if constexpr (is_same<Value, Storage>) {
                    __builtin_memcpy(&row, values + k * (block_rows * block_cols) + i * block_cols,
                                     sizeof(Lanes));
                } else {
                    Value wide[lanes] = {};
                    widen_lanes<lanes>(wide,
                                       values + k * (block_rows * block_cols) + i * block_cols);
                    __builtin_memcpy(&row, wide, sizeof(Lanes));
                }
                total[i] += row * factor;
            }
        }
        for (int i = 0; i < block_rows; ++i) {
            sum[i] = total[i][0];
            for (int j = 1; j < block_cols; ++j) {
                sum[i] += total[i][j];
            }
        }
    }
}

/// sum[i][rhs] = the product of one block row, blocks begin … end-1, fill included.
template <int block_rows, int block_cols, int num_rhs, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_block_row(Value* sum, const Storage* values,
                                                      const Index* col_idx, const Vector* x,
                                                      long begin, long end) {
    if constexpr (num_rhs == 1 && !is_complex<Value>) {
        multiply_in_vectors<block_rows, block_cols>(sum, values, col_idx, x, begin, end);
    } else {
        for (long k = begin; k < end; ++k) {
            const Storage* block = values + k * (block_rows * block_cols);
            const Vector* factors = x + static_cast<long>(col_idx[k]) * num_rhs;
            for (int i = 0; i < block_rows; ++i) {
                for (int j = 0; j < block_cols; ++j) {
                    add_scaled<num_rhs>(
                        sum + i * num_rhs,
                        widened<Value>(block[place_in_block<block_rows, block_cols>(i, j)]),
                        factors + j * num_rhs);
                }
            }
        }
    }
}

/// sum[i][rhs] = the product of one block row, without the fill: x is read where the matrix
/// has an element, and nowhere else.
template <int block_rows, int block_cols, int num_rhs, typename Value, typename Vector,
          typename Storage, typename Index>
[[gnu::always_inline]] inline void multiply_unfilled(Value* sum, const Storage* values,
                                                     const Index* col_idx, const long* block_masks,
                                                     const Vector* x, long begin, long end) {
    for (int e = 0; e < block_rows * num_rhs; ++e) {
        sum[e] = Value{};
    }
    for (long k = begin; k < end; ++k) {
        const Storage* block = values + k * (block_rows * block_cols);
        for (int i = 0; i < block_rows; ++i) {
            for (int j = 0; j < block_cols; ++j) {
                if ((block_masks[k] >> (i * block_cols + j) & 1) != 0) {
                    add_scaled<num_rhs>(
                        sum + i * num_rhs,
                        widened<Value>(block[place_in_block<block_rows, block_cols>(i, j)]),
                        x + (static_cast<long>(col_idx[k]) + j) * num_rhs);
                }
            }
        }
    }
}

/// y = αAx + βy for A in BCSR, block row after block row.
template <typename Value, typename Vector, typename Storage, typename Index, typename Offset,
          scale alpha_mode, scale beta_mode, bool has_epilogue, int num_rhs, int block_rows,
          int block_cols>
void bcsr(long num_rows, long num_cols, long num_block_rows, const Offset* __restrict__ block_ptr,
          const Index* __restrict__ col_idx, const long* __restrict__ block_masks,
          const Storage* __restrict__ values, const Vector* __restrict__ x, Vector* __restrict__ y,
          Vector alpha, Vector beta, int thread, int threads) {
    if constexpr (alpha_mode == scale::zero) {
        scale_share<beta_mode, has_epilogue, num_rhs>(y, num_rows * num_rhs, beta, thread, threads);
    } else {
        constexpr int height = block_rows * num_rhs;
        const long last = first_row(num_block_rows, block_ptr, thread + 1, threads);
        for (long block_row = first_row(num_block_rows, block_ptr, thread, threads);
             block_row < last; ++block_row) {
            const long begin = block_ptr[block_row];
            const long end = block_ptr[block_row + 1];
            Value sum[height] = {};
            // A matrix narrower than a block has no c neighbours of x.
            bool done = num_cols >= block_cols;
            if (done) {
                multiply_block_row<block_rows, block_cols, num_rhs>(sum, values, col_idx, x, begin,
                                                                    end);
                done = !has_nan<height>(sum);
            }
            if (!done) {
                multiply_unfilled<block_rows, block_cols, num_rhs>(sum, values, col_idx,
                                                                   block_masks, x, begin, end);
            }
            const long first = block_row * block_rows;
            const long rows = num_rows - first < block_rows ? num_rows - first : block_rows;
            store_rows<alpha_mode, beta_mode, has_epilogue, height, num_rhs>(
                y + first * num_rhs, rows * num_rhs, sum, alpha, beta, first);
        }
    }
}
