#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "compilers/gpu/gpu_compiler.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {

/// Three kernels that CUDA and HIP spell alike: a thread a row; shared memory of 256 doubles and a
/// barrier; one that holds 480 registers across a barrier, more than a thread can have.
inline const std::string gpu_kernels_text = R"(
extern "C" __global__ void csr_rows(int rows, const int* row_ptr, const int* columns,
                                    const double* values, const double* x, double* y) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    double sum = 0;
    for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
}

extern "C" __global__ void __launch_bounds__(256) block_sums(const double* x, double* sums) {
    __shared__ double part[256];
    part[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

extern "C" __global__ void __launch_bounds__(1024) spills(double* y) {
    double held[240];
#pragma unroll
    for (int i = 0; i < 240; ++i) held[i] = y[threadIdx.x + i * 1024];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 240; ++i) y[threadIdx.x + i * 1024] = held[i] * held[239 - i];
}
)";

inline GpuJob gpu_job(const std::string& text, const Target& target, BinaryKind output) {
    return {{"kernel.cu", text}, target, output, false};
}

/// What an AMD compiler makes for the target's vendor by default.
inline BinaryKind binary_output(Compiler compiler, TargetKind vendor) {
    if (vendor == TargetKind::hip) return BinaryKind::hsaco;
    return compiler == Compiler::nvrtc ? BinaryKind::cubin : BinaryKind::ptx;
}

/// Whether the compiler of this machine makes code for the target.
inline bool known(Compiler compiler, const Target& target) {
    static std::map<Compiler, GpuCompilerInfo> infos;
    if (!infos.contains(compiler)) infos[compiler] = gpu_compiler_info(compiler);
    auto& names = infos[compiler].architectures;
    return std::ranges::find(names, target.arch) != names.end();
}

/// The message of the Error that `work` throws; its code must be `code`.
template <typename Work>
std::string error_text(ErrorCode code, Work work) {
    try {
        work();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return "";
}

}  // namespace spmvgen
