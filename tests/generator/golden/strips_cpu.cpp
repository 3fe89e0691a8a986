// strips_cpu_f64_i32_a1_b0_123f3e68: y = A x
// Compressed strips: SELL-C-σ whose columns are a base a strip and a narrow delta an entry.
//
// Source:  SELL-C-σ (Kreutzer, Hager, Wellein, Fehske & Bishop, SISC 36(5), 2014); bases, deltas
//          and coded values are spmvgen's own. Format: docs/explanation/strips.md.
// Reads:   strips·lanes·(r·c·8 + delta) + strips·4 bytes and three numbers a slice, two bytes a
//          lane (ragged slices), two a row (σ > 1), x once for each column of a block; writes y
//          once.
// Made by: spmvgen 0.2.0 from templates/cpu/strips.hpp
// Command: spmvgen emit --kernel strips_cpu --arch x86-64-v3 --value f64 --index i32 --offset i32
//          --alpha one --beta zero --rhs 1 --param block_cols=1,block_rows=1,codes=4,fill=0,lanes=8
//          --param long_from=4096,long_rows=0,prefetch=0,ragged=1 --param sigma=1,value_code=0

constexpr int ragged_slice = 4;       ///< bit of slice_info: lanes have different lengths
constexpr int full_strips_shift = 4;  ///< where strips that all lanes have stand in slice_info

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

/// sum[l] += a[l] · b[l] for every lane l.
[[gnu::always_inline]] static inline void add_lanes(double* sum, const double* a, const double* b) {
    typedef double Lanes __attribute__((vector_size(64)));
    Lanes total = {};
    Lanes left = {};
    Lanes right = {};
    __builtin_memcpy(&total, sum, sizeof(Lanes));
    __builtin_memcpy(&left, a, sizeof(Lanes));
    __builtin_memcpy(&right, b, sizeof(Lanes));
    total += left * right;
    __builtin_memcpy(sum, &total, sizeof(Lanes));
}

