// What numbers in arrays of the format `strips` mean (docs/explanation/strips.md), for kernels that
// read it, those that make it, and the host, which converts as well.
#pragma once

/// Bits of slice_info: the code of the deltas in the lowest two; the strips that all lanes have
/// stand above the others.
constexpr int code_bits = 3;
constexpr int ragged_slice = 4;
constexpr int filled_slice = 8;
constexpr int full_strips_shift = 4;

/// Codes of deltas: the lane's number times the period, of which none is stored, and deltas that are
/// stored in bytes_of_delta<code> bytes. Of a 32-bit index the last are the columns themselves.
constexpr int affine_deltas = 0;
constexpr int deltas_of_8_bits = 1;
constexpr int deltas_of_16_bits = 2;
constexpr int deltas_of_32_bits = 3;

template <int code>
inline constexpr int bytes_of_delta = code == deltas_of_32_bits ? 4 : code;

/// The widest of the codes that are bits of `codes`.
template <int codes>
inline constexpr int widest_code = codes >= 8   ? 3
                                   : codes >= 4 ? 2
                                   : codes >= 2 ? 1
                                                : 0;

/// Whether a slice may have elements that the matrix does not have: of single entries only one of
/// diagonals, whose holes they are.
template <int code, int block>
inline constexpr bool may_have_fill = block > 1 || code == affine_deltas;

/// What a lane of a long row has in place of a length.
constexpr int length_of_long = 65535;

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
