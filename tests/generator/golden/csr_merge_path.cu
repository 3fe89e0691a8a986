// csr_merge_path_f64_i32_a1_b0_3afad045: y = A x
// CSR along the merge path.
//
// Source:  Merrill & Garland, SC 2016.
// Reads:   nnz·(8 + 4) + rows·4 bytes of A, x once for each entry; writes y once and where a row is
//          cut.
// Made by: spmvgen 0.2.0 from templates/gpu/csr_merge_path.hpp; sizes of arrays count elements
// Command: spmvgen emit --kernel csr_merge_path --arch sm_90 --value f64 --index i32 --offset i32
//          --alpha one --beta zero --rhs 1 --param block=128,deterministic=0,items=7

/// How many rows the merge path over the rows' ends and the entries of CSR has ended after `step`
/// steps; the other steps take an entry. A row's end comes after its entries. All lanes of a warp
/// search together and get the answer.
static __device__ __forceinline__ long rows_ended(long num_rows, const int* row_ptr, long step) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    long low = 0;
    long high = num_rows;
    while (low < high) {
        const long gap = (high - low + 32 - 1) / 32;
        const long probe = low + gap * (lane + 1) - 1;
        const int ended =
            __popc(__ballot_sync(0xffffffffu, probe < high && probe + row_ptr[probe + 1] < step));
        const long next = low + gap * (ended + 1) - 1;
        low += gap * ended;
        high = next < high ? next : high;
    }
    return low;
}

/// y = βy for the rows that are cut, before sums are added to them atomically: a warp for each
/// place where tiles meet.
/// Launch 1 of 2: grid (ceil(path_steps / 3584)), blocks of 128 threads.
/// num_rows: rows of A
/// path_steps: num_rows + entries of A
/// row_ptr[num_rows + 1]: where each row's entries begin, then their number
/// y[num_rows]
extern "C" __global__ void __launch_bounds__(128)
    csr_merge_path_f64_i32_a1_b0_3afad045_cut(long num_rows, long path_steps,
                                              const int* __restrict__ row_ptr,
                                              double* __restrict__ y) {
    constexpr int size = 896;
    const long tile = static_cast<long>(blockIdx.x) * 4 + threadIdx.x / 32 + 1;
    const long step = tile * size;
    if (step < path_steps) {
        const long row = rows_ended(num_rows, row_ptr, step);
        if (threadIdx.x % 32 == 0 && row < num_rows) {
            const long row_begin = row_ptr[row];
            if (row_begin < step - row && row + row_begin >= step - size) y[row] = 0.0;
        }
    }
}

/// One thread's run of a tile's path: adds up products, stores the sum of each row that it ends in
/// row_sums, and leaves the sum of the row that is open in the end. `row` is the first row on the
/// way, then the open one.
static __device__ __forceinline__ double walk_path(const double* products, const int* ends,
                                                   double* row_sums, int* row, int entry,
                                                   int steps) {
    double sum = {};
    int at = *row;
    int end = ends[at];
    for (int i = 0; i < 7; ++i) {
        if (i < steps) {
            if (entry < end) {
                sum += products[entry];
                ++entry;
            } else {
                row_sums[at] = sum;
                sum = 0.0;
                ++at;
                end = ends[at];
            }
        }
    }
    *row = at;
    return sum;
}

/// Adds what threads have left of rows to the sums of those rows; `row` is the thread's open row
/// and does not fall from thread to thread. Returns, in thread 0, the sum of row number `rows`,
/// which the tile does not end. All threads of the block take part.
static __device__ __forceinline__ double join_threads(double* row_sums, int rows, int row,
                                                      double sum) {
    constexpr int warps = 4;
    __shared__ int open_row[warps];
    __shared__ double open_sum[warps];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    for (int delta = 1; delta < 32; delta *= 2) {
        const double before = __shfl_up_sync(0xffffffffu, sum, static_cast<unsigned>(delta), 32);
        const int row_before = __shfl_up_sync(0xffffffffu, row, static_cast<unsigned>(delta), 32);
        if (lane >= delta && row_before == row) sum = before + sum;
    }
    const int next = __shfl_down_sync(0xffffffffu, row, static_cast<unsigned>(1), 32);
    __syncwarp();
    if (lane == 31) {
        open_row[warp] = row;
        open_sum[warp] = sum;
    } else if (next != row) {
        row_sums[row] = sum + row_sums[row];
    }
    __syncthreads();
    double left = {};
    if (threadIdx.x == 0) {
        for (int w = 0; w < warps; ++w)
            if (open_row[w] < rows)
                row_sums[open_row[w]] = open_sum[w] + row_sums[open_row[w]];
            else
                left += open_sum[w];
    }
    __syncthreads();
    return left;
}

