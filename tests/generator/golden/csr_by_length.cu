// csr_by_length_f64_i32_a1_b0_bf251b40: y = A x
// CSR, as many threads a row as its length asks for.
//
// Source:  this project's; a kernel for each class of lengths: ACSR (Ashari et al., SC 2014).
// Reads:   nnz·(8 + 4) + rows·4 bytes of A, an index and two offsets for each middle row, three
//          indices and two offsets for each part; x once for each entry; writes y once.
// Made by: spmvgen 0.2.0 from templates/gpu/csr_by_length.hpp; sizes of arrays count elements
// Command: spmvgen emit --kernel csr_by_length --arch sm_90 --value f64 --index i32 --offset i32
//          --alpha one --beta zero --rhs 1 --param
//          block=256,most_middle=512,most_short=16,share=4096 --param subwarp=4,unroll=4

#ifndef SPMVGEN_OWN_INSTRUCTIONS
static __device__ __forceinline__ void griddepcontrol_wait() {
    unsigned units;  // multiprocessors; where half of them have a block, the next launch may begin
    asm("mov.u32 %0, %%nsmid;" : "=r"(units));
    if (2 * gridDim.x * gridDim.y <= units) asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
#endif

/// The bits of a sum that stands for none where sums meet: those of a NaN.
constexpr unsigned long long no_sum = 0x7ffdbeef7ffdbeefull;

/// *sum += the products of the entries first, first + lanes, … below `end`, 4 at a time. The first
/// columns are on their way when it waits for the launches ahead. Where there is no entry, both
/// factors are zero.
static __device__ __forceinline__ void await_and_add_entries(double* sum, const double* values,
                                                             const int* col_idx, const double* x,
                                                             long first, int lanes, long end) {
    int col[4] = {};
    for (int u = 0; u < 4; ++u)
        if (first + u * lanes < end) col[u] = col_idx[first + u * lanes];
    griddepcontrol_wait();
    for (long k = first; k < end; k += lanes * 4) {
        double value[4] = {};
        for (int u = 0; u < 4; ++u)
            if (k + u * lanes < end) value[u] = __ldcs(values + k + u * lanes);
        double factor[4] = {};
        for (int u = 0; u < 4; ++u)
            if (k + u * lanes < end) factor[u] = x[col[u]];
        for (int u = 0; u < 4; ++u)
            sum[0] += value[u] * factor[u];
        for (int u = 0; u < 4; ++u)
            if (k + (4 + u) * lanes < end) col[u] = __ldcs(col_idx + k + (4 + u) * lanes);
    }
}

/// The sum over each group of 32 lanes, a power of two, in its first lane. All lanes of the warp
/// take part.
static __device__ __forceinline__ double subwarp_sum_32(double value) {
    for (int delta = 16; delta >= 1; delta /= 2)
        value += __shfl_down_sync(0xffffffffu, value, static_cast<unsigned>(delta), 32);
    return value;
}

/// The sum over each group of 8 lanes, a power of two, in its first lane. All lanes of the warp
/// take part.
static __device__ __forceinline__ double subwarp_sum_8(double value) {
    for (int delta = 4; delta >= 1; delta /= 2)
        value += __shfl_down_sync(0xffffffffu, value, static_cast<unsigned>(delta), 8);
    return value;
}

/// Replaces *sum by the sum over the block's threads, in all lanes of its first warp. `warp_sum` has
/// a place for each warp. All threads of the block take part.
static __device__ __forceinline__ void sum_over_block(double* sum, double* warp_sum) {
    constexpr int warps = 8;
    const int thread = static_cast<int>(threadIdx.x);
    *sum = subwarp_sum_32(*sum);
    if (thread % 32 == 0) warp_sum[thread / 32] = *sum;
    __syncthreads();
    if (thread < 32) {
        *sum = thread < warps ? warp_sum[thread] : 0.0;
        *sum = __shfl_sync(0xffffffffu, subwarp_sum_8(*sum), 0, 32);
    }
}

/// The sum as a number that is not 0, and back. A NaN of one payload comes back with another one.
static __device__ __forceinline__ unsigned long long meeting_key(double sum) {
    const unsigned long long bits = static_cast<unsigned long long>(__double_as_longlong(sum));
    return bits != no_sum ? bits ^ no_sum : 1;
}

/// Adds to *sum, what run `run` has of a row that the runs `first` … `last` share, the sums of all
/// others, and says true; or leaves *sum for another run and says false. 1 words of `meetings`
/// belong to a run.
static __device__ __forceinline__ bool completes_row(double* sum, long run, long first, long last,
                                                     unsigned long long* meetings) {
    const long place = run - first;
    for (long width = 1; width <= last - first; width *= 2) {
        // Of two neighbouring subtrees of this width, the right one's first run names the place.
        const bool is_right = (place & width) != 0;
        const long right = is_right ? place & -width : (place & -width) + width;
        if (first + right <= last) {
            const unsigned long long key = meeting_key(*sum);
            const unsigned long long left = atomicExch(meetings + (first + right), key);
            if (left != 0) meetings[first + right] = 0;
            if (left == 0) return false;
            *sum += __longlong_as_double(static_cast<long long>(left ^ no_sum));
        }
    }
    return true;
}

/// y of one right-hand side for a row of which this warp or block has the part `sum`; whoever
/// completes it.
static __device__ __forceinline__ void join_row(double sum, int rhs, long row,
                                                unsigned long long* meetings, long own, long first,
                                                long last, double* y) {
    const long i = row + rhs;
    unsigned long long* places = meetings + rhs;
    if (completes_row(&sum, own, first, last, places)) y[i] = sum;
}

/// The sum over each group of 4 lanes, a power of two, in its first lane. All lanes of the warp
/// take part.
static __device__ __forceinline__ double subwarp_sum_4(double value) {
    for (int delta = 2; delta >= 1; delta /= 2)
        value += __shfl_down_sync(0xffffffffu, value, static_cast<unsigned>(delta), 4);
    return value;
}

/// y = αAx + βy for A in CSR. part_row, part_begin, part_end: the row of each part of a long row,
/// and the part's entries; part_first, part_last: first and last part of that row.
/// Launch: grid (grid_blocks), blocks of 256 threads.
/// grid_blocks = num_parts + ceil(num_middle / 8) + ceil(num_rows / 64)
/// num_rows: rows of A
/// num_parts: parts of long rows
/// num_middle: rows that a warp takes each
/// row_ptr[num_rows + 1]: where each row's entries begin, then their number
/// col_idx[row_ptr[num_rows]]: column of each entry, from 0
/// values[row_ptr[num_rows]]: value of each entry
/// part_row[num_parts]: the long row that each is of
/// part_begin[num_parts]: its first entry
/// part_end[num_parts]: the entry behind its last
/// part_first[num_parts]: first part of its row
/// part_last[num_parts]: last part of its row
/// middle_row[num_middle]: the rows that a warp takes each
/// middle_begin[num_middle]: where the entries of each begin
/// middle_end[num_middle]: and where they end
/// x[columns of A]
/// y[num_rows]
/// meetings: workspace of 8 bytes for each block of launch 1; zeros when a launch begins, and again
///     when it has ended
extern "C" __global__ void __launch_bounds__(256) csr_by_length_f64_i32_a1_b0_bf251b40(
    long num_rows, long num_parts, long num_middle, const int* row_ptr, const int* col_idx,
    const double* values, const int* part_row, const int* part_begin, const int* part_end,
    const int* part_first, const int* part_last, const int* middle_row, const int* middle_begin,
    const int* middle_end, const double* x, double* y, unsigned long long* meetings) {
    constexpr int warps = 8;
    __shared__ double warp_sum[warps];
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread % 32;
    const long middle_block = static_cast<long>(blockIdx.x) - num_parts;
    const long short_block = middle_block - (num_middle + warps - 1) / warps;
    double sum[1] = {};
    if (middle_block < 0) {
        const long part = blockIdx.x;
        const long row = part_row[part];
        const long first = part_first[part];
        const long last = part_last[part];
        const long begin = part_begin[part];
        const long end = part_end[part];
        await_and_add_entries(sum, values, col_idx, x, begin + thread, 256, end);
        constexpr int lanes = 1;  // of a sum
        sum_over_block(sum, warp_sum);
        if (thread < lanes) join_row(sum[0], 0, row, meetings, part, first, last, y);
    } else if (short_block < 0) {
        const long i = middle_block * warps + thread / 32;
        if (i < num_middle) {
            const long row = middle_row[i];
            const long begin = middle_begin[i];
            const long end = middle_end[i];
            await_and_add_entries(sum, values, col_idx, x, begin + lane, 32, end);
            sum[0] = subwarp_sum_32(sum[0]);
            if (lane == 0) y[row] = sum[0];
        }
    } else {
        const long row = short_block * 64 + thread / 4;
        bool is_short = false;
        // All lanes of a warp take part in the shuffles, those without a short row with no entries.
        if (row < num_rows) {
            const long begin = row_ptr[row];
            const long end = row_ptr[row + 1];
            is_short = end - begin <= 16;
            await_and_add_entries(sum, values, col_idx, x, begin + lane % 4, 4,
                                  is_short ? end : begin);
        }
        sum[0] = subwarp_sum_4(sum[0]);
        if (lane % 4 == 0 && is_short) y[row] = sum[0];
    }
}

#ifdef SPMVGEN_LAUNCHER
/// Enqueues y = A x on `stream`. Pointers are the device's.
/// meetings: workspace of 8 bytes for each block of launch 1: zeros before the first call, which
///     every call leaves behind; calls that may run at once need one each.
/// grid_blocks = num_parts + ceil(num_middle / 8) + ceil(num_rows / 64)
static inline void csr_by_length_f64_i32_a1_b0_bf251b40_launch(
    long num_rows, long num_parts, long num_middle, const int* row_ptr, const int* col_idx,
    const double* values, const int* part_row, const int* part_begin, const int* part_end,
    const int* part_first, const int* part_last, const int* middle_row, const int* middle_begin,
    const int* middle_end, const double* x, double* y, unsigned long long* meetings,
    long grid_blocks, cudaStream_t stream) {
    long blocks1 = grid_blocks < 1 ? 1 : grid_blocks;
    csr_by_length_f64_i32_a1_b0_bf251b40<<<dim3(static_cast<unsigned>(blocks1), 1), 256, 0,
                                           stream>>>(
        num_rows, num_parts, num_middle, row_ptr, col_idx, values, part_row, part_begin, part_end,
        part_first, part_last, middle_row, middle_begin, middle_end, x, y, meetings);
}
#endif
