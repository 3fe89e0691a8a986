// What the steps share that convert CSR into strips on the device.
#pragma once
#include "dialect/coded_values.hpp"
#include "dialect/gpu.hpp"
#include "dialect/strips_format.hpp"

/// Sorts `count` keys, a power of two, in shared memory: Batcher's bitonic network. All `block`
/// threads of the block take part, and see the sorted keys afterwards.
template <int count, int block>
[[gnu::always_inline]] inline void sort_keys(unsigned* keys) {
    for (int size = 2; size <= count; size *= 2) {
        for (int gap = size / 2; gap > 0; gap /= 2) {
            for (int pair = static_cast<int>(threadIdx.x); pair < count / 2; pair += block) {
                const int low = pair / gap * 2 * gap + pair % gap;
                const unsigned a = keys[low];
                const unsigned b = keys[low + gap];
                if ((a > b) == ((low & size) == 0)) {
                    keys[low] = b;
                    keys[low + gap] = a;
                }
            }
            __syncthreads();
        }
    }
}

/// The sum of what the threads before this one have. All `block` threads of the block take part;
/// warp_sums holds the sums of the warps afterwards.
template <int block, typename Number>
[[gnu::always_inline]] inline Number sum_before(Number* warp_sums, Number own) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    Number sum = own;
    for (int delta = 1; delta < warp_size; delta *= 2) {
        const Number below = shuffle_up(sum, delta);
        sum += lane >= delta ? below : static_cast<Number>(0);
    }
    if (lane == warp_size - 1) {
        warp_sums[warp] = sum;
    }
    __syncthreads();
    for (int w = 0; w < block / warp_size; ++w) {
        sum += w < warp ? warp_sums[w] : static_cast<Number>(0);
    }
    return sum - own;
}

/// The row at a position.
template <int slice, int sigma, int period>
[[gnu::always_inline]] inline long row_at(const unsigned short* places, long position,
                                          long num_rows) {
    if constexpr (period > 1) {
        return row_of_group<slice, period>(position, num_rows);
    } else if constexpr (sigma == 1) {
        return position;
    } else {
        return position / sigma * sigma + places[position];
    }
}

/// The largest of the numbers that the lanes of a slice have. All lanes of the warp take part.
template <int slice, typename Number>
[[gnu::always_inline]] inline Number slice_max(Number number) {
    for (int delta = slice / 2; delta > 0; delta /= 2) {
        const Number other = shuffle_down<slice>(number, delta);
        number = other > number ? other : number;
    }
    return shuffle<slice>(number, 0);
}

/// The smallest.
template <int slice, typename Number>
[[gnu::always_inline]] inline Number slice_min(Number number) {
    for (int delta = slice / 2; delta > 0; delta /= 2) {
        const Number other = shuffle_down<slice>(number, delta);
        number = other < number ? other : number;
    }
    return shuffle<slice>(number, 0);
}

/// What the steps behind the widths know of a lane.
struct strips_lane {
    long slice;  ///< the number of its slice
    int lane;    ///< its own number in the slice
    int strips;  ///< of this lane; 0 for a long row, and beyond the last slice
    int width;   ///< of the slice
    long first;  ///< strip of the slice
    long entry;  ///< of its row that it begins with; means nothing where strips is 0
};

template <typename Offset, int slice, int sigma, int period, int threads_per_row, int block>
[[gnu::always_inline]] inline strips_lane this_lane(long num_rows, long num_slices,
                                                    const Offset* row_ptr,
                                                    const unsigned short* places,
                                                    const unsigned short* lengths,
                                                    const Offset* slice_ptr) {
    const long thread = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    strips_lane own = {};
    own.slice = thread / slice;
    own.lane = static_cast<int>(thread % slice);
    if (own.slice < num_slices) {
        own.first = slice_ptr[own.slice];
        own.width = static_cast<int>(slice_ptr[own.slice + 1] - own.first);
        own.strips = lengths[thread];
        own.strips = own.strips == length_of_long ? 0 : own.strips;
        if (own.strips > 0) {
            const long row =
                row_at<slice, sigma, period>(places, thread / threads_per_row, num_rows);
            own.entry = row_ptr[row] + thread % threads_per_row;
        }
    }
    return own;
}

/// The least and the greatest column of a strip's lanes; those without an entry take part with that
/// of the lane `longest`. Whether the lane has one that is not where the longest lane's leads to,
/// `period` a lane. All lanes of the warp take part.
template <int slice, int period, typename Index>
[[gnu::always_inline]] inline bool look_at_strip(Index* low, Index* high, Index column, bool exists,
                                                 int lane, int longest) {
    const Index known = shuffle<slice>(column, longest);
    const bool bent = exists && column - lane * period != known - longest * period;
    column = exists ? column : known;
    *high = slice_max<slice>(column);
    *low = slice_min<slice>(column);
    return bent;
}

