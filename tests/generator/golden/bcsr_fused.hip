// bcsr_fused_f64_i32_a1_b0_f147b914: y = A x
// BCSR in one launch: a group of lanes a block row, a block a lane.
//
// Source:  BCSR of GOSpMV (Zhang et al., Automatic Performance Tuning of SpMV on GPGPU, 2009), with
//          its two kernels made one.
// Reads:   blocks·(r·c·8 + 4) bytes and an offset a block row of A, c neighbours of x for each
//          block; writes y once.
// Made by: spmvgen 0.2.0 from templates/gpu/bcsr_fused.hpp; sizes of arrays count elements
// Command: spmvgen emit --kernel bcsr_fused --arch gfx942 --value f64 --index i32 --offset i32
//          --alpha one --beta zero --rhs 1 --param block=128,block_cols=3,block_rows=3,subwarp=8
//          --param unroll=4

/// Blocks that are stored together.
constexpr int tile_blocks = 32;

/// Whether one of 3 numbers is NaN, in a part of it when they are complex.
static __device__ __forceinline__ bool has_nan(const double* numbers) {
    bool found = false;
    for (int i = 0; i < 3; ++i)
        found |= !(numbers[i] == numbers[i]);
    return found;
}

/// sum[i][rhs] += the products of the blocks first, first + step, … below `end`, without the
/// fill: x is read where the matrix has an element, and nowhere else.
static __device__ __forceinline__ void add_unfilled_blocks(double* sum, const double* values,
                                                           const int* col_idx,
                                                           const long* block_masks, const double* x,
                                                           long first, long end) {
    for (long k = first; k < end; k += 8) {
        const long mask = block_masks[k];
        const double* block = values + k / tile_blocks * 288 + k % tile_blocks;
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                if ((mask >> (i * 3 + j) & 1) != 0) {
                    const double value =
                        __builtin_nontemporal_load(block + (i * 3 + j) * tile_blocks);
                    sum[i] += value * x[static_cast<long>(col_idx[k]) + j];
                }
            }
        }
    }
}

/// sum[i][rhs] = the products of the blocks first, first + step, … below `end`, for the thread's
/// group of right-hand sides.
static __device__ __forceinline__ void multiply_blocks(double* sum, const double* values,
                                                       const int* col_idx, const long* block_masks,
                                                       const double* x, long num_cols, long first,
                                                       long end) {
    constexpr int height = 3;
    // A matrix narrower than a block has no c neighbours of x.
    bool done = num_cols >= 3;
    if (done) {
        constexpr int size = 9;
        constexpr int width = 3;
        for (long k = first; k < end; k += 16) {
            // Where there is no block, both factors are zero.
            int col[2] = {};
            double value[18] = {};
            for (int u = 0; u < 2; ++u) {
                if (k + u * 8 < end) {
                    const double* block =
                        values + (k + u * 8) / tile_blocks * 288 + (k + u * 8) % tile_blocks;
                    col[u] = __builtin_nontemporal_load(col_idx + k + u * 8);
                    for (int e = 0; e < size; ++e)
                        value[u * size + e] = __builtin_nontemporal_load(block + e * tile_blocks);
                }
            }
            double factor[6] = {};
            for (int u = 0; u < 2; ++u) {
                if (k + u * 8 < end)
                    for (int j = 0; j < 3; ++j)
                        factor[u * width + j] = x[static_cast<long>(col[u]) + j];
            }
            for (int u = 0; u < 2; ++u) {
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j)
                        sum[i] += value[u * size + i * 3 + j] * factor[u * width + j];
            }
        }
        done = !has_nan(sum);
    }
    if (!done) {
        for (int e = 0; e < height; ++e)
            sum[e] = 0.0;
        add_unfilled_blocks(sum, values, col_idx, block_masks, x, first, end);
    }
}

/// y = αAx + βy for A in BCSR.
/// Launch: grid (ceil(num_block_rows / 16)), blocks of 128 threads.
/// num_rows: rows of A
/// num_cols: columns of A
/// num_block_rows: rows of blocks
/// block_ptr[num_block_rows + 1]: where each row of blocks begins, then their number
/// col_idx[blocks]: first column of each block, from 0
/// block_masks[blocks]: a bit for each element that is none of fill
/// values[stored entries]: value of each entry
/// x[columns of A]
/// y[num_rows]
extern "C" __global__ void __launch_bounds__(128) bcsr_fused_f64_i32_a1_b0_f147b914(
    long num_rows, long num_cols, long num_block_rows, const int* __restrict__ block_ptr,
    const int* __restrict__ col_idx, const long* __restrict__ block_masks,
    const double* __restrict__ values, const double* __restrict__ x, double* __restrict__ y) {
    const int lane = static_cast<int>(threadIdx.x) % 8;
    const long block_row = static_cast<long>(blockIdx.x) * 16 + threadIdx.x / 8;
    double sum[3] = {};
    // All lanes of a warp take part in the shuffles, those beyond the last block row with
    // nothing.
    if (block_row < num_block_rows) {
        const long begin = block_ptr[block_row];
        const long end = block_ptr[block_row + 1];
        multiply_blocks(sum, values, col_idx, block_masks, x, num_cols, begin + lane, end);
    }
    for (int e = 0; e < 3; ++e)
        for (int delta = 4; delta >= 1; delta /= 2)
            sum[e] += __shfl_down(sum[e], static_cast<unsigned>(delta), 8);
    if (lane == 0) {
        for (int i = 0; i < 3; ++i) {
            const long row = block_row * 3 + i;
            if (row < num_rows) y[row] = sum[i];
        }
    }
}

#ifdef SPMVGEN_LAUNCHER
/// Enqueues y = A x on `stream`. Pointers are the device's.
static inline void bcsr_fused_f64_i32_a1_b0_f147b914_launch(
    long num_rows, long num_cols, long num_block_rows, const int* block_ptr, const int* col_idx,
    const long* block_masks, const double* values, const double* x, double* y, hipStream_t stream) {
    long blocks1 = num_block_rows < 1 ? 1 : (num_block_rows + 15) / 16;
    bcsr_fused_f64_i32_a1_b0_f147b914<<<dim3(static_cast<unsigned>(blocks1), 1), 128, 0, stream>>>(
        num_rows, num_cols, num_block_rows, block_ptr, col_idx, block_masks, values, x, y);
}
#endif