/// y = αAx + βy, but for what is left of cut rows: deterministic, in carry_row (-1 = nothing) and
/// carry_sum for csr_merge_path_carry; else added to their y = βy.
/// Launch 2 of 2: grid (ceil(path_steps / 896)), blocks of 128 threads.
/// num_rows: rows of A
/// path_steps: num_rows + entries of A
/// row_ptr[num_rows + 1]: where each row's entries begin, then their number
/// col_idx[row_ptr[num_rows]]: column of each entry, from 0
/// values[row_ptr[num_rows]]: value of each entry
/// x[columns of A]
/// y[num_rows]
extern "C" __global__ void __launch_bounds__(128)
    csr_merge_path_f64_i32_a1_b0_3afad045(long num_rows, long path_steps,
                                          const int* __restrict__ row_ptr,
                                          const int* __restrict__ col_idx,
                                          const double* __restrict__ values,
                                          const double* __restrict__ x, double* __restrict__ y) {
    constexpr int size = 896;
    __shared__ double products[size];  // then, behind them, the sums of the rows
    __shared__ int ends[size + 1];
    __shared__ long bounds[2];
    const int thread = static_cast<int>(threadIdx.x);
    const long tile = blockIdx.x;
    const long first_step = tile * size;
    const long last_step = first_step + size < path_steps ? first_step + size : path_steps;
    if (thread < 64) {
        const long row = rows_ended(num_rows, row_ptr, thread < 32 ? first_step : last_step);
        if (thread % 32 == 0) bounds[thread / 32] = row;
    }
    __syncthreads();
    const long first_row = bounds[0];
    const long begin = first_step - first_row;
    const int rows = static_cast<int>(bounds[1] - first_row);
    const int count = static_cast<int>(last_step - first_step) - rows;
    int col[7] = {};
    double value[7] = {};
    if (count > 0) {
        // Threads without an entry take the first: nothing to ask between the loads.
        for (int u = 0; u < 7; ++u) {
            const int k = u * 128 + thread < count ? u * 128 + thread : 0;
            col[u] = __ldcs(col_idx + begin + k);
            value[u] = __ldcs(values + begin + k);
        }
    }
    // Whether the tile's first row was begun by another tile.
    const bool cut = thread == 0 && row_ptr[first_row] < begin;
    double* row_sums = products + count;
    double factor[7] = {};
    if (count > 0)
        for (int u = 0; u < 7; ++u)
            factor[u] = x[col[u]];
    // While x is on its way.
    for (int i = thread; i < rows; i += 128)
        ends[i] = static_cast<int>(row_ptr[first_row + i + 1] - begin);
    if (thread == 0)
        ends[rows] = count;  // of the row that the tile does not end, as far as it goes
    for (int u = 0; u < 7; ++u)
        if (u * 128 + thread < count) products[u * 128 + thread] = value[u] * factor[u];
    __syncthreads();
    const int path = rows + count;
    const int from = thread * 7 < path ? thread * 7 : path;
    int low = from > count ? from - count : 0;
    int high = from < rows ? from : rows;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (middle + ends[middle] < from)
            low = middle + 1;
        else
            high = middle;
    }
    const double open = walk_path(products, ends, row_sums, &low, from - low, path - from);
    const double left = join_threads(row_sums, rows, low, open);
    if (thread == 0) {
        const bool has_left = count > (rows > 0 ? ends[rows - 1] : 0);
        if (has_left) atomicAdd(y + first_row + rows, left);
    }
    for (int i = thread; i < rows; i += 128) {
        const long row = first_row + i;
        const long at = row;
        if (i == 0 && cut) {
            atomicAdd(y + at, row_sums[i]);
        } else {
            // What is added atomically has its epilogue when all is there.
            y[at] = row_sums[i];
        }
    }
}

#ifdef SPMVGEN_LAUNCHER
/// Enqueues y = A x on `stream`. Pointers are the device's.
static inline void csr_merge_path_f64_i32_a1_b0_3afad045_launch(
    long num_rows, long path_steps, const int* row_ptr, double* y, const int* col_idx,
    const double* values, const double* x, cudaStream_t stream) {
    long blocks1 = path_steps < 1 ? 1 : (path_steps + 3583) / 3584;
    csr_merge_path_f64_i32_a1_b0_3afad045_cut<<<dim3(static_cast<unsigned>(blocks1), 1), 128, 0,
                                                stream>>>(num_rows, path_steps, row_ptr, y);
    long blocks2 = path_steps < 1 ? 1 : (path_steps + 895) / 896;
    csr_merge_path_f64_i32_a1_b0_3afad045<<<dim3(static_cast<unsigned>(blocks2), 1), 128, 0,
                                            stream>>>(num_rows, path_steps, row_ptr, col_idx,
                                                      values, x, y);
}
#endif
