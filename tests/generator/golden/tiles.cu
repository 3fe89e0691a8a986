// tiles_f64_i32_a1_b0_21978674: y = A x
// Tiles: entries in equal shares down to the lane.
//
// Source:  CSR5 (Liu & Vinter, ICS 2015) for tiles with row starts as bits; Karras (HPG 2012) for
//          trees that the second to come climbs.
// Reads:   nnz·(8 + 4 + 1/8) bytes of A, 12 bytes a run, with gaps an index a row; x once for each
//          entry; writes y once.
// Made by: spmvgen 0.2.0 from templates/gpu/tiles.hpp; sizes of arrays count elements
// Command: spmvgen emit --kernel tiles --arch sm_90 --value f64 --index i32 --offset i32 --alpha
//          one --beta zero --rhs 1 --param block=256,gaps=1,items=8,run=4,staged=64 --param
//          value_code=0

#ifndef SPMVGEN_OWN_INSTRUCTIONS
static __device__ __forceinline__ void griddepcontrol_wait() {
    unsigned units;  // multiprocessors; where half of them have a block, the next launch may begin
    asm("mov.u32 %0, %%nsmid;" : "=r"(units));
    if (2 * gridDim.x * gridDim.y <= units) asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
}
#endif

/// Rows without entries that a thread of tiles stores: blocks of one row a thread take longer to
/// begin than to run.
constexpr int empty_rows_a_thread = 8;
/// The bits of a sum that stands for none where sums meet: those of a NaN.
constexpr unsigned long long no_sum = 0x7ffdbeef7ffdbeefull;

/// What a warp knows of its run.
struct run_state {
    long run;           ///< its number
    long first_number;  ///< of the row that is open as it begins
    long head_first;    ///< the first run of that row, when it is cut there; else -1
    long open_first;    ///< the first and the last run of the row that is cut where it ends, or -1
    long open_last;
    long number;    ///< of the row that is open
    bool has_head;  ///< a row has ended in the run
};

/// The sum over this lane and those below it. All lanes of the warp take part.
static __device__ __forceinline__ int warp_prefix(int count) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    for (int delta = 1; delta < 32; delta *= 2) {
        const int before = __shfl_up_sync(0xffffffffu, count, static_cast<unsigned>(delta), 32);
        count += lane >= delta ? before : 0;
    }
    return count;
}

/// Puts what the lane has of each row that its marks end into part[place], place = `first` for the
/// first of them, as far as places are within 64. Returns the sum behind the last mark.
static __device__ __forceinline__ double walk_items(const double* product, unsigned marks,
                                                    int first, double* part) {
    double sum = {};
    int place = first;
    for (int k = 0; k < 8; ++k) {
        const bool ends = ((marks >> k) & 1u) != 0;
        if (ends && static_cast<unsigned>(place) < 64u) part[place] = sum;
        if (ends) sum = 0.0;
        place += ends ? 1 : 0;
        sum += product[k];
    }
    return sum;
}

