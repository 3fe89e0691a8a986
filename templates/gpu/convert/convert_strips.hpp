// CSR into compressed strips (format `strips`), on the device.
//
// What:       the arrays of docs/explanation/strips.md, the same to the last bit as the host makes
//             them. The host launches the steps, reads totals in between, and allocates. Blocks are
//             listed first, as entries of a smaller CSR matrix; what follows goes over these.
// Source:     ours; the sort is Batcher's bitonic network (AFIPS 1968).
// Parameters: block            128, 256, 512, 1024: threads of a block.
//             slice            32, 64: lanes of a slice, within the wavefront.
//             sigma            1, 64, 256, 1024, 4096: rows of a sorting window; 1 = not sorted.
//             threads_per_row  1, 2, 4, 8, 16, 32: lanes that share a row.
//             block_rows, block_cols  1 … 8: of a block.
//             fill             1 = slices of 1×1, a lane a row, may be diagonals with holes.
//             period           1, 2, 3, 4, 6: rows of a slice are so many apart; of 1×1, sigma 1,
//                              a lane a row.
//             value_code       0 … 3: as coded_values.hpp says; the host knows the dictionary.
// Work:       count_blocks, list_blocks: a block row a thread. order: a block a window. widths,
//             holes, codes, fill: a lane of a slice each thread. scan: one block. long_columns,
//             long_values: a block a chunk of a long row. check_values: shared out evenly.
// Reads:      the row offsets three times, columns twice (where there may be holes, up to five
//             times), values once, each lane its own row; writes every array once, side by side.
#pragma once
#include "dialect/convert/gpu_convert_blocks.hpp"
#include "dialect/convert/gpu_convert_holes.hpp"

/// Places of the rows of a window, sorted by falling length, equal ones in their order, long ones
/// (of more than `long_above` entries) last. Rows that are not long have fewer than
/// 2^(32 - log2 sigma) - 2 entries.
template <typename Offset, int sigma, int block>
void convert_strips_order(long num_rows, long long_above, const Offset* __restrict__ row_ptr,
                          unsigned short* __restrict__ places) {
    __shared__ unsigned keys[sigma];
    const long first = static_cast<long>(blockIdx.x) * sigma;
    sort_window<sigma, block>(keys, row_ptr, first, num_rows, long_above);
    for (int i = static_cast<int>(threadIdx.x); i < sigma; i += block) {
        if (first + i < num_rows) {
            places[first + i] = static_cast<unsigned short>(keys[i] & (sigma - 1u));
        }
    }
}

/// Strips of each lane, and of each slice, with what slice_info says of them.
template <typename Offset, int slice, int sigma, int period, int threads_per_row, int block>
void convert_strips_widths(long num_rows, long num_slices, long long_above,
                           const Offset* __restrict__ row_ptr,
                           const unsigned short* __restrict__ places,
                           unsigned short* __restrict__ lengths, int* __restrict__ slice_info,
                           Offset* __restrict__ slice_size) {
    const long lane = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    const long own = lane / slice;
    const long position = lane / threads_per_row;
    int strips = 0;  // of this lane
    int full =
        static_cast<int>(most_strips);  // strips that the lanes up to here have, if they have a row
    if (own < num_slices && position < num_rows) {
        const long row = row_at<slice, sigma, period>(places, position, num_rows);
        const long entries = row_ptr[row + 1] - row_ptr[row];
        if (entries > long_above) {
            full = -1;
        } else {
            strips = static_cast<int>(strips_of_lane(entries, lane, threads_per_row));
            full = strips;
        }
    }
    const int width = slice_max<slice>(strips);
    const int least = slice_min<slice>(full);
    if (own < num_slices) {
        lengths[lane] = static_cast<unsigned short>(full < 0 ? length_of_long : strips);
        if (lane % slice == 0) {
            slice_info[own] = info_of_lengths(least, width);
            slice_size[own] = static_cast<Offset>(width);
        }
    }
}

/// Makes diagonals with holes of the slices that take fewer bytes so.
template <typename Vector, typename Index, typename Offset, int slice, int sigma, int period,
          int block>