/// How far the columns of a strip are apart.
template <typename Index>
[[gnu::always_inline]] inline unsigned long long column_range(Index low, Index high) {
    return static_cast<unsigned long long>(high) - static_cast<unsigned long long>(low);
}

/// The narrowest code for columns so far apart, 4 when there is none; 0 where none is bent.
[[gnu::always_inline]] inline int narrowest_code(int bent, unsigned long long widest) {
    return bent == 0 ? 0 : widest >> 8 == 0 ? 1 : widest >> 16 == 0 ? 2 : widest >> 32 == 0 ? 3 : 4;
}

/// Counts of a conversion.
constexpr int count_ragged = 4;   ///< slices; before it strips of slices with each code
constexpr int count_outside = 5;  ///< strips and chunks with a column that A has not
constexpr int count_unfit = 6;    ///< slices that no code fits
constexpr int count_inexact = 7;  ///< values that the value code has not
constexpr int count_filled = 8;   ///< slices with blocks that are not whole, or with holes
constexpr int count_falling = 9;  ///< block rows whose columns do not rise
constexpr int last_total = 10;    ///< no count: what the last scan summed up
constexpr int count_holes = 11;   ///< strips of slices with holes

/// Puts a delta to its place.
[[gnu::always_inline]] inline void put_delta(unsigned char* bytes, int code, long place,
                                             unsigned delta) {
    if (code == 1) {
        bytes[place] = static_cast<unsigned char>(delta);
    } else if (code == 2) {
        reinterpret_cast<unsigned short*>(bytes)[place] = static_cast<unsigned short>(delta);
    } else if (code == 3) {
        reinterpret_cast<unsigned*>(bytes)[place] = delta;
    }
}

/// Bytes of a mask of so many bits.
template <int elements>
inline constexpr int mask_bytes = elements <= 8    ? 1
                                  : elements <= 16 ? 2
                                  : elements <= 32 ? 4
                                                   : 8;

/// Puts a block's mask to its place.
template <int elements>
[[gnu::always_inline]] inline void put_mask(unsigned char* masks, long place,
                                            unsigned long long mask) {
    if constexpr (elements <= 8) {
        masks[place] = static_cast<unsigned char>(mask);
    } else if constexpr (elements <= 16) {
        reinterpret_cast<unsigned short*>(masks)[place] = static_cast<unsigned short>(mask);
    } else if constexpr (elements <= 32) {
        reinterpret_cast<unsigned*>(masks)[place] = static_cast<unsigned>(mask);
    } else {
        reinterpret_cast<unsigned long long*>(masks)[place] = mask;
    }
}

/// Puts a value to its place; value_code is not one_value.
template <int value_code, typename Vector, typename Storage>
[[gnu::always_inline]] inline void put_value(Storage* values, unsigned char* coded_values,
                                             long place, Vector value) {
    if constexpr (value_code == plain_values) {
        values[place] = converted<Storage>(value);
    } else {
        if constexpr (is_complex<Vector>) {
            coded_values[place] = static_cast<unsigned char>(static_cast<signed char>(value.re));
        } else {
            coded_values[place] = static_cast<unsigned char>(static_cast<signed char>(value));
        }
    }
}

/// Of a matrix whose values are all one, that.
template <typename Vector, typename Storage>
[[gnu::always_inline]] inline void put_one_value(Storage* values, const Vector* csr_values,
                                                 strips_lane own) {
    if (own.slice == 0 && own.lane == 0) {
        values[0] = converted<Storage>(csr_values[0]);
    }
}

/// What slice_info says of the lane's slice, which gets the code `empty_code` when it has no
/// strips.
[[gnu::always_inline]] inline int info_of_slice(int* slice_info, strips_lane own, int empty_code) {
    const int info = slice_info[own.slice];
    if (own.width == 0 && own.lane == 0) {
        slice_info[own.slice] = (info & ~code_bits) | empty_code;
    }
    return info;
}

/// Whether two numbers have the same bits; not so of NaNs.
template <typename Real>
[[gnu::always_inline]] inline bool is_same_number(Real a, Real b) {
    return a == b && (a != 0 || (1 / a < 0) == (1 / b < 0));
}

/// Whether a real number can be had back from its code; `first` is the matrix's first.
template <int value_code, typename Real>
[[gnu::always_inline]] inline bool has_real_code(Real value, Real first) {
    if constexpr (value_code == one_value) {
        return is_same_number(value, first);
    } else {
        return value >= -128 && value <= 127 &&
               is_same_number(value, static_cast<Real>(static_cast<int>(value)));
    }
}

