// Rows of one width, side by side, for conversions of CSR into ELL and SELL on the device.
#pragma once
#include "dialect/convert/gpu_convert_values.hpp"

/// Entries of a row that a block takes at a time.
constexpr int patch_width = 16;

/// Where entry k of row l of `height` is, of rows that begin at `start` and of which `chunk`
/// neighbouring entries stand together.
template <int chunk>
[[gnu::always_inline]] inline long padded_place(long start, long height, long k, int l) {
    return start + k / chunk * chunk * height + static_cast<long>(l) * chunk + k % chunk;
}

/// Writes the entries from `first` on, patch_width at most and no more than up to `width`, of
/// `rows` rows; what a row has not is padded with column -1 and value 0. begins and lengths, of the
/// rows, and columns and numbers, of rows · (patch_width + 1) elements, are shared memory. All
/// threads of the block take part, and may write to it afterwards.
template <int rows, int chunk, int block, typename Vector, typename Storage, typename Index>
[[gnu::always_inline]] inline void write_patch(const long* begins, const int* lengths,
                                               Index* columns, Vector* numbers, long start,
                                               long height, int first, int width,
                                               const Index* csr_col_idx, const Vector* csr_values,
                                               Index* col_idx, Storage* values) {
    constexpr int together = chunk < patch_width ? chunk : patch_width;
    const int left = width - first;
    const int wide = left < patch_width ? left : patch_width;
    // As they lie in CSR.
    for (int t = static_cast<int>(threadIdx.x); t < rows * wide; t += block) {
        const int l = t / wide;
        const int k = t % wide;
        const bool exists = first + k < lengths[l];
        const long entry = exists ? begins[l] + first + k : 0l;
        columns[l * (patch_width + 1) + k] = exists ? csr_col_idx[entry] : static_cast<Index>(-1);
        numbers[l * (patch_width + 1) + k] = exists ? csr_values[entry] : Vector{};
    }
    __syncthreads();
    // As they will lie.
    for (int t = static_cast<int>(threadIdx.x); t < rows * wide; t += block) {
        const int l = t / together % rows;
        const int k = t / (together * rows) * together + t % together;
        const long place = padded_place<chunk>(start, height, first + k, l);
        col_idx[place] = columns[l * (patch_width + 1) + k];
        values[place] = stored_as<Storage>(numbers[l * (patch_width + 1) + k]);
    }
    __syncthreads();
}
