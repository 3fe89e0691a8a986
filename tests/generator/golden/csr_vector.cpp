// csr_vector_f64_i32_a1_b0_38a14362: y = A x
// CSR, every row in vectors.
//
// Source:  the CSR vector kernel (Bell & Garland, SC 2009, §4.2) for the lanes of one core.
// Reads:   nnz·(8 + 4) + (m+1)·4 bytes of A, x once for each entry. The vector that ends a row also
//          loads entries of the rows below and x for them, never beyond the arrays. Writes y once.
// Made by: spmvgen 0.2.0 from templates/cpu/csr_vector.hpp
// Command: spmvgen emit --kernel csr_vector --arch x86-64-v4 --value f64 --index i32 --offset i32
//          --alpha one --beta zero --rhs 1 --param lanes=8,prefetch=0,unroll=1

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

/// sum[l] += values[l] · x[col_idx[l]] for every lane l.
[[gnu::always_inline]] static inline void add_products(double* sum, const double* values,
                                                       const int* col_idx, const double* x) {
    // A vector type, copied in and out of plain arrays: Clang then keeps `sum` in registers
    // and loads x with gathers where the machine has them.
    typedef double Lanes __attribute__((vector_size(64)));
    Lanes total = {};
    Lanes a = {};
    Lanes b = {};
    __builtin_memcpy(&total, sum, sizeof(Lanes));
    __builtin_memcpy(&a, values, sizeof(Lanes));
    for (int l = 0; l < 8; ++l)
        b[l] = x[col_idx[l]];
    total += a * b;
    __builtin_memcpy(sum, &total, sizeof(Lanes));
}

/// sum[l] += values[l] · x[col_idx[l]] for the lanes l below `count`. All lanes are loaded, so that all columns must be
/// legal; what the others give, NaN included, is dropped.
[[gnu::always_inline]] static inline void add_first_products(double* sum, const double* values,
                                                             const int* col_idx, const double* x,
                                                             long count) {
    typedef double Lanes __attribute__((vector_size(64)));
    Lanes total = {};
    Lanes a = {};
    Lanes b = {};
    decltype(a < b) counts = {};
    __builtin_memcpy(&total, sum, sizeof(Lanes));
    __builtin_memcpy(&a, values, sizeof(Lanes));
    for (int l = 0; l < 8; ++l) {
        b[l] = x[col_idx[l]];
        counts[l] = l < count ? -1 : 0;
    }
    total += counts ? a * b : Lanes{};
    __builtin_memcpy(sum, &total, sizeof(Lanes));
}

/// y = αAx + βy for A in CSR, each row in vectors of 8 entries.
static inline void csr_vector(long num_rows, const int* __restrict__ row_ptr,
                              const int* __restrict__ col_idx, const double* __restrict__ values,
                              const double* __restrict__ x, double* __restrict__ y, int thread,
                              int threads) {
    const long nnz = row_ptr[num_rows];
    const long begin = first_row(num_rows, row_ptr, thread, threads);
    const long end = first_row(num_rows, row_ptr, thread + 1, threads);
    for (long row = begin; row < end; ++row) {
        const long begin2 = row_ptr[row];
        const long end2 = row_ptr[row + 1];
        double lane_sums[8] = {};
        long k = begin2;
        for (; k + 8 <= end2; k += 8)
            add_products(lane_sums, values + k, col_idx + k, x);
        if (k < end2 && k + 8 <= nnz)
            add_first_products(lane_sums, values + k, col_idx + k, x, end2 - k);
        else
            for (; k < end2; ++k)
                lane_sums[0] += values[k] * x[col_idx[k]];
        for (int half = 4; half > 0; half /= 2)
            for (int l = 0; l < half; ++l)
                lane_sums[l] += lane_sums[l + half];
        const double sum = lane_sums[0];
        y[row] = sum;
    }
}

/// Runs csr_vector with the arguments that `arguments` points to.
extern "C" void csr_vector_f64_i32_a1_b0_38a14362_step0(void* const* arguments, int thread,
                                                        int threads) {
    csr_vector(*static_cast<const long*>(arguments[0]),
               *static_cast<const int* const*>(arguments[1]),
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
extern "C" void csr_vector_f64_i32_a1_b0_38a14362(long num_rows, const int* __restrict__ row_ptr,
                                                  const int* __restrict__ col_idx,
                                                  const double* __restrict__ values,
                                                  const double* __restrict__ x,
                                                  double* __restrict__ y) {
#pragma omp parallel
    {
        const int thread = omp_get_thread_num();
        const int threads = omp_get_num_threads();
        csr_vector(num_rows, row_ptr, col_idx, values, x, y, thread, threads);
    }
}
#endif
