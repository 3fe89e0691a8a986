// CSR into ELL, on the device that has it.
//
// What:       the arrays that the host makes, to the last bit. The host knows the width: entries of
//             the longest row.
// Source:     ours.
// Parameters: block  128, 256, 512, 1024: threads of a block.
//             group  1, 2, 4 … 64: neighbouring entries of a row that stand together.
// Work:       fill: a block takes 16 entries of each of 32 rows, through shared memory.
// Reads:      row offsets once for every 16 entries of the width; columns twice and values once,
//             as they lie; writes each array once, as it will lie.
#pragma once
#include "dialect/convert/gpu_convert_padded.hpp"

/// Rows of a patch: what their number is padded to.
constexpr int patch_rows = 32;

template <typename Vector, typename Storage, typename Index, typename Offset, int group, int block>
void convert_ell_fill(long num_rows, long stride, int width, int num_stretches,
                      const Offset* __restrict__ row_ptr, const Index* __restrict__ csr_col_idx,
                      const Vector* __restrict__ csr_values, Index* __restrict__ col_idx,
                      Storage* __restrict__ values) {
    __shared__ long begins[patch_rows];
    __shared__ int lengths[patch_rows];
    __shared__ Index columns[patch_rows * (patch_width + 1)];
    __shared__ Vector numbers[patch_rows * (patch_width + 1)];
    const long first_row = static_cast<long>(blockIdx.x / num_stretches) * patch_rows;
    const int first = static_cast<int>(blockIdx.x % num_stretches) * patch_width;
    for (int l = static_cast<int>(threadIdx.x); l < patch_rows; l += block) {
        const long row = first_row + l;
        begins[l] = row < num_rows ? static_cast<long>(row_ptr[row]) : 0l;
        lengths[l] = row < num_rows ? static_cast<int>(row_ptr[row + 1] - row_ptr[row]) : 0;
    }
    __syncthreads();
    write_patch<patch_rows, group, block>(begins, lengths, columns, numbers, first_row * group,
                                          stride, first, width, csr_col_idx, csr_values, col_idx,
                                          values);
}
