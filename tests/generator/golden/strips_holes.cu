// strips_f64_i32_a1_b0_d364c295: y = A x
// Strips: slices of lanes with compressed columns, long rows on warps of their own, in one launch.
//
// Source:  SELL-C-σ (Kreutzer, Hager, Wellein, Fehske & Bishop, SISC 36(5), 2014) with the columns
//          compressed; docs/explanation/strips.md has every array.
// Reads:   stored·8 bytes, a base a strip, stored·(0, 1, 2 or 4) bytes of deltas, three numbers a
//          slice, 2 bytes a lane where a slice is ragged, 2 a block row (sigma > 1), an index a row
//          (any_order); x once for each block; writes y once.
// Made by: spmvgen 0.2.0 from templates/gpu/strips.hpp; sizes of arrays count elements
// Command: spmvgen emit --kernel strips --arch sm_90 --value f64 --index i32 --offset i32 --alpha
//          one --beta zero --rhs 1 --param any_order=0,block=256,block_cols=1,block_rows=1 --param
//          codes=3,fill=1,long_from=256,long_rows=0,period=1 --param
//          ragged=1,sigma=1,slice=32,threads_per_row=1,unroll=5 --param value_code=0

#ifndef SPMVGEN_OWN_INSTRUCTIONS
static __device__ __forceinline__ void griddepcontrol_wait() {
    unsigned units;  // multiprocessors; where half of them have a block, the next launch may begin
    asm("mov.u32 %0, %%nsmid;" : "=r"(units));
    if (2 * gridDim.x * gridDim.y <= units) asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
#endif

constexpr int full_strips_shift = 4;  ///< where strips that all lanes have stand in slice_info
constexpr int ragged_slice = 4;       ///< bit of slice_info: lanes have different lengths
constexpr int code_bits = 3;          ///< of slice_info: the code of the deltas
constexpr int affine_deltas = 0;      ///< a code: the lane's number times the period, not stored
constexpr int filled_slice = 8;       ///< bit of slice_info: blocks are not whole
constexpr int deltas_of_8_bits = 1;   ///< a code

/// The block column of the lane in strip `k` of its slice. All callers know the code.
static __device__ __forceinline__ int strip_column(const int* bases, const unsigned char* deltas,
                                                   int lane, int code, long k) {
    if (code == affine_deltas) return bases[k] + lane;
    return bases[k] + __ldcs(deltas + k * 32 + lane);
}

/// sum[i][r] += the products of the lane's blocks in 5 strips, from strip `k` on; it has all of
/// them, if `whole`. All of A is loaded before the first use, then all of x.
static __device__ __forceinline__ void add_strips(double& sum, const int* bases,
                                                  const unsigned char* deltas, const double* values,
                                                  long place, int lane, int length, int code,
                                                  const double* x, long k, bool whole) {
    int col[5] = {};
    double value[5] = {};
    for (int u = 0; u < 5; ++u) {
        if (whole || k + u < length) {
            col[u] = strip_column(bases, deltas, lane, code, k + u);
            value[u] = __ldcs(values + place + (k + u) * 32);
        }
    }
    double factor[5] = {};
    for (int u = 0; u < 5; ++u)
        if (whole || k + u < length) factor[u] = x[col[u]];
    for (int u = 0; u < 5; ++u)
        sum += value[u] * factor[u];
}

/// sum[i][r] += the products of all blocks of the lane.
static __device__ __forceinline__ void add_lane(double& sum, const int* bases,
                                                const unsigned char* deltas, const double* values,
                                                long place, int lane, int full, int length,
                                                int code, const double* x) {
    constexpr int batch = 5;
    long k = 0;
    // Compilers would mix two rounds and wait for the first in the middle of the loads.
#pragma unroll 1
    for (; k + batch <= full; k += batch)
        add_strips(sum, bases, deltas, values, place, lane, length, code, x, k, true);
#pragma unroll 1
    for (; k < length; k += batch)
        add_strips(sum, bases, deltas, values, place, lane, length, code, x, k, false);
}

/// y = αAx + βy.
/// Launch: grid (ceil(num_warps / 8)), blocks of 256 threads.
/// num_warps = num_slices
/// num_rows: rows of A
/// slice_ptr[num_slices + 1]: where each slice begins, in columns of slices
/// slice_info[num_slices]: code of deltas (bits 0, 1), ragged (2), masks (3), strips of all lanes
/// delta_ptr[num_slices + 1]: where each slice's deltas begin, in bytes of a lane
/// bases[strips]: what the deltas of each strip are added to
/// deltas: deltas of block columns, as many bits as the slice's code says
/// lengths[lanes of slices]: strips of each; 65535 = its row is long
/// values[stored entries]: value of each entry
/// x[columns of A]
/// y[num_rows]
extern "C" __global__ void __launch_bounds__(256)
    strips_f64_i32_a1_b0_d364c295(long num_rows, const int* __restrict__ slice_ptr,
                                  const int* __restrict__ slice_info,
                                  const int* __restrict__ delta_ptr, const int* __restrict__ bases,
                                  const unsigned char* __restrict__ deltas,
                                  const unsigned short* __restrict__ lengths, const double* values,
                                  const double* x, double* __restrict__ y) {
    long thread = static_cast<long>(blockIdx.x) * 256 + threadIdx.x;
    double sum = 0.0;
    if (thread >= num_rows) return;
    const long number = thread / 32;
    const int lane = static_cast<int>(thread % 32);
    const long first = slice_ptr[number];
    const int width = static_cast<int>(slice_ptr[number + 1] - first);
    const int info = slice_info[number];
    const int full = info >> full_strips_shift;
    const int* own_slice_bases = bases + first;
    const unsigned char* own_slice_deltas = deltas + 32 * static_cast<long>(delta_ptr[number]);
    long place = first * 32 + lane;
    int length = width;
    if ((info & ragged_slice) != 0) length = lengths[thread];
    griddepcontrol_wait();
    const int code = info & code_bits;
    if (code == affine_deltas) {
        add_lane(sum, own_slice_bases, own_slice_deltas, values, place, lane, full, length,
                 affine_deltas, x);
        if ((info & filled_slice) != 0 && !(sum == sum)) {
            sum = 0.0;
#pragma unroll 1
            for (long k = 0; k < length; ++k) {
                const int col = own_slice_bases[k] + lane;
                const double value = __ldcs(values + place + k * 32);
                const bool is_there = __ldcs(own_slice_deltas + k * 32 + lane) != 0;
                const double factor = is_there ? x[col] : 0.0;
                if (is_there) sum += value * factor;
            }
        }
    }
    if (code == deltas_of_8_bits) {
        add_lane(sum, own_slice_bases, own_slice_deltas, values, place, lane, full, length,
                 deltas_of_8_bits, x);
    }
    y[thread] = sum;
}

#ifdef SPMVGEN_LAUNCHER
/// Enqueues y = A x on `stream`. Pointers are the device's.
/// num_warps = num_slices
static inline void strips_f64_i32_a1_b0_d364c295_launch(
    long num_rows, const int* slice_ptr, const int* slice_info, const int* delta_ptr,
    const int* bases, const unsigned char* deltas, const unsigned short* lengths,
    const double* values, const double* x, double* y, long num_warps, cudaStream_t stream) {
    long blocks1 = num_warps < 1 ? 1 : (num_warps + 7) / 8;
    strips_f64_i32_a1_b0_d364c295<<<dim3(static_cast<unsigned>(blocks1), 1), 256, 0, stream>>>(
        num_rows, slice_ptr, slice_info, delta_ptr, bases, deltas, lengths, values, x, y);
}
#endif