/// Stores y of one right-hand side for the rows that the tile ends; but the sum of the run's first,
/// which another run may have begun, goes to part[staged + rhs]. `ended` counts the marks of the
/// lane and of those below it. `open` is what the row has so far that is open as the tile begins;
/// returns what the one has that is open as it ends. All lanes of the warp take part.
static __device__ __forceinline__ double end_rows(const double* product, unsigned marks, int ended,
                                                  run_state at, int rhs, double open, double* part,
                                                  const int* filled_rows, double* y) {
    const int before = ended - __popc(marks);
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int rows = __shfl_sync(0xffffffffu, ended, 31, 32);
    double sum = walk_items(product, marks, before, part);
    if (lane == 0 && ended == 0) sum = open + sum;
    const int lane2 = static_cast<int>(threadIdx.x) % 32;
    for (int delta = 1; delta < 32; delta *= 2) {
        const double sum_before =
            __shfl_up_sync(0xffffffffu, sum, static_cast<unsigned>(delta), 32);
        const int ended_before =
            __shfl_up_sync(0xffffffffu, ended, static_cast<unsigned>(delta), 32);
        if (lane2 >= delta && ended_before == ended) sum = sum_before + sum;
    }
    double begun = __shfl_up_sync(0xffffffffu, sum, static_cast<unsigned>(1), 32);
    if (lane == 0) begun = open;
    // Once, unless rows are very short.
    for (int base = 0; base < rows; base += 64) {
        const int place = before - base;
        if (base > 0) walk_items(product, marks, place, part);
        if (marks != 0 && static_cast<unsigned>(place) < 64u) part[place] = begun + part[place];
        __syncwarp();
        const bool skips_first = base == 0 && !at.has_head;
        if (skips_first && lane == 0) part[64 + rhs] = part[0];
        const int count = rows - base < 64 ? rows - base : 64;
        for (int i = skips_first ? lane + 1 : lane; i < count; i += 32) {
            const long row = filled_rows[at.number + base + i];
            y[row + rhs] = part[i];
        }
        __syncwarp();
    }
    return __shfl_sync(0xffffffffu, sum, 31, 32);
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

/// What is left when a run has ended: the row that was open as it began, if it has ended and others
/// have parts of it, and the one that is open now. part[staged + r] and `open` of lane r are their
/// sums for right-hand side r. All lanes of the warp take part.
static __device__ __forceinline__ void end_run(const int* filled_rows, long num_filled,
                                               run_state at, double open, const double* part,
                                               unsigned long long* meetings, double* y) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int rhs = 0;
    const bool is_head = lane < 1;
    double sum = __shfl_sync(0xffffffffu, open, rhs, 32);
    if (is_head && at.has_head) sum = part[64 + rhs];
    bool joins = false;
    long own = at.run;
    long first = at.run;
    long last = at.run;
    if (is_head) {
        joins = at.head_first >= 0 && (at.has_head || at.open_first < 0);
        first = at.head_first;
    } else if (lane < 2) {
        // A row that begins and ends here, but with the last entry, is its only part.
        joins = at.open_first >= 0 || (at.has_head && at.number < num_filled);
        first = at.open_first >= 0 ? at.open_first : at.run;
        last = at.open_first >= 0 ? at.open_last : at.run;
    }
    if (joins) {
        const long row = filled_rows[is_head ? at.first_number : at.number];
        double sum2 = sum;
        const long i = row + rhs;
        unsigned long long* places = meetings + rhs;
        if (completes_row(&sum2, own, first, last, places)) y[i] = sum2;
    }
}

/// The warp's run number `this_run`: y = αAx + βy for the rows that begin and end in it, and its
/// part of those that it shares with others. `part` has staged + rhs_group places for this warp
/// alone. All lanes of the warp take part.
static __device__ __forceinline__ void multiply_run(
    long this_run, const int* tile_row, const unsigned char* row_marks, const int* col_idx,
    const double* values, const int* cut_first_run, const int* cut_last_run, const int* filled_rows,
    long num_tiles, long num_filled, const double* x, double* part, unsigned long long* meetings,
    double* y) {
    constexpr int size = 256;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const long begin = this_run * 4;
    const long end = begin + 4 < num_tiles ? begin + 4 : num_tiles;
    const long first_number = tile_row[begin];
    run_state at = {this_run,
                    first_number,
                    cut_first_run[this_run],
                    cut_first_run[this_run + 1],
                    cut_last_run[this_run + 1],
                    first_number,
                    false};
    double open = {};  // of lane r: the sum, for right-hand side r, of the row that is open
    for (long tile = begin; tile < end; ++tile) {
        const long first = tile * size + lane;
        int col[8];
        double value[8];
        for (int k = 0; k < 8; ++k)
            col[k] = __ldcs(col_idx + first + k * 32);
        const long at2 = tile * 32 + threadIdx.x % 32;
        const unsigned marks = __ldcs(row_marks + at2);
        for (int k = 0; k < 8; ++k)
            value[k] = __ldcs(values + first + k * 32);
        int ended = 0;
        double factor[8];
        for (int k = 0; k < 8; ++k)
            factor[k] = x[col[k]];
        // While x is on its way.
        ended = warp_prefix(__popc(marks));
        double product[8];
        for (int k = 0; k < 8; ++k)
            product[k] = value[k] * factor[k];
        const double left = end_rows(product, marks, ended, at, 0,
                                     __shfl_sync(0xffffffffu, open, 0, 32), part, filled_rows, y);
        if (lane == 0) open = left;
        const int rows = __shfl_sync(0xffffffffu, ended, 31, 32);
        at.number += rows;
        at.has_head = at.has_head || rows > 0;
    }
    end_run(filled_rows, num_filled, at, open, part, meetings, y);
}

