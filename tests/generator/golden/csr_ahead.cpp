// csr_ahead_f64_i32_a1_b0_k8_764f7e67: y = A x
// CSR, one row after another, of several vectors that no cache of a core holds.
//
// Source:  software prefetching of gathered operands (Callahan, Kennedy & Porterfield, ASPLOS
//          1991).
// Reads:   nnz·(8 + 4) + (m+1)·4 bytes of A, x once for each entry; writes y once.
// Made by: spmvgen 0.2.0 from templates/cpu/csr_ahead.hpp
// Command: spmvgen emit --kernel csr_ahead --arch x86-64-v4 --value f64 --index i32 --offset i32
//          --alpha one --beta zero --rhs 8 --param ahead=192,past_caches=1

#if !defined(__clang__) && !defined(SPMVGEN_OWN_INSTRUCTIONS)
/// Stores a vector of 64 bytes that the caches need not keep; a builtin of Clang.
template <typename Line>
static inline void __builtin_nontemporal_store(const Line& line, Line* to) {
#if defined(__AVX512F__)
    typedef double Part __attribute__((vector_size(64), may_alias));
    __builtin_ia32_movntpd512(reinterpret_cast<double*>(to), *reinterpret_cast<const Part*>(&line));
#elif defined(__AVX__)
    typedef double Part __attribute__((vector_size(32), may_alias));
    for (int i = 0; i < 2; ++i) {
        __builtin_ia32_movntpd256(reinterpret_cast<double*>(to) + 4 * i,
                                  reinterpret_cast<const Part*>(&line)[i]);
    }
#elif defined(__SSE2__)
    typedef double Part __attribute__((vector_size(16), may_alias));
    for (int i = 0; i < 4; ++i) {
        __builtin_ia32_movntpd(reinterpret_cast<double*>(to) + 2 * i,
                               reinterpret_cast<const Part*>(&line)[i]);
    }
#else
    *to = line;
#endif
}
#endif

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

/// sum[rhs] += value · x[col][rhs], of an x of that form.
[[gnu::always_inline]] static inline void add_entry(double* sum, double value, int col,
                                                    const double* x) {
    const double* x_row = x + static_cast<long>(col) * 8;
    for (int rhs = 0; rhs < 8; ++rhs)
        sum[rhs] += value * x_row[rhs];
}

/// The same of the y at hand.
[[gnu::always_inline]] static inline bool are_lines(const double* y) {
    const bool begins = reinterpret_cast<unsigned long>(y) % 64 == 0;
    return begins;
}

/// Stores num_rhs sums as row `row` of y, whose rows are whole lines: past the caches, so that no
/// line of y is read before it is written. Before another thread reads y, a fence must follow.
[[gnu::always_inline]] static inline void store_row_past_caches(double* y, long row,
                                                                const double* sum) {
    constexpr int width = 8;
    typedef double Line __attribute__((vector_size(64)));
    double made[8];
    for (int rhs = 0; rhs < 8; ++rhs)
        made[rhs] = sum[rhs];
    double* const first = y + row * 8;
    Line line;
    for (int i = 0; i < width; ++i)
        line[i] = made[i];
    __builtin_nontemporal_store(line, reinterpret_cast<Line*>(first));
}

/// y = αAx + βy for A in CSR, row after row, x prefetched.
static inline void csr_ahead(long num_rows, const int* __restrict__ row_ptr,
                             const int* __restrict__ col_idx, const double* __restrict__ values,
                             const double* __restrict__ x, double* __restrict__ y, int thread,
                             int threads) {
    const long nnz = row_ptr[num_rows];
    const long begin = first_row(num_rows, row_ptr, thread, threads);
    const long end = first_row(num_rows, row_ptr, thread + 1, threads);
    for (long row = begin; row < end; ++row) {
        double sum[8] = {};
        if (row_ptr[row + 1] + 192 <= nnz) {
            const long begin2 = row_ptr[row];
            const long end2 = row_ptr[row + 1];
#pragma GCC unroll 1
            for (long k = begin2; k < end2; ++k) {
                const int col = col_idx[k + 192];
                const double* row2 = x + static_cast<long>(col) * 8;
                __builtin_prefetch(row2, 0, 2);
                add_entry(sum, values[k], col_idx[k], x);
            }
        } else {
            const long begin2 = row_ptr[row];
            const long end2 = row_ptr[row + 1];
// Unrolled, a row would end at two branches, each of which may be foretold wrongly.
#pragma GCC unroll 1
            for (long k = begin2; k < end2; ++k)
                add_entry(sum, values[k], col_idx[k], x);
        }
        if (are_lines(y))
            store_row_past_caches(y, row, sum);
        else
            for (int rhs = 0; rhs < 8; ++rhs)
                y[row * 8 + rhs] = sum[rhs];
    }
    __atomic_thread_fence(5);  // sequentially consistent: waits for the stores past caches
}

/// Runs csr_ahead with the arguments that `arguments` points to.
extern "C" void csr_ahead_f64_i32_a1_b0_k8_764f7e67_step0(void* const* arguments, int thread,
                                                          int threads) {
    csr_ahead(*static_cast<const long*>(arguments[0]),
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
/// x[columns of A][8]: a column for each right-hand side
/// y[num_rows][8]: a column for each right-hand side
extern "C" void csr_ahead_f64_i32_a1_b0_k8_764f7e67(long num_rows, const int* __restrict__ row_ptr,
                                                    const int* __restrict__ col_idx,
                                                    const double* __restrict__ values,
                                                    const double* __restrict__ x,
                                                    double* __restrict__ y) {
#pragma omp parallel
    {
        const int thread = omp_get_thread_num();
        const int threads = omp_get_num_threads();
        csr_ahead(num_rows, row_ptr, col_idx, values, x, y, thread, threads);
    }
}
#endif
