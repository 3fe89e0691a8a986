// Entries that stay in their order, for conversions of CSR on the device.
#pragma once
#include "dialect/convert/gpu_convert_values.hpp"

/// Values in the storage type.
template <typename Vector, typename Storage, int block>
void convert_values(long nnz, const Vector* __restrict__ csr_values, Storage* __restrict__ values) {
    for (long i = static_cast<long>(blockIdx.x) * block + threadIdx.x; i < nnz;
         i += static_cast<long>(gridDim.x) * block) {
        values[i] = stored_as<Storage>(csr_values[i]);
    }
}