/// y = αAx + βy. tile_row[t]: number of the row that is open as tile t begins, -1 when none is.
/// cut_first_run[r], cut_last_run[r]: first and last run with a part of the row that is cut where
/// run r begins; -1 when none is.
/// Launch: grid (grid_blocks), blocks of 256 threads.
/// grid_blocks = ceil(num_runs / 8) + ceil(num_empty / 2048)
/// num_tiles: tiles of A
/// num_runs: runs of tiles, one for each warp
/// num_filled: rows with entries
/// num_empty: rows without entries
/// tile_row[num_tiles]: number of the row open as each tile begins, or -1
/// row_marks[stored entries / 8]: a bit for each entry that begins a row
/// col_idx[stored entries]: column of each entry, from 0
/// values[stored entries]: value of each entry
/// cut_first_run[num_runs + 1]: first run of the row cut where each begins, or -1
/// cut_last_run[num_runs + 1]: last run of that row, or -1
/// filled_rows[num_filled]: the rows with entries
/// empty_rows[num_empty]: the rows without
/// x[columns of A]
/// y[num_rows]
/// meetings: workspace of 64 bytes for each block of launch 1; zeros when a launch begins, and
///     again when it has ended
extern "C" __global__ void __launch_bounds__(256) tiles_f64_i32_a1_b0_21978674(
    long num_tiles, long num_runs, long num_filled, long num_empty,
    const int* __restrict__ tile_row, const unsigned char* __restrict__ row_marks,
    const int* __restrict__ col_idx, const double* values, const int* __restrict__ cut_first_run,
    const int* __restrict__ cut_last_run, const int* __restrict__ filled_rows,
    const int* __restrict__ empty_rows, const double* x, double* __restrict__ y,
    unsigned long long* __restrict__ meetings) {
    constexpr int warps = 8;
    __shared__ double parts[520];
    const int thread = static_cast<int>(threadIdx.x);
    double* part = parts + thread / 32 * 65;
    const long this_run = static_cast<long>(blockIdx.x) * warps + thread / 32;
    if (this_run >= num_runs) {
        const long run_blocks = (num_runs + warps - 1) / warps;
        const long row_block = static_cast<long>(blockIdx.x) - run_blocks;
        if (row_block >= 0) {
            griddepcontrol_wait();
            for (int k = 0; k < empty_rows_a_thread; ++k) {
                const long i = (row_block * empty_rows_a_thread + k) * 256 + thread;
                if (i < num_empty) {
                    const double sum = 0.0;
                    y[empty_rows[i]] = sum;
                }
            }
        }
        return;
    }
    griddepcontrol_wait();
    multiply_run(this_run, tile_row, row_marks, col_idx, values, cut_first_run, cut_last_run,
                 filled_rows, num_tiles, num_filled, x, part, meetings, y);
}

#ifdef SPMVGEN_LAUNCHER
/// Enqueues y = A x on `stream`. Pointers are the device's.
/// meetings: workspace of 64 bytes for each block of launch 1: zeros before the first call, which
///     every call leaves behind; calls that may run at once need one each.
/// grid_blocks = ceil(num_runs / 8) + ceil(num_empty / 2048)
static inline void tiles_f64_i32_a1_b0_21978674_launch(
    long num_tiles, long num_runs, long num_filled, long num_empty, const int* tile_row,
    const unsigned char* row_marks, const int* col_idx, const double* values,
    const int* cut_first_run, const int* cut_last_run, const int* filled_rows,
    const int* empty_rows, const double* x, double* y, unsigned long long* meetings,
    long grid_blocks, cudaStream_t stream) {
    long blocks1 = grid_blocks < 1 ? 1 : grid_blocks;
    tiles_f64_i32_a1_b0_21978674<<<dim3(static_cast<unsigned>(blocks1), 1), 256, 0, stream>>>(
        num_tiles, num_runs, num_filled, num_empty, tile_row, row_marks, col_idx, values,
        cut_first_run, cut_last_run, filled_rows, empty_rows, x, y, meetings);
}
#endif
