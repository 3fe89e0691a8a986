// csr_rows_f64_i32_o32_a1_b0_k1: y = A x
// CSR, one row after another.
//
// Source:  the textbook algorithm (Saad, Iterative Methods for Sparse Linear Systems, §3.4).
// Reads:   nnz·(8 + 4) + (m+1)·4 bytes of A, x once for each entry; writes y once.
// Made by: spmvgen 0.2.0 from templates/cpu/csr_rows.hpp
// Command: spmvgen emit --kernel csr_rows --arch x86-64-v3 --value f64 --index i32 --offset i32
//          --alpha one --beta zero --rhs 1

/// First row of a thread's share when rows are not cut: every thread gets about the same number of
/// rows plus entries. row_ptr has num_rows + 1 elements.
[[gnu::always_inline]] static inline long first_row(long num_rows, const int* row_ptr, long thread,
                                                    long threads) {
    const long total = num_rows + row_ptr[num_rows];

    const long work = total / threads * thread + total % threads * thread / threads;
    long low = 0;
    long high = num_rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (middle + row_ptr[middle] < work)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/// y = αAx + βy for A in CSR, row after row.
static inline void csr_rows(long num_rows, const int* __restrict__ row_ptr,
                            const int* __restrict__ col_idx, const double* __restrict__ values,
                            const double* __restrict__ x, double* __restrict__ y, int thread,
                            int threads) {
    const long begin = first_row(num_rows, row_ptr, thread, threads);
    const long end = first_row(num_rows, row_ptr, thread + 1, threads);
    for (long row = begin; row < end; ++row) {
        double sum = {};
        for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k)
            sum += values[k] * x[col_idx[k]];
        y[row] = sum;
    }
}

/// Runs csr_rows with the arguments that `arguments` points to.
extern "C" void csr_rows_f64_i32_o32_a1_b0_k1_step0(void* const* arguments, int thread,
                                                    int threads) {
    csr_rows(*static_cast<const long*>(arguments[0]), *static_cast<const int* const*>(arguments[1]),
             *static_cast<const int* const*>(arguments[2]),
             *static_cast<const double* const*>(arguments[3]),
             *static_cast<const double* const*>(arguments[4]),
             *static_cast<double* const*>(arguments[5]), thread, threads);
}

#ifdef _OPENMP
extern "C" int omp_get_thread_num(void);
extern "C" int omp_get_num_threads(void);

/// y = A x, with all threads of OpenMP. Array sizes count elements.
/// num_rows: rows of A
/// row_ptr[num_rows + 1]: where each row's entries begin, then their number
/// col_idx[row_ptr[num_rows]]: column of each entry, from 0
/// values[row_ptr[num_rows]]: value of each entry
/// x[columns of A]
/// y[num_rows]
extern "C" void csr_rows_f64_i32_o32_a1_b0_k1(long num_rows, const int* __restrict__ row_ptr,
                                              const int* __restrict__ col_idx,
                                              const double* __restrict__ values,
                                              const double* __restrict__ x,
                                              double* __restrict__ y) {
#pragma omp parallel
    {
        const int thread = omp_get_thread_num();
        const int threads = omp_get_num_threads();
        csr_rows(num_rows, row_ptr, col_idx, values, x, y, thread, threads);
    }
}
#endif