/// delta[l] = narrow number l of strip `strip`, widened in registers.
[[gnu::always_inline]] static inline void widen_deltas(int* delta, const unsigned char* deltas,
                                                       long strip) {
    typedef unsigned short Packed __attribute__((vector_size(16)));
    typedef int Wide __attribute__((vector_size(32)));
    const unsigned char* from = deltas + strip * 16ul;
    Packed packed = {};
    __builtin_memcpy(&packed, from, sizeof(Packed));
    const Wide wide = __builtin_convertvector(packed, Wide);
    __builtin_memcpy(delta, &wide, sizeof(Wide));
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

/// Strips from `begin` on, which some lanes have: those k with k < lengths[l], and a long row has
/// none here; or, where there are `masks`, what these tell, which are 0 where a lane has no strip.
/// What is not there meets no x.
[[gnu::always_inline]] static inline void add_some_of_strips(
    double* sum, const int* bases, const unsigned char* deltas, const unsigned short* lengths,
    const double* values, long first_value, long width, const double* x, long begin) {
    typedef int Lanes __attribute__((vector_size(32)));
    Lanes strips = {};
    widen_deltas(reinterpret_cast<int*>(&strips), reinterpret_cast<const unsigned char*>(lengths),
                 0);
#pragma GCC unroll 1
    for (long k = begin; k < width; ++k) {
        Lanes delta = {};
        widen_deltas(reinterpret_cast<int*>(&delta), deltas, k);
        const long column = static_cast<long>(bases[k]);
        Lanes is_there = {};
        is_there = static_cast<int>(k) < strips;
        const Lanes columns = is_there ? delta * 1 + static_cast<int>(column) : Lanes{} - 1;
        double entries[8] = {};
        __builtin_memcpy(entries, values + first_value + k * 8, 64ul);
        add_unpadded_products(sum, entries, reinterpret_cast<const int*>(&columns), x);
    }
}

/// Stores the sums of the lanes of a slice that have a row.
[[gnu::always_inline]] static inline void store_lanes(double* y, long first, long lanes,
                                                      const double* sum) {
    if (lanes >= 8) {
        // a fixed count: vector stores
        for (int l = 0; l < 8; ++l)
            y[first + l] = sum[l];

        return;
    }
    // A copy, which the loop takes lanes out of: `sum` can then stay in registers until here.
    double stored[8] = {};
    __builtin_memcpy(stored, sum, sizeof(stored));
#pragma GCC unroll 1
    for (int l = 0; l < (lanes < 8 ? lanes : 8); ++l)
        y[first + l] = stored[l];
}

/// y = αAx + βy for A in compressed strips, but for long rows that threads share.
static inline void strips_cpu(long num_rows, long num_slices, const int* __restrict__ slice_ptr,
                              const int* __restrict__ slice_info, const int* __restrict__ delta_ptr,
                              const int* __restrict__ bases,
                              const unsigned char* __restrict__ deltas,
                              const unsigned short* __restrict__ lengths,
                              const double* __restrict__ values, const double* __restrict__ x,
                              double* __restrict__ y, int thread, int threads) {
    const long end = first_row(num_slices, slice_ptr, thread + 1, threads);
    for (long number = first_row(num_slices, slice_ptr, thread, threads); number < end; ++number) {
        const long first = slice_ptr[number];
        const int info = slice_info[number];
        const int* slice_bases = bases + first;
        const unsigned char* slice_deltas = deltas + static_cast<long>(delta_ptr[number]) * 8;
        const unsigned short* slice_lengths = lengths + number * 8;
        const long first_value = first * 8;
        const long slice_first = number * 8;
        const long lanes = num_rows - number * 8;
        const long width = slice_ptr[number + 1] - first;
        const bool is_ragged = (info & ragged_slice) != 0;
        double sum[8] = {};
        bool is_summed = true;
        if (is_summed) {
            long full = is_ragged ? info >> full_strips_shift : width;
            constexpr int strip_values = 8;
#pragma GCC unroll 1
            for (long k = 0; k < full; ++k) {
                const long value = first_value + k * strip_values;
                const long column = static_cast<long>(slice_bases[k]);
                double factors[8] = {};
                for (int l = 0; l < 8; ++l) {
                    long offset = 0;
                    unsigned short delta = 0;
                    __builtin_memcpy(&delta, slice_deltas + (k * 8 + l) * 2, sizeof(delta));
                    offset = delta;
                    factors[l] = x[column + offset];
                }
                double entries[8] = {};
                __builtin_memcpy(entries, values + value, 64ul);
                add_lanes(sum, entries, factors);
            }
            add_some_of_strips(sum, slice_bases, slice_deltas, slice_lengths, values, first_value,
                               width, x, full);
        }
        store_lanes(y, slice_first, lanes, sum);
    }
}

/// Runs strips_cpu with the arguments that `arguments` points to.
extern "C" void strips_cpu_f64_i32_a1_b0_123f3e68_step0(void* const* arguments, int thread,
                                                        int threads) {
    strips_cpu(*static_cast<const long*>(arguments[0]), *static_cast<const long*>(arguments[1]),
               *static_cast<const int* const*>(arguments[2]),
               *static_cast<const int* const*>(arguments[3]),
               *static_cast<const int* const*>(arguments[4]),
               *static_cast<const int* const*>(arguments[5]),
               *static_cast<const unsigned char* const*>(arguments[6]),
               *static_cast<const unsigned short* const*>(arguments[7]),
               *static_cast<const double* const*>(arguments[8]),
               *static_cast<const double* const*>(arguments[9]),
               *static_cast<double* const*>(arguments[10]), thread, threads);
}

#ifdef _OPENMP
extern "C" int omp_get_thread_num(void);
extern "C" int omp_get_num_threads(void);

/// y = A x, with all threads of OpenMP. Array sizes count elements.
/// num_rows: rows of A
/// num_slices: slices of rows
/// slice_ptr[num_slices + 1]: where each slice begins, in columns of slices
/// slice_info[num_slices]: code of deltas (bits 0, 1), ragged (2), masks (3), strips of all lanes
/// delta_ptr[num_slices + 1]: where each slice's deltas begin, in bytes of a lane
/// bases[strips]: what the deltas of each strip are added to
/// deltas: deltas of block columns, as many bits as the slice's code says
/// lengths[lanes of slices]: strips of each; 65535 = its row is long
/// values[stored entries]: value of each entry
/// x[columns of A]
/// y[num_rows]
extern "C" void strips_cpu_f64_i32_a1_b0_123f3e68(
    long num_rows, long num_slices, const int* __restrict__ slice_ptr,
    const int* __restrict__ slice_info, const int* __restrict__ delta_ptr,
    const int* __restrict__ bases, const unsigned char* __restrict__ deltas,
    const unsigned short* __restrict__ lengths, const double* __restrict__ values,
    const double* __restrict__ x, double* __restrict__ y) {
#pragma omp parallel
    {
        const int thread = omp_get_thread_num();
        const int threads = omp_get_num_threads();
        strips_cpu(num_rows, num_slices, slice_ptr, slice_info, delta_ptr, bases, deltas, lengths,
                   values, x, y, thread, threads);
    }
}
#endif
