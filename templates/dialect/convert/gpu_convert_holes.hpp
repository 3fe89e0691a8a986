// Slices of diagonals with holes (docs/explanation/strips.md), for the steps that convert CSR into
// strips on the device. A diagonal is a column less the offset of the lane that has it: its number
// times `period`.
#pragma once
#include "dialect/convert/gpu_convert_strips.hpp"

/// Greater than all diagonals.
template <typename Index>
inline constexpr Index no_diagonal =
    sizeof(Index) == 4 ? static_cast<Index>(0x7fffffff) : static_cast<Index>(0x7fffffffffffffffl);

/// The slice's least diagonal of those that its lanes have not passed, no_diagonal when there is
/// none; lanes that have it go on to their next entry. Columns of a row rise. All lanes of the warp
/// take part.
template <int slice, typename Index>
[[gnu::always_inline]] inline Index next_diagonal(const Index* col_idx, long* entry, long end,
                                                  int offset) {
    const bool exists = *entry < end;
    const Index own = exists ? static_cast<Index>(col_idx[*entry] - offset) : no_diagonal<Index>;
    const Index next = slice_min<slice>(own);
    *entry += exists && own == next ? 1 : 0;
    return next;
}

/// The number of a slice's diagonals when it can be stored by them: at most `most`, and each has a
/// column of the matrix for every lane; else 0. Where `may` is false nothing is looked at. All lanes
/// of the warp take part.
template <int slice, int period, typename Index>
[[gnu::always_inline]] inline long count_diagonals(const Index* col_idx, long entry, long end,
                                                   int lane, long num_cols, bool may, long most) {
    long count = 0;
    Index first = 0;
    Index last = 0;
    end = may ? end : entry;
    Index next = next_diagonal<slice>(col_idx, &entry, end, lane * period);
    while (any_lane(next != no_diagonal<Index> && count <= most)) {
        const bool found = next != no_diagonal<Index>;
        first = count == 0 ? next : first;
        last = found ? next : last;
        count += found ? 1 : 0;
        next = next_diagonal<slice>(col_idx, &entry, end, lane * period);
    }
    constexpr long beyond = (slice - 1) * period + 1;
    const bool fits = count <= most && first >= 0 && static_cast<long>(last) + beyond <= num_cols;
    return fits ? count : 0l;
}

/// Writes the diagonals of a slice, of which there are `width`. All lanes of the warp take part.
template <int slice, int period, typename Index>
[[gnu::always_inline]] inline void put_diagonals(Index* bases, const Index* col_idx, long entry,
                                                 long end, int lane, int width) {
    for (int k = 0; any_lane(k < width); ++k) {
        const Index next = next_diagonal<slice>(col_idx, &entry, end, lane * period);
        if (lane == 0 && k < width) {
            bases[k] = next;
        }
    }
}

/// Values and masks of a slice with holes, whose diagonals are written.
template <int slice, int period, int value_code, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void fill_diagonals(unsigned char* masks, Storage* values,
                                                  unsigned char* coded_values,
                                                  const Vector* dictionary, int num_distinct,
                                                  const Index* col_idx, const Vector* csr_values,
                                                  const Index* bases, strips_lane own) {
    long entry = own.entry;
    const long end = own.entry + own.strips;
    for (int k = 0; k < own.width; ++k) {
        const bool found =
            entry < end && col_idx[entry] - own.lane * period == bases[own.first + k];
        put_mask<1>(masks, place_in_strips(k, 1, 0, slice, own.lane), found ? 1ull : 0ull);
        if constexpr (value_code != one_value) {
            put_value<value_code>(values, coded_values, dictionary, num_distinct,
                                  place_in_strips(own.first + k, 1, 0, slice, own.lane), found,
                                  found ? csr_values[entry] : Vector{});
        }
        entry += found ? 1 : 0;
    }
}
