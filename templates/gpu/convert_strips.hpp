// CSR into compressed strips (format `strips`), on the device.
//
// What:       the arrays of docs/strips.md, the same to the last bit as the host makes them. The
//             host launches the steps, reads totals in between, and allocates. Blocks are listed
//             first, as entries of a smaller CSR matrix; what follows goes over these.
// Source:     ours; the sort is Batcher's bitonic network (AFIPS 1968).
// Parameters: block            128, 256, 512, 1024: threads of a block.
//             slice            32, 64: lanes of a slice, within the wavefront.
//             sigma            1, 64, 256, 1024, 4096: rows of a sorting window; 1 = not sorted.
//             threads_per_row  1, 2, 4, 8, 16, 32: lanes that share a row.
//             block_rows, block_cols  1 … 8: of a block.
//             value_code       0, 1, 2: as coded_values.hpp says; no dictionaries.
// Work:       count_blocks, list_blocks: a block row a thread. order: a block a window. widths,
//             codes, fill: a lane of a slice each thread. scan: one block. long_columns,
//             long_values: a block a chunk of a long row. check: values shared out evenly.
// Reads:      the row offsets three times, columns twice, values once, each lane its own row;
//             writes every array once, side by side.
#pragma once
#include "dialect/gpu_convert_strips.hpp"

/// How many blocks each block row has; none where A has not these columns, or they do not rise.
template <typename Index, typename Offset, int block_rows, int block_cols, int block>
void convert_strips_count_blocks(long num_rows, long num_cols, long num_block_rows,
                                 const Offset* __restrict__ row_ptr,
                                 const Index* __restrict__ col_idx,
                                 Offset* __restrict__ block_count,
                                 unsigned long long* __restrict__ counts) {
    const long block_row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (block_row < num_block_rows) {
        long at[block_rows] = {};
        long end[block_rows] = {};
        begin_block_row<block_rows>(at, end, row_ptr, block_row, num_rows);
        Offset blocks = 0;
        if (count_bad_rows<block_rows>(at, end, col_idx, num_cols, counts) == 0) {
            Index column = next_block<block_rows, block_cols>(at, end, col_idx);
            for (; column >= 0; ++blocks) {
                pass_block<block_rows, block_cols>(at, end, col_idx, column);
                column = next_block<block_rows, block_cols>(at, end, col_idx);
            }
        }
        block_count[block_row] = blocks;
    }
}

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

/// Places of the rows of a window, sorted by falling length, equal ones in their order, long ones
/// (of more than `long_above` entries) last. Rows that are not long have fewer than
/// 2^(32 - log2 sigma) - 2 entries.
template <typename Offset, int sigma, int block>
void convert_strips_order(long num_rows, long long_above, const Offset* __restrict__ row_ptr,
                          unsigned short* __restrict__ places) {
    constexpr int bits = __builtin_ctz(sigma);
    constexpr unsigned longest = (1u << (32 - bits)) - 2u;
    // What sorts a row: how much shorter than the longest it is, then its place.
    __shared__ unsigned keys[sigma];
    const long first = static_cast<long>(blockIdx.x) * sigma;
    for (int i = static_cast<int>(threadIdx.x); i < sigma; i += block) {
        const long row = first + i;
        unsigned rank = longest + 1u;
        if (row < num_rows) {
            const long length = row_ptr[row + 1] - row_ptr[row];
            if (length <= long_above) {
                rank = longest - static_cast<unsigned>(length);
            }
        }
        keys[i] = rank << bits | static_cast<unsigned>(i);
    }
    __syncthreads();
    sort_keys<sigma, block>(keys);
    for (int i = static_cast<int>(threadIdx.x); i < sigma; i += block) {
        if (first + i < num_rows) {
            places[first + i] = static_cast<unsigned short>(keys[i] & (sigma - 1u));
        }
    }
}

/// Strips of each lane, and of each slice, with what slice_info says of them.
template <typename Offset, int slice, int sigma, int threads_per_row, int block>
void convert_strips_widths(long num_rows, long num_slices, long long_above,
                           const Offset* __restrict__ row_ptr,
                           const unsigned short* __restrict__ places,
                           unsigned short* __restrict__ lengths, int* __restrict__ slice_info,
                           Offset* __restrict__ slice_size) {
    const long lane = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    const long own = lane / slice;
    const long position = lane / threads_per_row;
    int strips = 0;    // of this lane
    int full = 65534;  // strips that the lanes up to here have, if they have a row
    if (own < num_slices && position < num_rows) {
        const long row = row_at<sigma>(places, position);
        const long entries = row_ptr[row + 1] - row_ptr[row];
        const long rest = entries - lane % threads_per_row + threads_per_row - 1;
        if (entries > long_above) {
            full = -1;
        } else {
            strips = static_cast<int>(rest / threads_per_row);
            full = strips;
        }
    }
    const int width = slice_max<slice>(strips);
    const int least = slice_min<slice>(full);
    if (own < num_slices) {
        lengths[lane] = static_cast<unsigned short>(full < 0 ? length_of_long : strips);
        if (lane % slice == 0) {
            slice_info[own] =
                (least < 0 ? 0 : least) << full_strips_shift | (least != width ? ragged_slice : 0);
            slice_size[own] = static_cast<Offset>(width);
        }
    }
}

