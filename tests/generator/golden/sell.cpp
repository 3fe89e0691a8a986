// sell_f64_i32_a1_b0_947d4038: y = A x
// SELL-C-σ: slices of C rows, each padded to its own longest row and stored column after column.
//
// Source:  Kreutzer, Hager, Wellein, Fehske & Bishop, A Unified Sparse Matrix Data Format for
//          Efficient General SpMV on Modern Processors with Wide SIMD Units, SISC 36(5), 2014.
// Format:  slice_ptr counts columns of slices: the k-th entry of row l of a slice is at
//          (slice_ptr[slice] + k)·C + l. Padding has the column -1 and the value 0 and never meets
//          x. slice_full holds the shortest row of each slice; row_order the row of A at each
//          position (σ > 1).
// Reads:   stored·(8 + 4) bytes plus two offsets a slice, an index a row (σ > 1), x once for each
//          entry; writes y once.
// Made by: spmvgen 0.2.0 from templates/cpu/sell.hpp
// Command: spmvgen emit --kernel sell --arch x86-64-v4 --value f64 --index i32 --offset i32 --alpha
//          one --beta zero --rhs 1 --param lanes=8,prefetch=0,sigma=1,unroll=1

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

/// sum[l] += values[l] · x[col_idx[l]] for the lanes that hold an entry; padding has the column -1.
/// Padded lanes load x[0], which exists because some lane holds an entry, and drop what it gives.
[[gnu::always_inline]] static inline void add_unpadded_products(double* sum, const double* values,
                                                                const int* col_idx,
                                                                const double* x) {
    typedef double Lanes __attribute__((vector_size(64)));
    typedef int Columns __attribute__((vector_size(32)));
    Columns col = {};
    Lanes total = {};
    Lanes a = {};
    Lanes b = {};
    __builtin_memcpy(&col, col_idx, sizeof(Columns));
    __builtin_memcpy(&total, sum, sizeof(Lanes));
    __builtin_memcpy(&a, values, sizeof(Lanes));
    const Columns padding = col < 0;
    col = padding ? Columns{} : col;
    for (int l = 0; l < 8; ++l)
        b[l] = x[col[l]];
    total += __builtin_convertvector(padding, decltype(a < b)) ? Lanes{} : a * b;
    __builtin_memcpy(sum, &total, sizeof(Lanes));
}

/// y = αAx + βy for A in SELL-C-σ, slice after slice.
static inline void sell(long num_rows, long num_slices, const int* __restrict__ slice_ptr,
                        const int* __restrict__ slice_full, const int* __restrict__ col_idx,
                        const double* __restrict__ values, const double* __restrict__ x,
                        double* __restrict__ y, int thread, int threads) {
    constexpr int height = 8;
    const long end = first_row(num_slices, slice_ptr, thread + 1, threads);
    for (long slice = first_row(num_slices, slice_ptr, thread, threads); slice < end; ++slice) {
        const long first = slice * height;
        const long rows = num_rows - first < height ? num_rows - first : height;
        const long start = static_cast<long>(slice_ptr[slice]) * height;
        const long width = slice_ptr[slice + 1] - slice_ptr[slice];
        double sum[height] = {};
        const long full = slice_full[slice];
        for (long k = 0; k < full; ++k)
            add_products(sum, values + start + k * height, col_idx + start + k * height, x);
        for (long k = full; k < width; ++k) {
            add_unpadded_products(sum, values + start + k * height, col_idx + start + k * height,
                                  x);
        }
        if (rows >= 8)  // a fixed count: vector stores
            for (int l = 0; l < 8; ++l)
                y[first + l] = sum[l];
        else
            for (int l = 0; l < rows; ++l)
                y[first + l] = sum[l];
    }
}

/// Runs sell with the arguments that `arguments` points to.
extern "C" void sell_f64_i32_a1_b0_947d4038_step0(void* const* arguments, int thread, int threads) {
    sell(*static_cast<const long*>(arguments[0]), *static_cast<const long*>(arguments[1]),
         *static_cast<const int* const*>(arguments[2]),
         *static_cast<const int* const*>(arguments[3]),
         *static_cast<const int* const*>(arguments[4]),
         *static_cast<const double* const*>(arguments[5]),
         *static_cast<const double* const*>(arguments[6]),
         *static_cast<double* const*>(arguments[7]), thread, threads);
}

#ifdef _OPENMP
extern "C" int omp_get_thread_num(void);
extern "C" int omp_get_num_threads(void);

/// y = A x, with all threads of OpenMP. Array sizes count elements.
/// num_rows: rows of A
/// num_slices: slices of rows
/// slice_ptr[num_slices + 1]: where each slice begins, in columns of slices
/// slice_full[num_slices]: length of each slice's shortest row
/// col_idx[stored entries]: column of each entry, from 0
/// values[stored entries]: value of each entry
/// x[columns of A]
/// y[num_rows]
extern "C" void sell_f64_i32_a1_b0_947d4038(long num_rows, long num_slices,
                                            const int* __restrict__ slice_ptr,
                                            const int* __restrict__ slice_full,
                                            const int* __restrict__ col_idx,
                                            const double* __restrict__ values,
                                            const double* __restrict__ x, double* __restrict__ y) {
#pragma omp parallel
    {
        const int thread = omp_get_thread_num();
        const int threads = omp_get_num_threads();
        sell(num_rows, num_slices, slice_ptr, slice_full, col_idx, values, x, y, thread, threads);
    }
}
#endif
