// What the steps share that convert CSR into strips on the device.
#pragma once
#include "dialect/convert/gpu_convert_values.hpp"
#include "dialect/formats/strips_format.hpp"

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

/// Counts of this conversion beside those of dialect/convert/gpu_convert.hpp.
constexpr int count_ragged = 4;  ///< slices; before it strips of slices with each code
constexpr int count_unfit = 6;   ///< slices that no code fits
constexpr int count_filled = 8;  ///< slices with blocks that are not whole, or with holes
constexpr int count_holes = 11;  ///< strips of slices with holes

/// Puts a delta to its place.
[[gnu::always_inline]] inline void put_delta(unsigned char* bytes, int code, long place,
                                             unsigned delta) {
    if (code == deltas_of_8_bits) {
        bytes[place] = static_cast<unsigned char>(delta);
    } else if (code == deltas_of_16_bits) {
        reinterpret_cast<unsigned short*>(bytes)[place] = static_cast<unsigned short>(delta);
    } else if (code == deltas_of_32_bits) {
        reinterpret_cast<unsigned*>(bytes)[place] = delta;
    }
}

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

/// What slice_info says of the lane's slice, which gets the code `empty_code` when it has no
/// strips.
[[gnu::always_inline]] inline int info_of_slice(int* slice_info, strips_lane own, int empty_code) {
    const int info = slice_info[own.slice];
    if (own.width == 0 && own.lane == 0) {
        slice_info[own.slice] = (info & ~code_bits) | empty_code;
    }
    return info;
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
    constexpr int size = entries_of_chunk(warp_size);
    const long row = chunk_row[blockIdx.x];
    const long begin = (static_cast<long>(blockIdx.x) - chunk_ptr[row]) * size;
    const long left = long_ptr[row + 1] - long_ptr[row] - begin;
    strips_chunk chunk = {};
    chunk.from = row_ptr[long_row[row]] + begin;
    chunk.to = long_ptr[row] + begin;
    chunk.count = left < size ? left : static_cast<long>(size);
    return chunk;
}
