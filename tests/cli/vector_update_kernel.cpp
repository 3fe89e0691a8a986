// What the driver makes of bench's PTX, for the SIMT executor: x = z ⊕ (y & mask).
#define SPMVGEN_SIMT_OWN_MODULE
#include "devices/simt/dialect.h"

__global__ void vector_update(unsigned* x, const unsigned* y, const unsigned* z,
                              unsigned long x_words, unsigned long y_words, unsigned mask) {
    const unsigned long word = (unsigned long)(blockIdx.x) * blockDim.x + threadIdx.x;
    if (word < x_words) x[word] = z[word] ^ (word < y_words ? y[word] & mask : 0);
}

SPMVGEN_SIMT_KERNEL(vector_update_simt, vector_update)
