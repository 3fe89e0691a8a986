// Columns of pieces of CSR's entries one behind another, on the device that has them, for the host to
// copy at once.
//
// What:       the same numbers.
// Source:     ours.
// Parameters: block  128, 256, 512, 1024: threads of a block.
// Work:       an entry a thread, which finds its piece by bisection.
// Reads:      where the pieces are, from the caches; each column once, and writes it side by side.
#pragma once
#include "dialect/convert/gpu_convert.hpp"

template <typename Index, typename Offset, int block>
void gathered_pieces(long num_pieces, long num_gathered, const Offset* __restrict__ piece_begin,
                     const Offset* __restrict__ piece_ptr, const Index* __restrict__ csr_col_idx,
                     Index* __restrict__ gathered) {
    const long i = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (i < num_gathered) {
        const long piece = row_of_entry(piece_ptr, 0l, num_pieces, i);
        gathered[i] = csr_col_idx[piece_begin[piece] + (i - piece_ptr[piece])];
    }
}
