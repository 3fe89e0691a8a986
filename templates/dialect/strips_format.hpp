// What numbers in arrays of the format `strips` mean (docs/strips.md), for kernels that read it and
// those that make it.
#pragma once

/// Bits of slice_info: the code of the deltas in the lowest two; the strips that all lanes have
/// stand above the others.
constexpr int code_bits = 3;
constexpr int ragged_slice = 4;
constexpr int filled_slice = 8;
constexpr int full_strips_shift = 4;

/// What a lane of a long row has in place of a length.
constexpr int length_of_long = 65535;
