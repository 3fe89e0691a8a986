// New values of the same pattern put where the stored matrix has them, whatever its format.
//
// What:       values[i] is that of entry[i]; places without an entry stay as they are.
// Source:     a plain loop.
// Parameters: block  128, 256, 512, 1024: threads of a block.
// Work:       a thread a place: neighbouring places mostly have neighbouring entries.
// Reads:      4 bytes a place and each value once; writes each place once.
#pragma once
#include "dialect/convert/gpu_convert.hpp"

template <typename Vector, typename Storage, int block>
void values_at_places(long num_places, const int* __restrict__ entry,
                      const Vector* __restrict__ csr_values, Storage* __restrict__ values) {
    const long i = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (i < num_places) {
        const int from = entry[i];
        if (from >= 0) {
            values[i] = converted<Storage>(csr_values[from]);
        }
    }
}
