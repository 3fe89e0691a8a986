// Kernels for bench_simt: one that never waits, one with barriers, one with shuffles.
#include "devices/simt/dialect.h"

__global__ void no_wait(const double* x, double* y) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 2 * x[i];
}

/// A tree over 256 threads: 9 barriers.
__global__ void barriers(const double* x, double* y) {
    __shared__ double partial[256];
    partial[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = partial[0];
}

/// A barrier, as a kernel that sums a few partial results needs.
__global__ void one_barrier(const double* x, double* y) {
    __shared__ double held[256];
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    held[threadIdx.x] = x[i];
    __syncthreads();
    y[i] = held[255 - threadIdx.x];
}

/// 5 shuffles in warps of 32, 6 in wavefronts of 64.
__global__ void shuffles(const double* x, double* y) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = x[i];
    for (int d = warpSize / 2; d > 0; d /= 2) sum += __shfl_down(sum, d);
    if (threadIdx.x % warpSize == 0) y[i] = sum;
}

SPMVGEN_SIMT_KERNEL(bench_no_wait, no_wait)
SPMVGEN_SIMT_KERNEL(bench_one_barrier, one_barrier)
SPMVGEN_SIMT_KERNEL(bench_barriers, barriers)
SPMVGEN_SIMT_KERNEL(bench_shuffles, shuffles)
