// sell_slices_f64_i32_a1_b0_1fb841f5: y = A x
// SELL-P / SELL-C-σ: slices of C rows, each padded to its own longest row.
//
// Source:  SELL-C-σ (Kreutzer, Hager, Wellein, Fehske & Bishop, SISC 36(5), 2014) and SELL-P (Anzt,
//          Tomov & Dongarra, SELL-C/SELL-C-σ formats on NVIDIA GPUs, 2014).
// Format:  slice_ptr counts columns of slices, whose number is a multiple of t = threads_per_row:
//          entry k of row l of a slice is at (slice_ptr[slice] + (k / t)·t)·C + l·t + k % t.
//          Padding has the column -1 and the value 0 and never meets x. row_order holds the row of
//          A at each position (σ > 1).
// Reads:   stored·(8 + 4) bytes plus an offset a slice, an index a row (σ > 1), x once for each
//          entry; writes y once.
// Made by: spmvgen 0.2.0 from templates/gpu/sell_slices.hpp; sizes of arrays count elements
// Command: spmvgen emit --kernel sell_slices --arch sm_90 --value f64 --index i32 --offset i32
//          --alpha one --beta zero --rhs 1 --param block=256,sigma=1024,slice=32,threads_per_row=1
//          --param unroll=4

#ifndef SPMVGEN_OWN_INSTRUCTIONS
static __device__ __forceinline__ void griddepcontrol_wait() {
    unsigned units;  // multiprocessors; where half of them have a block, the next launch may begin
    asm("mov.u32 %0, %%nsmid;" : "=r"(units));
    if (2 * gridDim.x * gridDim.y <= units) asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
#endif

/// y = αAx + βy.
/// Launch: grid (ceil(num_rows / 256)), blocks of 256 threads.
/// num_rows: rows of A
/// slice_ptr[num_slices + 1]: where each slice begins, in columns of slices
/// row_order[num_rows]: row of A at each position, or the element of y that each row makes
/// col_idx[stored entries]: column of each entry, from 0
/// values[stored entries]: value of each entry
/// x[columns of A]
/// y[num_rows]
extern "C" __global__ void __launch_bounds__(256)
    sell_slices_f64_i32_a1_b0_1fb841f5(long num_rows, const int* slice_ptr, const int* row_order,
                                       const int* col_idx, const double* values, const double* x,
                                       double* y) {
    const long thread = static_cast<long>(blockIdx.x) * 256 + threadIdx.x;
    const long row = thread >= num_rows ? thread : row_order[thread];
    double sum = 0.0;
    if (thread < num_rows) {
        const long begin = slice_ptr[thread / 32];
        const long place = begin * 32 + thread % 32;
        const int count = static_cast<int>(slice_ptr[thread / 32 + 1] - begin);
        int col[4];
        for (int u = 0; u < 4; ++u)
            col[u] = u < count ? col_idx[place + u * 32] : -1;
        griddepcontrol_wait();
        for (int k = 0; k < count && col[0] >= 0;) {
            double value[4];
            for (int u = 0; u < 4; ++u)
                value[u] = k + u < count ? __ldcs(values + place + (k + u) * 32) : 0.0;
            double factor[4];
            for (int u = 0; u < 4; ++u)
                factor[u] = col[u] >= 0 ? x[col[u]] : 0.0;
            for (int u = 0; u < 4; ++u)
                sum += value[u] * factor[u];
            k = col[3] >= 0 ? k + 4 : count;
            for (int u = 0; u < 4; ++u)
                col[u] = k + u < count ? __ldcs(col_idx + place + (k + u) * 32) : -1;
        }
    }
    if (thread < num_rows) y[row] = sum;
}

#ifdef SPMVGEN_LAUNCHER
/// Enqueues y = A x on `stream`. Pointers are the device's.
static inline void sell_slices_f64_i32_a1_b0_1fb841f5_launch(long num_rows, const int* slice_ptr,
                                                             const int* row_order,
                                                             const int* col_idx,
                                                             const double* values, const double* x,
                                                             double* y, cudaStream_t stream) {
    long blocks1 = num_rows < 1 ? 1 : (num_rows + 255) / 256;
    sell_slices_f64_i32_a1_b0_1fb841f5<<<dim3(static_cast<unsigned>(blocks1), 1), 256, 0, stream>>>(
        num_rows, slice_ptr, row_order, col_idx, values, x, y);
}
#endif
