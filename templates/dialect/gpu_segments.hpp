// What the balanced GPU kernels share: segmented sums over runs of entries that are cut anywhere.
//
// A chunk is warp_size · entries neighbouring entries. Its products lie in shared memory in the
// order of the entries, one place left free behind each lane's run of `entries`, so that lanes
// which walk their runs meet no bank conflicts. A segment is a run of entries of one row.
#pragma once
#include "dialect/gpu.hpp"

/// Where entry number `k` of a chunk lies.
template <int entries>
[[gnu::always_inline]] inline int place_of(int k) {
    return k + k / entries;
}

/// Loads the lane's columns and values of a chunk of `count` entries, those of every warp_size-th
/// entry. What lies beyond is zero.
template <int entries, typename Index, typename Storage>
[[gnu::always_inline]] inline void load_chunk(Index* col, Storage* value, const Index* col_idx,
                                              const Storage* values, int count) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    if (count == warp_size * entries) {
        // Nothing to ask between the loads: all are on their way at once.
        for (int u = 0; u < entries; ++u) {
            col[u] = load_stream(col_idx + u * warp_size + lane);
            value[u] = load_stored(values + u * warp_size + lane);
        }
    } else {
        for (int u = 0; u < entries; ++u) {
            const bool exists = u * warp_size + lane < count;
            col[u] = exists ? load_stream(col_idx + u * warp_size + lane) : static_cast<Index>(0);
            value[u] = exists ? load_stored(values + u * warp_size + lane) : Storage{};
        }
    }
}

/// Says that entry `k` of the chunk begins a segment. Every k is named at most once; bits start as
/// 0.
template <int entries>
[[gnu::always_inline]] inline void mark_segment(int* heads, int k) {
    atomicAdd(heads + k / entries, 1 << (k % entries));
}

/// Replaces the last product of every segment by the segment's sum, and the chunk's last product by
/// the sum of the segment that is open there. heads has bit i for each of the lane's entries i that
/// begins a segment, that of lane 0 and i = 0 apart, which means nothing; `carry` is what the
/// chunk's first segment has from before. All lanes of the warp take part, and see all sums
/// afterwards.
template <int entries, typename Value>
[[gnu::always_inline]] inline void sum_segments(Value* chunk, int heads, Value carry) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    Value* own = chunk + lane * (entries + 1);
    Value sum = lane == 0 ? add(carry, own[0]) : own[0];
    int first_end = -1;  // where the segment ends that is open as the lane's entries begin
    for (int i = 1; i < entries; ++i) {
        const Value product = own[i];
        if (((heads >> i) & 1) != 0) {
            own[i - 1] = sum;
            first_end = first_end < 0 ? i - 1 : first_end;
            sum = product;
        } else {
            sum = add(sum, product);
        }
    }
    // Segmented scan over the lanes: `begun` = a segment begins at or behind the place that `sum`
    // was added up from.
    const bool begins = lane == 0 || (heads & 1) != 0;
    int begun = begins || first_end >= 0 ? 1 : 0;
    for (int delta = 1; delta < warp_size; delta *= 2) {
        const Value before = shuffle_up(sum, delta);
        const int begun_before = shuffle_up(begun, delta);
        if (lane >= delta && begun == 0) {
            sum = add(before, sum);
            begun = begun_before;
        }
    }
    const Value before = shuffle_up(sum, 1);
    own[entries - 1] = sum;
    if (!begins && first_end >= 0) {
        own[first_end] = add(before, own[first_end]);
    }
    warp_barrier();
}

/// How many rows the merge path over the rows' ends and the entries of CSR has ended after `step`
/// steps; the other steps take an entry. A row's end comes after its entries. All lanes of a warp
/// search together and get the answer.
template <typename Offset>
[[gnu::always_inline]] inline long rows_ended(long num_rows, const Offset* row_ptr, long step) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    long low = 0;
    long high = num_rows;
    while (low < high) {
        const long gap = (high - low + warp_size - 1) / warp_size;
        const long probe = low + gap * (lane + 1) - 1;
        const int ended = count_lanes(probe < high && probe + row_ptr[probe + 1] < step);
        const long next = low + gap * (ended + 1) - 1;
        low += gap * ended;
        high = next < high ? next : high;
    }
    return low;
}