void convert_strips_holes(long num_rows, long num_cols, long num_slices,
                          const Offset* __restrict__ row_ptr, const Index* __restrict__ col_idx,
                          const unsigned short* __restrict__ places,
                          const unsigned short* __restrict__ lengths, int* __restrict__ slice_info,
                          Offset* __restrict__ slice_size) {
    const long thread = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    const long own = thread / slice;
    const int lane = static_cast<int>(thread % slice);
    const bool exists = own < num_slices && thread < num_rows && lengths[thread] != length_of_long;
    const int strips = exists ? lengths[thread] : 0;
    const int width = slice_max<slice>(strips);
    const long row = strips > 0 ? row_at<slice, sigma, period>(places, thread, num_rows) : 0l;
    const long entry = strips > 0 ? static_cast<long>(row_ptr[row]) : 0l;
    const int longest = slice_min<slice>(strips == width ? lane : slice - 1);
    int bent = 0;
    bool may = exists;  // and its columns rise
    Index before = -1;
    unsigned long long widest = 0;
    for (int k = 0; any_lane(k < width); ++k) {
        const Index column = k < strips ? col_idx[entry + k] : static_cast<Index>(0);
        may = may && (k >= strips || column > before);
        before = column;
        Index low = 0;
        Index high = 0;
        bent +=
            look_at_strip<slice, period>(&low, &high, column, k < strips, lane, longest) ? 1 : 0;
        const unsigned long long range = column_range(low, high);
        widest = range > widest ? range : widest;
    }
    const int code = narrowest_code(slice_max<slice>(bent) == 0, widest);
    const bool all = slice_min<slice>(may ? 1 : 0) == 1 && code != affine_deltas;
    const long count = count_diagonals<slice, period>(
        col_idx, entry, entry + strips, lane, num_cols, all,
        most_diagonals(width, code, static_cast<long>(sizeof(Vector))));
    if (count > 0 && lane == 0) {
        slice_info[own] = info_of_diagonals(static_cast<int>(count));
        slice_size[own] = static_cast<Offset>(count);
    }
}

/// The code of each slice, the narrowest of the bit mask `codes` that fits, its bases, and the
/// bytes of its deltas in units of the slice's lanes.
template <typename Index, typename Offset, int slice, int sigma, int period, int threads_per_row,
          int block_rows, int block_cols, int fill, int block>
void convert_strips_codes(long num_rows, long num_cols, long num_slices, int codes,
                          const Offset* __restrict__ row_ptr, const Index* __restrict__ col_idx,
                          const unsigned short* __restrict__ places,
                          const unsigned short* __restrict__ lengths,
                          const Offset* __restrict__ slice_ptr, int* __restrict__ slice_info,
                          const unsigned char* __restrict__ block_whole, Index* __restrict__ bases,
                          Offset* __restrict__ slice_size,
                          unsigned long long* __restrict__ counts) {
    constexpr int elements = block_rows * block_cols;
    const strips_lane own = this_lane<Offset, slice, sigma, period, threads_per_row, block>(
        num_rows, num_slices, row_ptr, places, lengths, slice_ptr);
    // A lane with an entry in every strip: an affine slice has the columns that it leads to.
    const int longest = slice_min<slice>(own.strips == own.width ? own.lane : slice - 1);
    const long entry_of_longest = shuffle<slice>(own.entry, longest);
    int bent = 0;  // strips whose column is not where the longest lane leads to
    unsigned long long widest = 0;
    int holes = 0;  // blocks that are not whole
    bool outside = false;
    for (int k = 0; any_lane(k < own.width); ++k) {
        const bool exists = k < own.strips;
        const long entry = own.entry + static_cast<long>(k) * threads_per_row;
        const Index column = exists ? col_idx[entry] : static_cast<Index>(0);
        if constexpr (elements > 1) {
            holes += exists && block_whole[entry] == 0 ? 1 : 0;
        }
        Index low = 0;
        Index high = 0;
        bent +=
            look_at_strip<slice, period>(&low, &high, column, exists, own.lane, longest) ? 1 : 0;
        const unsigned long long range = column_range(low, high);
        widest = range > widest ? range : widest;
        outside = outside || low < 0 || high >= num_cols;
        if (own.lane == 0 && k < own.width) {
            bases[own.first + k] = low;
        }
    }
    bent = slice_max<slice>(bent);
    if constexpr (elements > 1) {
        holes = slice_max<slice>(holes);
    }
    int code = narrowest_code(bent == 0, widest);
    while (code < no_code && (codes >> code & 1) == 0) {
        ++code;
    }
    warp_barrier();
    bool diagonals = false;
    if constexpr (fill == 1 && elements == 1) {
        diagonals = own.slice < num_slices && (slice_info[own.slice] & filled_slice) != 0;
        put_diagonals<slice, period>(bases + own.first, col_idx, own.entry, own.entry + own.strips,
                                     own.lane, diagonals ? own.width : 0);
        code = diagonals ? affine_deltas : code;
        holes = diagonals ? 1 : 0;
    }
    // Of the other codes the base is the least column; without one the delta is the column itself.
    if (!diagonals &&
        (code == affine_deltas || (code == deltas_of_32_bits && sizeof(Index) == 4))) {
        for (int k = own.lane; k < own.width; k += slice) {
            bases[own.first + k] =
                code == deltas_of_32_bits
                    ? static_cast<Index>(0)
                    : static_cast<Index>(
                          col_idx[entry_of_longest + static_cast<long>(k) * threads_per_row] -
                          longest * period);
        }
    }
    if (own.slice < num_slices && own.lane == 0) {
        const int info = slice_info[own.slice];
        const int filled = holes > 0 ? filled_slice : 0;
        const int bytes =
            delta_bytes(code) + (filled != 0 ? mask_bytes(block_rows * block_cols) : 0);
        slice_info[own.slice] = (info & ~(code_bits | filled_slice)) | filled | (code & code_bits);
        slice_size[own.slice] = static_cast<Offset>(static_cast<long>(own.width) * bytes);
        if (filled != 0) {
            atomicAdd(counts + count_filled, 1ull);
        }
        if (diagonals) {
            atomicAdd(counts + count_holes, static_cast<unsigned long long>(own.width));
        }
        atomicAdd(counts + (code < no_code ? code : count_unfit),
                  static_cast<unsigned long long>(code < no_code ? own.width : 1));
        if ((info & ragged_slice) != 0) {
            atomicAdd(counts + count_ragged, 1ull);
        }
        if (outside) {
            atomicAdd(counts + count_outside, 1ull);
        }
    }
}

