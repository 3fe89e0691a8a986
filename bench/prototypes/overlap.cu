// Kernels of overlap.cpp: a product from CSR, `subwarp` lanes a row, and one that does nothing, each
// in three forms: 0 as it is; 1 waits for the launch before it, which may still run when this one
// starts; 2 the same, and lets the launch behind it start early.
// Made into PTX by: clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib
//                   -O3 -ffp-contract=fast -S overlap.cu
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

template <int form>
static __device__ __attribute__((always_inline)) void meet() {
    if (form == 2) asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    if (form >= 1) asm volatile("griddepcontrol.wait;" ::: "memory");
}

template <int form, int subwarp, int unroll>
static __device__ __attribute__((always_inline)) void product(
    int rows, const int* __restrict__ row_ptr, const int* __restrict__ col_idx,
    const double* __restrict__ values, const double* __restrict__ x, double* __restrict__ y) {
    meet<form>();
    const unsigned thread = __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() +
                            __nvvm_read_ptx_sreg_tid_x();
    const int lane = thread % subwarp, row = thread / subwarp;
    double sum = 0;
    if (row < rows) {
        const int end = row_ptr[row + 1];
        for (int k = row_ptr[row] + lane; k < end; k += subwarp * unroll) {
            double value[unroll] = {}, factor[unroll] = {};
            int col[unroll] = {};
#pragma unroll
            for (int u = 0; u < unroll; ++u)
                if (k + u * subwarp < end) {
                    value[u] = __builtin_nontemporal_load(values + k + u * subwarp);
                    col[u] = __builtin_nontemporal_load(col_idx + k + u * subwarp);
                }
#pragma unroll
            for (int u = 0; u < unroll; ++u)
                if (k + u * subwarp < end) factor[u] = x[col[u]];
#pragma unroll
            for (int u = 0; u < unroll; ++u) sum += value[u] * factor[u];
        }
    }
#pragma unroll
    for (int delta = subwarp / 2; delta > 0; delta /= 2) {
        const long long bits = __builtin_bit_cast(long long, sum);
        const int c = ((32 - subwarp) << 8) | 31;
        const unsigned low = __nvvm_shfl_sync_down_i32(~0u, (int)bits, delta, c);
        const unsigned high = __nvvm_shfl_sync_down_i32(~0u, (int)(bits >> 32), delta, c);
        sum += __builtin_bit_cast(double, (long long)((unsigned long long)high << 32 | low));
    }
    if (lane == 0 && row < rows) y[row] = sum;
}

#define KERNEL(form, subwarp, unroll)                                                             \
    extern "C" __global__ void csr_##subwarp##_##unroll##_##form(                                 \
        int rows, const int* row_ptr, const int* col_idx, const double* values, const double* x,  \
        double* y) {                                                                              \
        product<form, subwarp, unroll>(rows, row_ptr, col_idx, values, x, y);                     \
    }
#define FORMS(subwarp, unroll) \
    KERNEL(0, subwarp, unroll) KERNEL(1, subwarp, unroll) KERNEL(2, subwarp, unroll)
FORMS(2, 4)
FORMS(4, 4)
FORMS(8, 4)
FORMS(16, 4)
FORMS(32, 4)

extern "C" __global__ void empty_0() { meet<0>(); }
extern "C" __global__ void empty_1() { meet<1>(); }
extern "C" __global__ void empty_2() { meet<2>(); }
