// The steps of gpu/convert/convert_strips.hpp that only blocks larger than 1×1 take. Blocks are listed as
// entries of a smaller CSR matrix; what comes between goes over these.
#pragma once
#include "dialect/convert/gpu_block_rows.hpp"
#include "dialect/convert/gpu_convert_strips.hpp"

/// The block columns of the blocks, and whether each is whole.
template <typename Index, typename Offset, int block_rows, int block_cols, int block>
void convert_strips_list_blocks(long num_rows, long num_block_rows,
                                const Offset* __restrict__ row_ptr,
                                const Index* __restrict__ col_idx,
                                const Offset* __restrict__ block_ptr, Index* __restrict__ block_col,
                                unsigned char* __restrict__ block_whole) {
    const long block_row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (block_row < num_block_rows) {
        long at[block_rows] = {};
        long end[block_rows] = {};
        begin_block_row<block_rows>(at, end, row_ptr, block_row, num_rows);
        for (long k = block_ptr[block_row]; k < block_ptr[block_row + 1]; ++k) {
            const Index column = next_block<block_rows, block_cols>(at, end, col_idx);
            const int elements = pass_block<block_rows, block_cols>(at, end, col_idx, column);
            block_col[k] = column;
            block_whole[k] = elements == block_rows * block_cols ? 1 : 0;
        }
    }
}

/// Deltas and values of slices of blocks, and masks behind the deltas of slices that have blocks
/// which are not whole. row_ptr and col_idx are those of A, block_ptr and block_col those of the
/// blocks.
template <typename Vector, typename Storage, typename Index, typename Offset, int slice, int sigma,
          int threads_per_row, int block_rows, int block_cols, int value_code, int block>
void convert_strips_fill_blocks(
    long num_rows, long num_slices, int empty_code, const Offset* __restrict__ row_ptr,
    const Index* __restrict__ col_idx, const Offset* __restrict__ block_ptr,
    const Vector* __restrict__ csr_values, const Vector* __restrict__ dictionary, int num_distinct,
    const unsigned short* __restrict__ places, const unsigned short* __restrict__ lengths,
    const Offset* __restrict__ slice_ptr, int* __restrict__ slice_info,
    const Index* __restrict__ bases, const Offset* __restrict__ delta_ptr,
    unsigned char* __restrict__ deltas, Storage* __restrict__ values,
    unsigned char* __restrict__ coded_values) {
    constexpr int elements = block_rows * block_cols;
    const strips_lane own = this_lane<Offset, slice, sigma, 1, threads_per_row, block>(
        num_rows, num_slices, block_ptr, places, lengths, slice_ptr);
    if (own.slice == 0) {
        put_decoded<value_code>(values, csr_values, dictionary, num_distinct, own.lane, slice);
    }
    if (own.slice < num_slices) {
        const int info = info_of_slice(slice_info, own, empty_code);
        const int code = info & code_bits;
        unsigned char* bytes = deltas + static_cast<long>(delta_ptr[own.slice]) * slice;
        unsigned char* masks = bytes + static_cast<long>(own.width) * slice * delta_bytes(code);
        long at[block_rows] = {};
        long end[block_rows] = {};
        int skipped = static_cast<int>(own.lane % threads_per_row);
        if (own.strips > 0) {
            const long position =
                own.slice * (slice / threads_per_row) + own.lane / threads_per_row;
            begin_block_row<block_rows>(
                at, end, row_ptr, row_at<slice, sigma, 1>(places, position, num_rows), num_rows);
        }
        for (int k = 0; k < own.width; ++k) {
            const bool exists = k < own.strips;
            Index column = 0;
            if (exists) {
                column = block_after<block_rows, block_cols>(at, end, col_idx, skipped);
                skipped = threads_per_row - 1;
            }
            unsigned long long mask = 0;
            const long first = (own.first + k) * (static_cast<long>(slice) * elements) + own.lane;
            for (int i = 0; i < block_rows; ++i) {
                for (int j = 0; j < block_cols; ++j) {
                    const bool found =
                        exists && take_element<block_cols>(at[i], end[i], col_idx, column, j);
                    mask |= found ? 1ull << (i * block_cols + j) : 0ull;
                    if constexpr (value_code != one_value) {
                        put_value<value_code>(values, coded_values, dictionary, num_distinct,
                                              first + (i * block_cols + j) * slice, found,
                                              found ? csr_values[at[i] - 1] : Vector{});
                    }
                }
            }
            const unsigned delta =
                exists ? static_cast<unsigned>(column - bases[own.first + k]) : 0u;
            const long place = static_cast<long>(k) * slice + own.lane;
            put_delta(bytes, code, place, delta);
            if ((info & filled_slice) != 0) {
                put_mask<elements>(masks, place, mask);
            }
        }
    }
}
