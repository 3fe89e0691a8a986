// csr_rows_f64_i32_o32_a1_b0_k1
//
// Made by:   spmvgen 0.1.0
// Command:   spmvgen emit --kernel csr_rows --arch x86-64-v3 --value f64 --index i32 --offset i32
//            --alpha one --beta zero --rhs 1
// Signature: csr_rows_f64_i32_o32_a1_b0_k1@x86-64-v3
// Template:  templates/cpu/csr_rows.hpp
//
// CSR, one row after another.
//
// What:       the plain CSR product, one accumulator a row (a row of accumulators when
//             num_rhs > 1, over which the compiler vectorises). Good for short rows of any kind.
// Source:     the textbook algorithm (Saad, Iterative Methods for Sparse Linear Systems, §3.4).
// Parameters: none of its own.
// Work:       a thread takes a contiguous run of rows with its share of rows plus nonzeros, found
//             by binary search in row_ptr; no row is cut.
// Reads:      nnz·(value + index) + (m+1)·offset bytes of A, x once for each entry;
//             writes y once, reads it when β ≠ 0.

/// Where the share of thread number `thread` begins when `total` units of work are cut into
/// `threads` nearly equal shares; share(total, threads, threads) = total.
[[gnu::always_inline]] static inline long share(long total, long thread, long threads) {
    return total / threads * thread + total % threads * thread / threads;
}

/// First row of a thread's share when rows are not cut: every thread gets about the same number of
/// rows plus entries. row_ptr has num_rows + 1 elements.
[[gnu::always_inline]] static inline long first_row(long num_rows, const int* row_ptr, long thread,
                                                    long threads) {
    const long work = share(num_rows + row_ptr[num_rows], thread, threads);
    long low = 0;
    long high = num_rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (middle + row_ptr[middle] < work) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// sum + a · b.
[[gnu::always_inline]] static inline double multiply_add(double a, double b, double sum) {
    return sum + a * b;
}

/// y[i] = α·sum + β·y[i]; y is not read when β = 0.
[[gnu::always_inline]] static inline void store(double* y, long i, double sum) {
    y[i] = sum;
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
        for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
            sum = multiply_add(values[k], x[col_idx[k]], sum);
        }
        store(y, row, sum);
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
