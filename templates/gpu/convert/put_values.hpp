// New values of the same pattern put where the stored matrix has them, whatever its format.
//
// What:       place i gets the value of entry[i], or its code; places without an entry stay as they
//             are. `values` gets what codes stand for.
// Source:     a plain loop.
// Parameters: block       128, 256, 512, 1024: threads of a block.
//             value_code  0 … 3: as coded_values.hpp says; the host knows the dictionary, and that
//                         all values have codes.
// Work:       a thread a place: neighbouring places mostly have neighbouring entries.
// Reads:      4 bytes a place and each value once; writes each place once.
#pragma once
#include "dialect/convert/gpu_convert_values.hpp"

template <typename Vector, typename Storage, int block, int value_code>
void values_at_places(long num_places, const int* __restrict__ entry,
                      const Vector* __restrict__ csr_values, const Vector* __restrict__ dictionary,
                      int num_distinct, Storage* __restrict__ values,
                      unsigned char* __restrict__ coded_values) {
    const long i = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (i < num_places) {
        const int from = entry[i];
        if (from >= 0) {
            put_value<value_code>(values, coded_values, dictionary, num_distinct, i, true,
                                  csr_values[from]);
        }
    }
}

/// What codes stand for. One block.
template <typename Vector, typename Storage, int block, int value_code>
void values_of_codes(const Vector* __restrict__ csr_values, const Vector* __restrict__ dictionary,
                     int num_distinct, Storage* __restrict__ values) {
    put_decoded<value_code>(values, csr_values, dictionary, num_distinct,
                            static_cast<int>(threadIdx.x), block);
}
