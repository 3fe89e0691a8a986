#pragma once
#include <string_view>

namespace spmvgen {

/// The kernels that a GPU is measured with, in what CUDA, HIP and the SIMT executor have in common.
/// Blocks of 256 threads. `passes`: go through all so often in one launch, each block through
/// another block's part each time, so that it finds nothing in its unit's own cache.
inline constexpr std::string_view calibration_kernels =
    R"(// Micro-kernels of spmvgen tune --calibrate.

struct alignas(16) pair {
    double first;
    double second;
};

/// A number at random that is a pure function of `number`.
static __device__ __forceinline__ unsigned scattered(unsigned number) {
    number *= 0x9e3779b1u;
    number ^= number >> 15;
    number *= 0x85ebca77u;
    return number ^ (number >> 13);
}

extern "C" __global__ void __launch_bounds__(256)
calibrate_nothing(double* out) {
    if (out == nullptr && threadIdx.x == 1024) {
        out[0] = 0;
    }
}

/// Reads `count` pairs, `passes` times.
extern "C" __global__ void __launch_bounds__(256)
calibrate_read(long count, int passes, const pair* x, double* out) {
    const long threads = static_cast<long>(gridDim.x) * 256;
    double sum = 0;
    for (int pass = 0; pass < passes; ++pass) {
        const long block = (static_cast<long>(blockIdx.x) + 37l * pass) % gridDim.x;
        long i = block * 256 + threadIdx.x;
        for (; i + 3 * threads < count; i += 4 * threads) {
            const pair a = x[i];
            const pair b = x[i + threads];
            const pair c = x[i + 2 * threads];
            const pair d = x[i + 3 * threads];
            sum += (a.first + a.second) + (b.first + b.second) + (c.first + c.second) +
                   (d.first + d.second);
        }
        for (; i < count; i += threads) {
            sum += x[i].first + x[i].second;
        }
    }
    if (sum != 0) {
        out[0] = sum;
    }
}

/// Copies `count` pairs, `passes` times.
extern "C" __global__ void __launch_bounds__(256)
calibrate_copy(long count, int passes, const pair* x, pair* y) {
    const long threads = static_cast<long>(gridDim.x) * 256;
    for (int pass = 0; pass < passes; ++pass) {
        const long block = (static_cast<long>(blockIdx.x) + 37l * pass) % gridDim.x;
        long i = block * 256 + threadIdx.x;
        for (; i + 3 * threads < count; i += 4 * threads) {
            const pair a = x[i];
            const pair b = x[i + threads];
            const pair c = x[i + 2 * threads];
            const pair d = x[i + 3 * threads];
            y[i] = a;
            y[i + threads] = b;
            y[i + 2 * threads] = c;
            y[i + 3 * threads] = d;
        }
        for (; i < count; i += threads) {
            y[i] = x[i];
        }
    }
}

/// Each thread loads 8·rounds elements at random places; mask + 1 elements, a power of two.
extern "C" __global__ void __launch_bounds__(256)
calibrate_gather(unsigned mask, int rounds, const double* x, double* out) {
    const unsigned threads = gridDim.x * 256;
    unsigned number = blockIdx.x * 256 + threadIdx.x;
    double sum = 0;
    for (int round = 0; round < rounds; ++round) {
        double part[8];
        for (int k = 0; k < 8; ++k) {
            part[k] = x[scattered(number) & mask];
            number += threads;
        }
        for (int k = 0; k < 8; ++k) {
            sum += part[k];
        }
    }
    if (sum != 0) {
        out[0] = sum;
    }
}

/// Each thread adds to `rounds` elements at random places.
extern "C" __global__ void __launch_bounds__(256)
calibrate_atomics(unsigned mask, int rounds, double* y) {
    const unsigned threads = gridDim.x * 256;
    unsigned number = blockIdx.x * 256 + threadIdx.x;
    for (int round = 0; round < rounds; ++round) {
        atomicAdd(y + (scattered(number) & mask), 1.0);
        number += threads;
    }
}
)";

}  // namespace spmvgen
