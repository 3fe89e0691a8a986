// coo_f64_i32_a1_b0_896c470d: y = A x
// COO, sorted by row, balanced by entries.
//
// Source:  Algorithm 1 of Tsai, Cojean & Anzt, ISC 2020; Flegar & Anzt, IA3 2017.
// Reads:   nnz·(8 + 2·4) bytes of A, x once for each entry; writes y twice, reads it once, and once
//          more when β ≠ 0.
// Made by: spmvgen 0.2.0 from templates/gpu/coo.hpp; sizes of arrays count elements
// Command: spmvgen emit --kernel coo --arch gfx90a --value f64 --index i32 --offset i32 --alpha one
//          --beta zero --rhs 1 --param block=256,deterministic=0,entries=4,omega=8

/// Rows that a thread of store_scaled takes: with one, starting the blocks would take longer than
/// writing y. The launches count with it.
constexpr int scaled_rows = 4;

/// y = βy, for all rows: not every row has entries. With α = 0 there is no other step, so that this
/// one takes all of the kernel's parameters.
/// Launch 1 of 2: grid (ceil(num_rows / 1024)), blocks of 256 threads.
/// num_rows: rows of A
/// y[num_rows]
extern "C" __global__ void __launch_bounds__(256)
    coo_f64_i32_a1_b0_896c470d_scale(long num_rows, double* __restrict__ y) {
    const long first = static_cast<long>(blockIdx.x) * 1024;
    for (int u = 0; u < scaled_rows; ++u) {
        const long row = first + threadIdx.x + u * 256;
        if (row < num_rows) {
            const double sum = 0.0;
            y[row] = sum;
        }
    }
}

/// Loads the lane's columns and values of a chunk of `count` entries, those of every warp_size-th
/// entry. What lies beyond is zero.
static __device__ __forceinline__ void load_chunk(int* col, double* value, const int* col_idx,
                                                  const double* values, int count) {
    const int lane = static_cast<int>(threadIdx.x) % 64;
    if (count == 256) {
        // Nothing to ask between the loads: all are on their way at once.
        for (int u = 0; u < 4; ++u) {
            col[u] = __builtin_nontemporal_load(col_idx + u * 64 + lane);
            value[u] = __builtin_nontemporal_load(values + u * 64 + lane);
        }
    } else {
        for (int u = 0; u < 4; ++u) {
            const bool exists = u * 64 + lane < count;
            col[u] = exists ? __builtin_nontemporal_load(col_idx + u * 64 + lane) : 0;
            value[u] = exists ? __builtin_nontemporal_load(values + u * 64 + lane) : 0.0;
        }
    }
}

/// Makes what the warp's lanes wrote to shared memory known to all of them. All lanes take part.
static __device__ __forceinline__ void warp_barrier() {
    // The lanes run in step; what is left is that the compiler must move nothing across.
    __builtin_amdgcn_fence(3u, "wavefront");  // release
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(2u, "wavefront");  // acquire
}

/// Replaces the last product of every segment by the segment's sum, and the chunk's last product by
/// the sum of the segment that is open there. heads has bit i for each of the lane's entries i that
/// begins a segment, that of lane 0 and i = 0 apart, which means nothing; `carry` is what the
/// chunk's first segment has from before. All lanes of the warp take part, and see all sums
/// afterwards.
static __device__ __forceinline__ void sum_segments(double* chunk, int heads, double carry) {
    const int lane = static_cast<int>(threadIdx.x) % 64;
    double* own = chunk + lane * 5;
    double sum = lane == 0 ? carry + own[0] : own[0];
    int first_end = -1;  // where the segment ends that is open as the lane's entries begin
    for (int i = 1; i < 4; ++i) {
        const double product = own[i];
        if (((heads >> i) & 1) != 0) {
            own[i - 1] = sum;
            first_end = first_end < 0 ? i - 1 : first_end;
            sum = product;
        } else {
            sum += product;
        }
    }
    // Segmented scan over the lanes: `begun` = a segment begins at or behind the place that `sum`
    // was added up from.
    const bool begins = lane == 0 || (heads & 1) != 0;
    int begun = begins || first_end >= 0 ? 1 : 0;
    for (int delta = 1; delta < 64; delta *= 2) {
        const double before = __shfl_up(sum, static_cast<unsigned>(delta), 64);
        const int begun_before = __shfl_up(begun, static_cast<unsigned>(delta), 64);
        if (lane >= delta && begun == 0) {
            sum = before + sum;
            begun = begun_before;
        }
    }
    const double before = __shfl_up(sum, static_cast<unsigned>(1), 64);
    own[3] = sum;
    if (!begins && first_end >= 0) own[first_end] = before + own[first_end];
    warp_barrier();
}

