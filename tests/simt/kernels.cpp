// Kernels in the CUDA/HIP dialect, compiled into a shared object of their own, as the product does.
#define SPMVGEN_SIMT_OWN_MODULE
#include "devices/simt/dialect.h"

#define FULL_MASK (warpSize == 64 ? ~0ull : 0xffffffffull)

__device__ inline int lane_of() {
    return int(threadIdx.x) % warpSize;
}

__global__ void block_sum(int n, const double* __restrict__ x, double* out) {
    __shared__ double partial[256];
    const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
    partial[threadIdx.x] = i < n ? __ldg(x + i) : 0;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicAdd(out, partial[0]);
}

/// y[i] = x[n - 1 - i] within each block.
template <typename Value>
__global__ void __launch_bounds__(1024) turned(const Value* x, Value* y) {
    extern __shared__ double dynamic[];
    Value* held = reinterpret_cast<Value*>(dynamic);
    const unsigned first = blockIdx.x * blockDim.x;
    held[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    y[first + threadIdx.x] = held[blockDim.x - 1 - threadIdx.x];
}

__global__ void warp_sum_masked(const int* x, int* y) {
    int sum = x[threadIdx.x];
    for (int d = warpSize / 2; d > 0; d /= 2) sum += __shfl_down_sync(FULL_MASK, sum, d);
    if (lane_of() == 0) y[int(threadIdx.x) / warpSize] = sum;
}

__global__ void warp_sum_unmasked(const float* x, float* y) {
    float sum = x[threadIdx.x];
    for (int d = warpSize / 2; d > 0; d /= 2) sum += __shfl_down(sum, d);
    if (lane_of() == 0) y[int(threadIdx.x) / warpSize] = sum;
}

/// Sums of subwarps of 8, in every lane.
__global__ void subwarp_sum(const double* x, double* y) {
    double sum = x[threadIdx.x];
    for (int d = 4; d > 0; d /= 2) sum += __shfl_xor_sync(FULL_MASK, sum, d, 8);
    y[threadIdx.x] = sum;
}

/// Inclusive sums within runs of equal keys, warp by warp.
__global__ void segmented_scan(const int* key, const int* value, int* out) {
    int sum = value[threadIdx.x];
    for (int d = 1; d < warpSize; d *= 2) {
        const int other_key = __shfl_up_sync(FULL_MASK, key[threadIdx.x], d);
        const int other = __shfl_up_sync(FULL_MASK, sum, d);
        if (lane_of() >= d && other_key == key[threadIdx.x]) sum += other;
    }
    out[threadIdx.x] = sum;
}

__global__ void add_everywhere(float* f, double* d, int* i, unsigned* u, unsigned long long* l) {
    atomicAdd(f, 1.0f);
    atomicAdd(d, 0.5);
    atomicAdd(i, -1);
    atomicAdd(u, 2u);
    atomicAdd(l, 1ull << 32);
}

/// Every thread writes where it is; the whole block goes through a barrier.
__global__ void where(unsigned* out) {
    __shared__ unsigned seen;
    if (threadIdx.x == 0 && threadIdx.y == 0) seen = 0;
    __syncthreads();
    atomicAdd(&seen, 1u);
    __syncthreads();
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    out[row * (gridDim.x * blockDim.x) + column] = seen * 10000 + row * 100 + column;
}

__global__ void ballots(unsigned long long* out) {
    out[threadIdx.x] = __ballot_sync(FULL_MASK, threadIdx.x % 2 == 0);
}

/// Lanes from `count` on return; the others add up, each the lanes from itself on.
__global__ void early_exit(int count, int* out) {
    const int lane = lane_of();
    if (lane >= count) return;
    const unsigned long long mask = (1ull << count) - 1;
    int sum = lane;
    for (int d = 1; d < count; d *= 2) {
        const int other = __shfl_down_sync(mask, sum, d);
        if (lane + d < count) sum += other;
    }
    out[threadIdx.x] = sum;
}

/// Lanes go round a loop lane % 4 + 1 times; each ballot of the loop sees those still in it.
__global__ void diverging_loop(unsigned long long* inside, unsigned long long* after) {
    for (int i = 0; i <= lane_of() % 4; i++) inside[threadIdx.x] = __ballot(1);
    after[threadIdx.x] = __ballot(1);
}

/// Two halves of a warp, each with a mask of its own, in different places.
__global__ void halves(int* out) {
    const int half = warpSize / 2;
    const unsigned long long low = FULL_MASK >> half;
    if (lane_of() < half)
        out[threadIdx.x] = __shfl_sync(low, lane_of(), 3);
    else
        out[threadIdx.x] = __shfl_sync(low << half, lane_of(), half + 5);
}

__global__ void votes(int* out) {
    out[3 * threadIdx.x] = __any_sync(FULL_MASK, lane_of() == 7);
    out[3 * threadIdx.x + 1] = __all_sync(FULL_MASK, lane_of() != 7);
    out[3 * threadIdx.x + 2] = __all_sync(FULL_MASK, 1) + __any_sync(FULL_MASK, 0);
}

/// Value of the first lane of the warp, through shared memory and __syncwarp.
__global__ void syncwarp(int* out) {
    __shared__ int slot[32];
    if (lane_of() == warpSize - 1) slot[int(threadIdx.x) / warpSize] = int(threadIdx.x);
    __syncwarp();
    out[threadIdx.x] = slot[int(threadIdx.x) / warpSize];
}

// ---- planted bugs; the tests know the lines ----
// clang-format off

#line 100
__global__ void missing_barrier_up(double* y) {  // reads what the thread before has written
    __shared__ double s[256];
    s[threadIdx.x] = threadIdx.x;
    y[threadIdx.x] = threadIdx.x > 0 ? s[threadIdx.x - 1] : -1;
}
__global__ void missing_barrier_down(double* y) {
    __shared__ double s[257];
    s[threadIdx.x] = threadIdx.x;
    y[threadIdx.x] = threadIdx.x + 1 < blockDim.x ? s[threadIdx.x + 1] : -1;
}

#line 200
__global__ void mask_without_self(int* y) {
    y[threadIdx.x] = __shfl_down_sync(0xffffull, 1, 1);
}
__global__ void mask_of_others(int* y) {  // names lanes that go to the barrier
    if (threadIdx.x < 8) y[threadIdx.x] = __shfl_down_sync(FULL_MASK, 1, 1);
    __syncthreads();
}
__global__ void mask_too_small(int* y) {  // lane 3 reads lane 4, which takes no part
    const unsigned long long mask = lane_of() < 4 ? 0xfull : FULL_MASK & ~0xfull;
    y[threadIdx.x] = __shfl_down_sync(mask, 1, 1);
}
__global__ void wrong_width(int* y) { y[threadIdx.x] = __shfl(1, 0, 12); }
__global__ void returned_lane(int* y) {  // lane 1 is gone when lane 0 asks for its value
    if (lane_of() != 0) return;
    y[0] = __shfl_down(1, 1);
}

#line 300
__global__ void divergent_barrier(int* y) {
    if (threadIdx.x < 16)
        __syncthreads();
    else
        __syncthreads();
    y[threadIdx.x] = 1;
}
__global__ void barrier_after_return(int* y) {
    if (threadIdx.x == 5) return;
    __syncthreads();
    y[threadIdx.x] = 1;
}

#line 400
__global__ void uninitialised_static(double* y) {
    __shared__ double s[4];
    y[blockIdx.x] = s[0];
    s[0] = 1;
}
__global__ void uninitialised_dynamic(double* y) {
    extern __shared__ double dynamic[];
    y[blockIdx.x] = dynamic[0];
    dynamic[0] = 1;
}
__global__ void beyond_dynamic(int n) {
    extern __shared__ double dynamic[];
    dynamic[n] = 1;
}
__global__ void beyond_array(int n, const double* x, double* y) { *y = x[n]; }
// clang-format on

SPMVGEN_SIMT_DYNAMIC_SHARED(double, dynamic)
SPMVGEN_SIMT_KERNEL(simt_block_sum, block_sum)
SPMVGEN_SIMT_KERNEL_SHARED(simt_turned_f64, dynamic, turned<double>)
SPMVGEN_SIMT_KERNEL_SHARED(simt_turned_i32, dynamic, turned<int>)
SPMVGEN_SIMT_KERNEL(simt_warp_sum_masked, warp_sum_masked)
SPMVGEN_SIMT_KERNEL(simt_warp_sum_unmasked, warp_sum_unmasked)
SPMVGEN_SIMT_KERNEL(simt_subwarp_sum, subwarp_sum)
SPMVGEN_SIMT_KERNEL(simt_segmented_scan, segmented_scan)
SPMVGEN_SIMT_KERNEL(simt_add_everywhere, add_everywhere)
SPMVGEN_SIMT_KERNEL(simt_where, where)
SPMVGEN_SIMT_KERNEL(simt_ballots, ballots)
SPMVGEN_SIMT_KERNEL(simt_early_exit, early_exit)
SPMVGEN_SIMT_KERNEL(simt_diverging_loop, diverging_loop)
SPMVGEN_SIMT_KERNEL(simt_halves, halves)
SPMVGEN_SIMT_KERNEL(simt_votes, votes)
SPMVGEN_SIMT_KERNEL(simt_syncwarp, syncwarp)
SPMVGEN_SIMT_KERNEL(simt_missing_barrier_up, missing_barrier_up)
SPMVGEN_SIMT_KERNEL(simt_missing_barrier_down, missing_barrier_down)
SPMVGEN_SIMT_KERNEL(simt_mask_without_self, mask_without_self)
SPMVGEN_SIMT_KERNEL(simt_mask_of_others, mask_of_others)
SPMVGEN_SIMT_KERNEL(simt_mask_too_small, mask_too_small)
SPMVGEN_SIMT_KERNEL(simt_wrong_width, wrong_width)
SPMVGEN_SIMT_KERNEL(simt_returned_lane, returned_lane)
SPMVGEN_SIMT_KERNEL(simt_divergent_barrier, divergent_barrier)
SPMVGEN_SIMT_KERNEL(simt_barrier_after_return, barrier_after_return)
SPMVGEN_SIMT_KERNEL(simt_uninitialised_static, uninitialised_static)
SPMVGEN_SIMT_KERNEL_SHARED(simt_uninitialised_dynamic, dynamic, uninitialised_dynamic)
SPMVGEN_SIMT_KERNEL_SHARED(simt_beyond_dynamic, dynamic, beyond_dynamic)
SPMVGEN_SIMT_KERNEL(simt_beyond_array, beyond_array)