/// The same of any value.
template <int value_code, typename Vector>
[[gnu::always_inline]] inline bool has_code(Vector value, Vector first) {
    if constexpr (!is_complex<Vector>) {
        return has_real_code<value_code>(value, first);
    } else if constexpr (value_code == one_value) {
        return is_same_number(value.re, first.re) && is_same_number(value.im, first.im);
    } else {
        return has_real_code<value_code>(value.re, first.re) &&
               is_same_number(value.im, value.im - value.im);
    }
}

/// A part of a long row for a block.
struct strips_chunk {
    long from;  ///< its first entry in A
    long to;    ///< its first entry among those of the long rows
    long count;
};

template <typename Index, typename Offset>
[[gnu::always_inline]] inline strips_chunk this_chunk(const Offset* row_ptr, const Index* long_row,
                                                      const Offset* long_ptr,
                                                      const Offset* chunk_ptr,
                                                      const Index* chunk_row) {
    constexpr int size = 32 * warp_size;
    const long row = chunk_row[blockIdx.x];
    const long begin = (static_cast<long>(blockIdx.x) - chunk_ptr[row]) * size;
    const long left = long_ptr[row + 1] - long_ptr[row] - begin;
    strips_chunk chunk = {};
    chunk.from = row_ptr[long_row[row]] + begin;
    chunk.to = long_ptr[row] + begin;
    chunk.count = left < size ? left : static_cast<long>(size);
    return chunk;
}

/// Where the rows of a block row begin and end; rows beyond the last are empty.
template <int block_rows, typename Offset>
[[gnu::always_inline]] inline void begin_block_row(long* at, long* end, const Offset* row_ptr,
                                                   long block_row, long num_rows) {
    for (int i = 0; i < block_rows; ++i) {
        const long row = block_row * block_rows + i;
        at[i] = row < num_rows ? static_cast<long>(row_ptr[row]) : 0;
        end[i] = row < num_rows ? static_cast<long>(row_ptr[row + 1]) : 0;
    }
}

/// Whether rows have columns that A has not (1) or that do not rise (2); these are counted. 0 = no.
template <int block_rows, typename Index>
[[gnu::always_inline]] inline int count_bad_rows(const long* at, const long* end,
                                                 const Index* col_idx, long num_cols,
                                                 unsigned long long* counts) {
    int bad = 0;
    for (int i = 0; i < block_rows; ++i) {
        Index before = -1;
        for (long k = at[i]; k < end[i]; ++k) {
            const Index column = col_idx[k];
            bad = column < 0 || column >= num_cols ? 1 : bad == 0 && column <= before ? 2 : bad;
            before = column;
        }
    }
    if (bad != 0) {
        atomicAdd(counts + (bad == 1 ? count_outside : count_falling), 1ull);
    }
    return bad;
}

/// The block column of the next block of rows whose columns rise; -1 when there is none.
template <int block_rows, int block_cols, typename Index>
[[gnu::always_inline]] inline Index next_block(const long* at, const long* end,
                                               const Index* col_idx) {
    Index column = -1;
    for (int i = 0; i < block_rows; ++i) {
        if (at[i] < end[i]) {
            const Index own = col_idx[at[i]] / block_cols;
            column = column < 0 || own < column ? own : column;
        }
    }
    return column;
}

/// Whether a row has element j of the block at block column `column` next. Then it goes on.
template <int block_cols, typename Index>
[[gnu::always_inline]] inline bool take_element(long& at, long end, const Index* col_idx,
                                                Index column, int j) {
    const bool exists = at < end && col_idx[at] == column * block_cols + j;
    at += exists ? 1 : 0;
    return exists;
}

/// Goes on behind the block at block column `column`: how many elements it has.
template <int block_rows, int block_cols, typename Index>
[[gnu::always_inline]] inline int pass_block(long* at, const long* end, const Index* col_idx,
                                             Index column) {
    int elements = 0;
    for (int i = 0; i < block_rows; ++i) {
        for (int j = 0; j < block_cols; ++j) {
            elements += take_element<block_cols>(at[i], end[i], col_idx, column, j) ? 1 : 0;
        }
    }
    return elements;
}

/// The block column of the next block but `skipped`, which other lanes of the block row have.
template <int block_rows, int block_cols, typename Index>
[[gnu::always_inline]] inline Index block_after(long* at, const long* end, const Index* col_idx,
                                                int skipped) {
    Index column = next_block<block_rows, block_cols>(at, end, col_idx);
    for (int i = 0; i < skipped; ++i) {
        pass_block<block_rows, block_cols>(at, end, col_idx, column);
        column = next_block<block_rows, block_cols>(at, end, col_idx);
    }
    return column;
}
