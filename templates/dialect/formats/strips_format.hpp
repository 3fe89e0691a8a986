// What numbers in arrays of the format `strips` mean (docs/explanation/strips.md), for kernels that
// read it, those that make it, and the host, which converts as well.
#pragma once

// Bits and codes are no enumerations: Clang's front end, which reads a kernel's text several times,
// takes far longer for an operator with one.

constexpr int code_bits = 3;          ///< of slice_info: the code of the deltas
constexpr int ragged_slice = 4;       ///< bit of slice_info: lanes have different lengths
constexpr int filled_slice = 8;       ///< bit of slice_info: blocks are not whole
constexpr int full_strips_shift = 4;  ///< where strips that all lanes have stand in slice_info

constexpr int affine_deltas = 0;      ///< a code: the lane's number times the period, not stored
constexpr int deltas_of_8_bits = 1;   ///< a code
constexpr int deltas_of_16_bits = 2;  ///< a code
constexpr int deltas_of_32_bits = 3;  ///< a code; of a 32-bit index the columns themselves

/// In place of a code where none fits.
constexpr int no_code = 4;

/// The narrowest code for strips whose columns are `widest` apart at most, or no_code; affine where
/// each lane's column is where the period leads to.
[[gnu::always_inline]] inline int narrowest_code(bool is_affine, unsigned long long widest) {
    return is_affine           ? affine_deltas
           : widest >> 8 == 0  ? deltas_of_8_bits
           : widest >> 16 == 0 ? deltas_of_16_bits
           : widest >> 32 == 0 ? deltas_of_32_bits
                               : no_code;
}

/// What slice_info says of a slice of `width` strips, of which all lanes have `full`; a long row
/// among them has -1. The code is added.
[[gnu::always_inline]] inline int info_of_lengths(int full, int width) {
    return (full < 0 ? 0 : full) << full_strips_shift | (full != width ? ragged_slice : 0);
}

/// The same of a slice that is so many diagonals with holes.
[[gnu::always_inline]] inline int info_of_diagonals(int count) {
    return count << full_strips_shift | filled_slice | affine_deltas;
}

/// Bytes of a delta.
template <int code>
inline constexpr int bytes_of_delta = code == deltas_of_32_bits ? 4 : code;

/// The same of a code that is read.
[[gnu::always_inline]] inline int delta_bytes(int code) {
    return code == deltas_of_32_bits ? 4 : code;
}

/// Whether the bit mask `codes` has the code.
template <int codes, int code>
inline constexpr bool has_delta_code = (codes >> code & 1) != 0;

/// The bit mask of one code.
template <int code>
inline constexpr int only_code = 1 << code;

/// The widest of the codes that are bits of `codes`.
template <int codes>
inline constexpr int widest_code = codes >= only_code<deltas_of_32_bits>   ? deltas_of_32_bits
                                   : codes >= only_code<deltas_of_16_bits> ? deltas_of_16_bits
                                   : codes >= only_code<deltas_of_8_bits>  ? deltas_of_8_bits
                                                                           : affine_deltas;

/// Whether a slice may have elements that the matrix does not have: of single entries only one of
/// diagonals, whose holes they are.
template <int code, int block>
inline constexpr bool may_have_fill = block > 1 || code == affine_deltas;

/// Bytes of the mask of a block of so many elements.
constexpr int mask_bytes(int elements) {
    return elements <= 8 ? 1 : elements <= 16 ? 2 : elements <= 32 ? 4 : 8;
}

/// Where the value of a lane is: that of element `element` of its block, of `size` elements, in strip
/// `strip`. Lanes stand side by side. Deltas, masks: the same with size 1.
[[gnu::always_inline]] inline long place_in_strips(long strip, long size, long element, long lanes,
                                                   long lane) {
    return (strip * size + element) * lanes + lane;
}

/// Strips of a lane of a row of so many blocks, which `sharing` lanes share in turn.
[[gnu::always_inline]] inline long strips_of_lane(long blocks, long lane, long sharing) {
    return (blocks - lane % sharing + sharing - 1) / sharing;
}

/// What a lane of a long row has in place of a length.
constexpr int length_of_long = 65535;
/// Strips that a lane has at most.
constexpr long most_strips = length_of_long - 1;

/// Entries of a chunk of a long row on a GPU.
constexpr int entries_of_chunk(int wavefront) {
    return 32 * wavefront;
}

/// So many strips without deltas take fewer bytes than `width` strips with those of a code, or of
/// the widest, when values have so many bytes.
[[gnu::always_inline]] inline long most_diagonals(long width, int code, long value_bytes) {
    const long delta = delta_bytes(code < deltas_of_32_bits ? code : deltas_of_32_bits);
    const long most = (width * (value_bytes + delta) - 1) / value_bytes;
    return most < most_strips ? most : most_strips;
}

/// The row at a position where slices come in groups of `period`: slice s of a whole group has every
/// period-th row from row s on. Rows behind the last whole group keep their order.
template <int slice, int period>
[[gnu::always_inline]] inline long row_of_group(long position, long num_rows) {
    constexpr int group = slice * period;
    if (position >= num_rows / group * group) {
        return position;
    }
    return position / group * group + position % slice * period + position / slice % period;
}
