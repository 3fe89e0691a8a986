// Kernels of these tests as a compiler for the SIMT executor makes them: a shared object of their
// own, each exported under its symbol and "_simt".
#define SPMVGEN_SIMT_OWN_MODULE
#include "devices/simt/dialect.h"

__global__ void axpy(long n, double alpha, const double* x, double* y) {
    const long i = long(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] += alpha * x[i];
}

/// out[block] = the sum of the block's thread numbers, through shared memory; out[blocks] =
/// warpSize.
__global__ void block_sum(int* out) {
    extern __shared__ int held[];
    held[threadIdx.x] = int(threadIdx.x);
    __syncthreads();
    if (threadIdx.x != 0) return;
    int sum = 0;
    for (unsigned i = 0; i < blockDim.x; ++i) sum += held[i];
    out[blockIdx.x + blockIdx.y * gridDim.x] = sum;
    out[gridDim.x * gridDim.y] = warpSize;
}

/// What the first and the last thread see where a barrier is missing: 1 if the other was before.
__global__ void order(int* out) {
    __shared__ int first;
    if (threadIdx.x == 0) first = 1;
    if (threadIdx.x == blockDim.x - 1) out[0] = first == 1;
}

__global__ void misuse(int* out) {
    if (threadIdx.x == 0) __syncthreads();
    out[threadIdx.x] = 1;
}

SPMVGEN_SIMT_DYNAMIC_SHARED(int, held)
SPMVGEN_SIMT_KERNEL(axpy_simt, axpy)
SPMVGEN_SIMT_KERNEL_SHARED(block_sum_simt, held, block_sum)
SPMVGEN_SIMT_KERNEL(order_simt, order)
SPMVGEN_SIMT_KERNEL(misuse_simt, misuse)

extern "C" {
extern __attribute__((visibility("default"))) const spmvgen_simt_kernel old_simt;
const spmvgen_simt_kernel old_simt = {0, "old", 0, nullptr, 1, nullptr, nullptr, nullptr, 0};
}