/// y += αAx, but for what is left of cut rows: deterministic, in carry_row (-1 = nothing) and
/// carry_sum for coo_carry. Where β = 0, y holds zeros and is not read.
/// Launch 2 of 2: grid (ceil(nnz / 1024), at most 64 for each multiprocessor), blocks of 256 threads.
/// nnz: entries of A
/// row_idx[nnz]: row of each entry, ascending
/// col_idx[nnz]: column of each entry, from 0
/// values[nnz]: value of each entry
/// x[columns of A]
/// y[num_rows]
extern "C" __global__ void __launch_bounds__(256)
    coo_f64_i32_a1_b0_896c470d(long nnz, const int* __restrict__ row_idx,
                               const int* __restrict__ col_idx, const double* __restrict__ values,
                               const double* __restrict__ x, double* __restrict__ y) {
    constexpr int size = 256;
    constexpr int warps = 4;
    __shared__ double all_products[1280];
    __shared__ int all_heads[256];
    __shared__ double all_carries[4];
    const int lane = static_cast<int>(threadIdx.x) % 64;
    double* products = all_products + threadIdx.x / 64 * 320u;
    int* heads = all_heads + (threadIdx.x - lane);
    double* carries = all_carries + threadIdx.x / 64;
    const long warp = static_cast<long>(blockIdx.x) * warps + threadIdx.x / 64;
    // Chunks are counted in 32 bits: more would hold terabytes.
    const unsigned all_warps = gridDim.x * warps;
    const unsigned chunks = static_cast<unsigned>((nnz + size - 1) / size);
    const long length = static_cast<long>((chunks + all_warps - 1) / all_warps) * size;
    const long begin = warp * length;
    const long end = begin + length < nnz ? begin + length : nnz;
    if (begin >= end) return;
    // The row that another warp has begun, and the row that is open between chunks.
    const int cut_row = begin > 0 ? row_idx[begin - 1] : -1;
    int open_row = -1;
    if (lane == 0) carries[0] = 0.0;
    for (long chunk = begin; chunk < end; chunk += size) {
        const int count = end - chunk < size ? static_cast<int>(end - chunk) : size;
        int row[4];
        int col[4];
        double value[4];
        for (int u = 0; u < 4; ++u) {
            const int k = u * 64 + lane;
            row[u] = k < count ? __builtin_nontemporal_load(row_idx + chunk + k) : -1;
        }
        load_chunk(col, value, col_idx + chunk, values + chunk, count);
        const int next_row = chunk + size < nnz ? row_idx[chunk + size] : -1;
        heads[lane] = 0;
        warp_barrier();
        // A segment begins behind each one that ends; there is none behind the chunk.
        int tails = 0;
        for (int u = 0; u < 4; ++u) {
            const int k = u * 64 + lane;
            int next = __shfl_down(row[u], static_cast<unsigned>(1), 64);
            const int next_strip = u + 1 < 4 ? __shfl(row[(u + 1) % 4], 0, 64) : next_row;
            next = lane == 63 ? next_strip : next;
            if (next != row[u]) {
                tails |= k < count ? 1 << u : 0;
                if (k < size - 1) atomicAdd(heads + (k + 1) / 4, 1 << ((k + 1) % 4));
            }
        }
        const int last_row = __shfl(row[3], 63, 64);
        open_row = last_row == next_row ? last_row : -1;
        // What comes behind the last entry makes a segment of its own, which nobody looks at.
        double factor[4];
        for (int u = 0; u < 4; ++u)
            factor[u] = x[col[u]];
        for (int u = 0; u < 4; ++u)
            products[u * 64 + lane + (u * 64 + lane) / 4] = value[u] * factor[u];
        warp_barrier();
        sum_segments(products, heads[lane], carries[0]);
        for (int u = 0; u < 4; ++u) {
            if (((tails >> u) & 1) != 0) {
                const double sum = products[u * 64 + lane + (u * 64 + lane) / 4];
                const long i = row[u];
                if (row[u] == cut_row)
                    atomicAdd(y + i, sum);
                else
                    y[i] = sum;
            }
        }
        if (lane == 0) carries[0] = open_row >= 0 ? products[size - 1 + (size - 1) / 4] : 0.0;
        warp_barrier();
    }
    if (lane == 0 && open_row >= 0) atomicAdd(y + open_row, carries[0]);
}

#ifdef SPMVGEN_LAUNCHER
/// Enqueues y = A x on `stream`. Pointers are the device's.
/// units: multiprocessors (compute units) of the device.
static inline void coo_f64_i32_a1_b0_896c470d_launch(long num_rows, double* y, long nnz,
                                                     const int* row_idx, const int* col_idx,
                                                     const double* values, const double* x,
                                                     int units, hipStream_t stream) {
    long blocks1 = num_rows < 1 ? 1 : (num_rows + 1023) / 1024;
    coo_f64_i32_a1_b0_896c470d_scale<<<dim3(static_cast<unsigned>(blocks1), 1), 256, 0, stream>>>(
        num_rows, y);
    long blocks2 = nnz < 1 ? 1 : (nnz + 1023) / 1024;
    if (blocks2 > 64L * units) blocks2 = 64L * units;
    coo_f64_i32_a1_b0_896c470d<<<dim3(static_cast<unsigned>(blocks2), 1), 256, 0, stream>>>(
        nnz, row_idx, col_idx, values, x, y);
}
#endif