/// ptr[i] = the sum of the sizes before slice i, at last that of all, which the host reads among the
/// counts.
template <typename Offset, int block>
void convert_strips_scan(long num_slices, const Offset* __restrict__ slice_size,
                         Offset* __restrict__ ptr, unsigned long long* __restrict__ counts) {
    constexpr int items = 4;  // of a thread, so that one block has few rounds
    __shared__ Offset warp_sums[block / warp_size];
    Offset before = 0;  // of earlier rounds
    for (long begin = 0; begin < num_slices; begin += block * items) {
        const long first = begin + static_cast<long>(threadIdx.x) * items;
        Offset size[items] = {};
        Offset own = 0;
        for (int i = 0; i < items; ++i) {
            size[i] = first + i < num_slices ? slice_size[first + i] : static_cast<Offset>(0);
            own += size[i];
        }
        Offset at = before + sum_before<block>(warp_sums, own);
        for (int w = 0; w < block / warp_size; ++w) {
            before += warp_sums[w];
        }
        for (int i = 0; i < items; ++i) {
            if (first + i < num_slices) {
                ptr[first + i] = at;
            }
            at += size[i];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        ptr[num_slices] = before;
        counts[last_total] = static_cast<unsigned long long>(before);
    }
}

/// The code of each slice, the narrowest of the bit mask `codes` that fits, its bases, and the
/// bytes of its deltas in units of the slice's lanes.
template <typename Index, typename Offset, int slice, int sigma, int threads_per_row,
          int block_rows, int block_cols, int block>
void convert_strips_codes(long num_cols, long num_slices, int codes,
                          const Offset* __restrict__ row_ptr, const Index* __restrict__ col_idx,
                          const unsigned short* __restrict__ places,
                          const unsigned short* __restrict__ lengths,
                          const Offset* __restrict__ slice_ptr, int* __restrict__ slice_info,
                          const unsigned char* __restrict__ block_whole, Index* __restrict__ bases,
                          Offset* __restrict__ slice_size,
                          unsigned long long* __restrict__ counts) {
    constexpr int elements = block_rows * block_cols;
    const strips_lane own = this_lane<Offset, slice, sigma, threads_per_row, block>(
        num_slices, row_ptr, places, lengths, slice_ptr);
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
        Index low = exists ? col_idx[entry] : static_cast<Index>(0);
        if constexpr (elements > 1) {
            holes += exists && block_whole[entry] == 0 ? 1 : 0;
        }
        const Index known = shuffle<slice>(low, longest);
        bent += exists && low - own.lane != known - longest ? 1 : 0;
        // Lanes without an entry repeat the one that is known.
        low = exists ? low : known;
        const Index high = slice_max<slice>(low);
        low = slice_min<slice>(low);
        const unsigned long long range =
            static_cast<unsigned long long>(high) - static_cast<unsigned long long>(low);
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
    int code = bent == 0           ? 0
               : widest >> 8 == 0  ? 1
               : widest >> 16 == 0 ? 2
               : widest >> 32 == 0 ? 3
                                   : 4;
    while (code < 4 && (codes >> code & 1) == 0) {
        ++code;
    }
    warp_barrier();
    // Of the other codes the base is the least column; without one the delta is the column itself.
    if (code == 0 || (code == 3 && sizeof(Index) == 4)) {
        for (int k = own.lane; k < own.width; k += slice) {
            bases[own.first + k] =
                code == 3 ? static_cast<Index>(0)
                          : static_cast<Index>(
                                col_idx[entry_of_longest + static_cast<long>(k) * threads_per_row] -
                                longest);
        }
    }
    if (own.slice < num_slices && own.lane == 0) {
        const int info = slice_info[own.slice];
        const int filled = holes > 0 ? filled_slice : 0;
        const int bytes =
            (code == 3 ? 4 : code) + (filled != 0 ? mask_bytes<block_rows * block_cols> : 0);
        slice_info[own.slice] = (info & ~(code_bits | filled_slice)) | filled | (code & code_bits);
        slice_size[own.slice] = static_cast<Offset>(static_cast<long>(own.width) * bytes);
        if (filled != 0) {
            atomicAdd(counts + count_filled, 1ull);
        }
        atomicAdd(counts + (code < 4 ? code : count_unfit),
                  static_cast<unsigned long long>(code < 4 ? own.width : 1));
        if ((info & ragged_slice) != 0) {
            atomicAdd(counts + count_ragged, 1ull);
        }
        if (outside) {
            atomicAdd(counts + count_outside, 1ull);
        }
    }
}

/// Tells whether there is a value that its code has not.
template <typename Vector, int value_code, int block>
void convert_strips_check(long nnz, const Vector* __restrict__ csr_values,
                          unsigned long long* __restrict__ counts) {
    const Vector first = csr_values[0];
    bool fits = true;
    for (long i = static_cast<long>(blockIdx.x) * block + threadIdx.x; i < nnz;
         i += static_cast<long>(gridDim.x) * block) {
        fits = fits && has_code<value_code>(csr_values[i], first);
    }
    if (!fits) {
        atomicAdd(counts + count_inexact, 1ull);
    }
}

/// Deltas and values of the slices; what is padding is zero. Slices without strips get the code
/// `empty_code`, which the kernel that reads them has.
template <typename Vector, typename Storage, typename Index, typename Offset, int slice, int sigma,
          int threads_per_row, int value_code, int block>
void convert_strips_fill(long num_slices, int empty_code, const Offset* __restrict__ row_ptr,
                         const Index* __restrict__ col_idx, const Vector* __restrict__ csr_values,
                         const unsigned short* __restrict__ places,
                         const unsigned short* __restrict__ lengths,
                         const Offset* __restrict__ slice_ptr, int* __restrict__ slice_info,
                         const Index* __restrict__ bases, const Offset* __restrict__ delta_ptr,
                         unsigned char* __restrict__ deltas, Storage* __restrict__ values,
                         unsigned char* __restrict__ coded_values) {
    const strips_lane own = this_lane<Offset, slice, sigma, threads_per_row, block>(
        num_slices, row_ptr, places, lengths, slice_ptr);
    if constexpr (value_code == one_value) {
        put_one_value(values, csr_values, own);
    }
    if (own.slice < num_slices) {
        const int info = info_of_slice(slice_info, own, empty_code);
        const int code = info & code_bits;
        unsigned char* bytes = deltas + static_cast<long>(delta_ptr[own.slice]) * slice;
        for (int k = 0; k < own.width; ++k) {
            const bool exists = k < own.strips;
            const long entry = own.entry + static_cast<long>(k) * threads_per_row;
            const unsigned delta =
                exists ? static_cast<unsigned>(col_idx[entry] - bases[own.first + k]) : 0u;
            const long at = static_cast<long>(k) * slice + own.lane;
            put_delta(bytes, code, at, delta);
            if constexpr (value_code != one_value) {
                put_value<value_code>(values, coded_values, own.first * slice + at,
                                      exists ? csr_values[entry] : Vector{});
            }
        }
    }
}

/// The same of blocks, whose masks stand behind the deltas of slices that have blocks which are not
/// whole. row_ptr and col_idx are those of A, block_ptr and block_col those of the blocks.
template <typename Vector, typename Storage, typename Index, typename Offset, int slice, int sigma,
          int threads_per_row, int block_rows, int block_cols, int value_code, int block>
void convert_strips_fill_blocks(
    long num_rows, long num_slices, int empty_code, const Offset* __restrict__ row_ptr,
    const Index* __restrict__ col_idx, const Offset* __restrict__ block_ptr,
    const Vector* __restrict__ csr_values, const unsigned short* __restrict__ places,
    const unsigned short* __restrict__ lengths, const Offset* __restrict__ slice_ptr,
    int* __restrict__ slice_info, const Index* __restrict__ bases,
    const Offset* __restrict__ delta_ptr, unsigned char* __restrict__ deltas,
    Storage* __restrict__ values, unsigned char* __restrict__ coded_values) {
    constexpr int elements = block_rows * block_cols;
    const strips_lane own = this_lane<Offset, slice, sigma, threads_per_row, block>(
        num_slices, block_ptr, places, lengths, slice_ptr);
    if constexpr (value_code == one_value) {
        put_one_value(values, csr_values, own);
    }
    if (own.slice < num_slices) {
        const int info = info_of_slice(slice_info, own, empty_code);
        const int code = info & code_bits;
        unsigned char* bytes = deltas + static_cast<long>(delta_ptr[own.slice]) * slice;
        unsigned char* masks =
            bytes + static_cast<long>(own.width) * slice * (code == 3 ? 4 : code);
        long at[block_rows] = {};
        long end[block_rows] = {};
        int skipped = static_cast<int>(own.lane % threads_per_row);
        if (own.strips > 0) {
            const long position =
                own.slice * (slice / threads_per_row) + own.lane / threads_per_row;
            begin_block_row<block_rows>(at, end, row_ptr, row_at<sigma>(places, position),
                                        num_rows);
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
                        put_value<value_code>(values, coded_values,
                                              first + (i * block_cols + j) * slice,
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
                                const Index* __restrict__ long_row,
                                const Offset* __restrict__ long_ptr,
                                const Offset* __restrict__ chunk_ptr,
                                const Index* __restrict__ chunk_row, Storage* __restrict__ values,
                                unsigned char* __restrict__ coded_values) {
    const strips_chunk chunk = this_chunk(row_ptr, long_row, long_ptr, chunk_ptr, chunk_row);
    for (int i = static_cast<int>(threadIdx.x); i < chunk.count; i += block) {
        put_value<value_code>(values, coded_values, long_begin + chunk.to + i,
                              csr_values[chunk.from + i]);
    }
}