/// Adds to y what chunks have left of rows that others end: run by run of equal row numbers in
/// carry_row (-1 = nothing left), each run in the order of the chunks, then the epilogue. A thread
/// takes a short run, the block together a long one.
template <scale alpha_mode, int num_rhs, int rhs_group, bool has_epilogue, int block,
          typename Value, typename Vector>
[[gnu::always_inline]] inline void add_carries(long count, const long* carry_row,
                                               const Value* carry_sum, Vector* y, Vector alpha) {
    constexpr int longest = 8;  // run of a thread
    __shared__ int long_runs;
    __shared__ int long_begin[block];
    __shared__ Value part[block];
    const int thread = static_cast<int>(threadIdx.x);
    const long base = static_cast<long>(blockIdx.x) * block;
    const long first = base + thread;
    if (thread == 0) {
        long_runs = 0;
    }
    __syncthreads();
    const long row = first < count ? carry_row[first] : -1;
    if (row >= 0 && (first == 0 || carry_row[first - 1] != row)) {
        long end = first + 1;
        while (end < count && end <= first + longest && carry_row[end] == row) {
            ++end;
        }
        if (end > first + longest) {
            long_begin[atomicAdd(&long_runs, 1)] = thread;
        } else {
            for (int rhs = 0; rhs < rhs_group; ++rhs) {
                Value sum = {};
                for (long c = first; c < end; ++c) {
                    sum = add(sum, carry_sum[element_of<num_rhs, rhs_group>(c) + rhs]);
                }
                store<alpha_mode, scale::one, has_epilogue>(
                    y, element_of<num_rhs, rhs_group>(row) + rhs, sum, alpha, alpha, row);
            }
        }
    }
    __syncthreads();
    for (int run = 0; run < long_runs; ++run) {
        const long begin = base + long_begin[run];
        const long run_row = carry_row[begin];
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            Value sum = {};
            for (long c = begin + thread; c < count && carry_row[c] == run_row; c += block) {
                sum = add(sum, carry_sum[element_of<num_rhs, rhs_group>(c) + rhs]);
            }
            part[thread] = sum;
            for (int half = block / 2; half > 0; half /= 2) {
                __syncthreads();
                if (thread < half) {
                    part[thread] = add(part[thread], part[thread + half]);
                }
            }
            if (thread == 0) {
                store<alpha_mode, scale::one, has_epilogue>(
                    y, element_of<num_rhs, rhs_group>(run_row) + rhs, part[0], alpha, alpha,
                    run_row);
            }
            __syncthreads();
        }
    }
}

/// Rows that a thread of store_scaled takes: with one, starting the blocks would take longer than
/// writing y. The launches count with it.
constexpr int scaled_rows = 4;

/// y = epilogue(βy) for the block's rows: what is left of the product when α = 0.
template <scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue, int block,
          vector_form y_form = vector_form::dense, typename Vector>
[[gnu::always_inline]] inline void store_scaled(long num_rows, Vector* y, Vector beta,
                                                long ld_y = 0) {
    const long first = static_cast<long>(blockIdx.x) * (block * scaled_rows);
    if constexpr (y_form == vector_form::dense && rhs_group > 1) {
        // Neighbouring threads have neighbouring elements.
        for (int u = 0; u < scaled_rows * rhs_group; ++u) {
            const int element = u * block + static_cast<int>(threadIdx.x);
            const long row = first + element / rhs_group;
            if (row < num_rows) {
                store<scale::zero, beta_mode, has_epilogue>(
                    y, element_of<num_rhs, rhs_group>(row) + element % rhs_group, Vector{}, beta,
                    beta, row);
            }
        }
    } else {
        for (int u = 0; u < scaled_rows; ++u) {
            const long row = first + threadIdx.x + u * block;
            if (row < num_rows) {
                const Vector sum[rhs_group] = {};
                store_row<scale::zero, beta_mode, num_rhs, rhs_group, has_epilogue, y_form>(
                    y, row, sum, beta, beta, ld_y);
            }
        }
    }
}

/// y = epilogue(y) for the block's rows.
template <int num_rhs, int rhs_group, int block, typename Vector>
[[gnu::always_inline]] inline void finish_rows(long num_rows, Vector* y) {
    const long row = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (row < num_rows) {
        const long first = element_of<num_rhs, rhs_group>(row);
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            y[first + rhs] = epilogue(y[first + rhs], row);
        }
    }
}