/// Deltas and values of the slices; what is padding is zero. Slices without strips get the code
/// `empty_code`, which the kernel that reads them has.
template <typename Vector, typename Storage, typename Index, typename Offset, int slice, int sigma,
          int period, int threads_per_row, int fill, int value_code, int block>
void convert_strips_fill(long num_rows, long num_slices, int empty_code,
                         const Offset* __restrict__ row_ptr, const Index* __restrict__ col_idx,
                         const Vector* __restrict__ csr_values,
                         const Vector* __restrict__ dictionary, int num_distinct,
                         const unsigned short* __restrict__ places,
                         const unsigned short* __restrict__ lengths,
                         const Offset* __restrict__ slice_ptr, int* __restrict__ slice_info,
                         const Index* __restrict__ bases, const Offset* __restrict__ delta_ptr,
                         unsigned char* __restrict__ deltas, Storage* __restrict__ values,
                         unsigned char* __restrict__ coded_values) {
    const strips_lane own = this_lane<Offset, slice, sigma, period, threads_per_row, block>(
        num_rows, num_slices, row_ptr, places, lengths, slice_ptr);
    if (own.slice == 0) {
        put_decoded<value_code>(values, csr_values, dictionary, num_distinct, own.lane, slice);
    }
    if (own.slice < num_slices) {
        const int info = info_of_slice(slice_info, own, empty_code);
        const int code = info & code_bits;
        unsigned char* bytes = deltas + static_cast<long>(delta_ptr[own.slice]) * slice;
        if constexpr (fill == 1) {
            if ((info & filled_slice) != 0) {
                fill_diagonals<slice, period, value_code>(bytes, values, coded_values, dictionary,
                                                          num_distinct, col_idx, csr_values, bases,
                                                          own);
                return;
            }
        }
        for (int k = 0; k < own.width; ++k) {
            const bool exists = k < own.strips;
            const long entry = own.entry + static_cast<long>(k) * threads_per_row;
            const unsigned delta =
                exists ? static_cast<unsigned>(col_idx[entry] - bases[own.first + k]) : 0u;
            put_delta(bytes, code, place_in_strips(k, 1, 0, slice, own.lane), delta);
            if constexpr (value_code != one_value) {
                put_value<value_code>(values, coded_values, dictionary, num_distinct,
                                      place_in_strips(own.first + k, 1, 0, slice, own.lane), exists,
                                      exists ? csr_values[entry] : Vector{});
            }
        }
    }
}

/// Columns of the long rows, which stay as they are in A.
template <typename Index, typename Offset, int block>
void convert_strips_long_columns(long num_cols, const Offset* __restrict__ row_ptr,
                                 const Index* __restrict__ col_idx,
                                 const Index* __restrict__ long_row,
                                 const Offset* __restrict__ long_ptr,
                                 const Offset* __restrict__ chunk_ptr,
                                 const Index* __restrict__ chunk_row, Index* __restrict__ long_col,
                                 unsigned long long* __restrict__ counts) {
    const strips_chunk chunk = this_chunk(row_ptr, long_row, long_ptr, chunk_ptr, chunk_row);
    bool outside = false;
    for (int i = static_cast<int>(threadIdx.x); i < chunk.count; i += block) {
        const Index column = col_idx[chunk.from + i];
        outside = outside || column < 0 || column >= num_cols;
        long_col[chunk.to + i] = column;
    }
    if (outside) {
        atomicAdd(counts + count_outside, 1ull);
    }
}

/// Their values.
template <typename Vector, typename Storage, typename Index, typename Offset, int value_code,
          int block>
void convert_strips_long_values(long long_begin, const Offset* __restrict__ row_ptr,
                                const Vector* __restrict__ csr_values,
                                const Vector* __restrict__ dictionary, int num_distinct,
                                const Index* __restrict__ long_row,
                                const Offset* __restrict__ long_ptr,
                                const Offset* __restrict__ chunk_ptr,
                                const Index* __restrict__ chunk_row, Storage* __restrict__ values,
                                unsigned char* __restrict__ coded_values) {
    const strips_chunk chunk = this_chunk(row_ptr, long_row, long_ptr, chunk_ptr, chunk_row);
    for (int i = static_cast<int>(threadIdx.x); i < chunk.count; i += block) {
        put_value<value_code>(values, coded_values, dictionary, num_distinct,
                              long_begin + chunk.to + i, true, csr_values[chunk.from + i]);
    }
}
