// ell_groups_f64_i32_a1_b0_99cbbe9c: y = A x
// ELL, column after column: a thread a row, or several threads of a block for each row.
//
// Source:  Algorithms 4 and 5 of Tsai, Cojean & Anzt, Sparse Linear Algebra on AMD and NVIDIA GPUs,
//          ISC 2020; Ginkgo adds the groups' sums by atomics in shared memory.
// Format:  entry k of row i is at k·stride + i; stride is m rounded up to 32. Padding has the
//          column -1 and the value 0 and never meets x.
// Reads:   the entries of each 32 rows up to their longest row, rounded up to `unroll`; x once for
//          each entry; writes y once.
// Made by: spmvgen 0.2.0 from templates/gpu/ell_groups.hpp; sizes of arrays count elements
// Command: spmvgen emit --kernel ell_groups --arch gfx906 --value f64 --index i32 --offset i32
//          --alpha one --beta zero --rhs 1 --param
//          block=512,blocks_per_row=1,deterministic=0,groups=1 --param unroll=4

/// y = αAx + βy, or with several blocks a row: y += αAx, or parts = Ax for this block's columns.
/// Launch: grid (ceil(num_rows / 512)), blocks of 512 threads.
/// num_rows: rows of A
/// width: entries of a row, padding included
/// stride: distance of neighbouring entries of a row
/// col_idx[stored entries]: column of each entry, from 0
/// values[stored entries]: value of each entry
/// x[columns of A]
/// y[num_rows]
extern "C" __global__ void __launch_bounds__(512)
    ell_groups_f64_i32_a1_b0_99cbbe9c(long num_rows, long width, long stride,
                                      const int* __restrict__ col_idx,
                                      const double* __restrict__ values,
                                      const double* __restrict__ x, double* __restrict__ y) {
    const long row = static_cast<long>(blockIdx.x) * 512 + threadIdx.x;
    if (row < num_rows) {
        double sum = 0.0;
        constexpr int batch = 4;
        const int end = static_cast<int>(width);
        for (int k = 0; k < end; k += batch) {
            // All of A is loaded before the first use, then all of x.
            int col[batch];
            double value[batch];
            for (int u = 0; u < batch; ++u) {
                const long at = row + (k + u) * stride;
                col[u] = k + u < end ? __builtin_nontemporal_load(col_idx + at) : -1;
                value[u] = k + u < end ? __builtin_nontemporal_load(values + at) : 0.0;
            }
            double factor[4];
            for (int u = 0; u < batch; ++u)
                factor[u] = col[u] >= 0 ? x[col[u]] : 0.0;
            for (int u = 0; u < batch; ++u)
                sum += value[u] * factor[u];
            if (col[batch - 1] < 0) break;
        }
        y[row] = sum;
    }
}

#ifdef SPMVGEN_LAUNCHER
/// Enqueues y = A x on `stream`. Pointers are the device's.
static inline void ell_groups_f64_i32_a1_b0_99cbbe9c_launch(long num_rows, long width, long stride,
                                                            const int* col_idx,
                                                            const double* values, const double* x,
                                                            double* y, hipStream_t stream) {
    long blocks1 = num_rows < 1 ? 1 : (num_rows + 511) / 512;
    ell_groups_f64_i32_a1_b0_99cbbe9c<<<dim3(static_cast<unsigned>(blocks1), 1), 512, 0, stream>>>(
        num_rows, width, stride, col_idx, values, x, y);
}
#endif
