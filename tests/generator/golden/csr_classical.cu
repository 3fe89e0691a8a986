// csr_classical_f64_i32_a1_b0_2af68b55: y = A x
// CSR, a group of lanes a row.
//
// Source:  CSR vector (Bell & Garland, SC 2009); Algorithm 2 of Tsai, Cojean & Anzt, ISC 2020.
// Reads:   nnz·(8 + 4) + rows·4 bytes of A, x once for each entry; writes y once.
// Made by: spmvgen 0.2.0 from templates/gpu/csr_classical.hpp; sizes of arrays count elements
// Command: spmvgen emit --kernel csr_classical --arch sm_90 --value f64 --index i32 --offset i32
//          --alpha one --beta zero --rhs 1 --param block=256,subwarp=8,unroll=4

#ifndef SPMVGEN_OWN_INSTRUCTIONS
static __device__ __forceinline__ void griddepcontrol_wait() {
    unsigned units;  // multiprocessors; where half of them have a block, the next launch may begin
    asm("mov.u32 %0, %%nsmid;" : "=r"(units));
    if (2 * gridDim.x * gridDim.y <= units) asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
#endif

/// y = αAx + βy for A in CSR.
/// Launch: grid (ceil(num_rows / 32)), blocks of 256 threads.
/// num_rows: rows of A
/// row_ptr[num_rows + 1]: where each row's entries begin, then their number
/// col_idx[row_ptr[num_rows]]: column of each entry, from 0
/// values[row_ptr[num_rows]]: value of each entry
/// x[columns of A]
/// y[num_rows]
extern "C" __global__ void __launch_bounds__(256)
    csr_classical_f64_i32_a1_b0_2af68b55(long num_rows, const int* row_ptr, const int* col_idx,
                                         const double* values, const double* x, double* y) {
    const int lane = static_cast<int>(threadIdx.x) % 8;
    const long row = static_cast<long>(blockIdx.x) * 32 + threadIdx.x / 8;
    double sum = 0.0;
    if (row < num_rows) {
        const long begin = row_ptr[row];
        const long end = row_ptr[row + 1];
        int col[4] = {};
        for (int u = 0; u < 4; ++u)
            if (begin + lane + u * 8 < end) col[u] = col_idx[begin + lane + u * 8];
        griddepcontrol_wait();
        for (long k = begin + lane; k < end; k += 8 * 4) {
            double value[4] = {};
            for (int u = 0; u < 4; ++u)
                if (k + u * 8 < end) value[u] = __ldcs(values + k + u * 8);
            double factor[4] = {};
            for (int u = 0; u < 4; ++u)
                if (k + u * 8 < end) factor[u] = x[col[u]];
            for (int u = 0; u < 4; ++u)
                sum += value[u] * factor[u];
            for (int u = 0; u < 4; ++u)
                if (k + (4 + u) * 8 < end) col[u] = __ldcs(col_idx + k + (4 + u) * 8);
        }
    }
    for (int delta = 4; delta >= 1; delta /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, static_cast<unsigned>(delta), 8);
    if (lane == 0 && row < num_rows) y[row] = sum;
}

#ifdef SPMVGEN_LAUNCHER
/// Enqueues y = A x on `stream`. Pointers are the device's.
static inline void csr_classical_f64_i32_a1_b0_2af68b55_launch(long num_rows, const int* row_ptr,
                                                               const int* col_idx,
                                                               const double* values,
                                                               const double* x, double* y,
                                                               cudaStream_t stream) {
    long blocks1 = num_rows < 1 ? 1 : (num_rows + 31) / 32;
    csr_classical_f64_i32_a1_b0_2af68b55<<<dim3(static_cast<unsigned>(blocks1), 1), 256, 0,
                                           stream>>>(num_rows, row_ptr, col_idx, values, x, y);
}
#endif
