// Rows of regions put into clusters of neighbours, on the device that has A: a row's neighbours are the
// rows that its columns name.
//
// What:       as row_clusters() does it on the host, bit for bit: clusters grow by breadth, one after
//             another, each from the row that earlier ones touched first and had no room for; where
//             there is none, from the first row of the region that is left.
// Source:     ours.
// Parameters: block  128, 256, 512, 1024: threads of a block.
// Work:       a block a region. Of the rows that are taken, as many as the block has threads are looked
//             at together: their entries are shared out evenly. The first entry that names a row
//             takes it, so rows come in the order in which a single thread would find them.
// Reads:      columns of A twice, the second time mostly from caches, and of the rows that they name
//             the region and the first entry.
#pragma once
#include "dialect/convert/gpu_convert_orders.hpp"

constexpr int taken = -1;           ///< in place of the region of a row that is in a cluster
constexpr int touched = 1 << 30;    ///< beside the region of a row that a cluster had no room for
constexpr unsigned no_entry = ~0u;  ///< a row that no entry looked at names
/// Of the counts: how far from the diagonal entries are; num_rows if a column is no row.
constexpr int count_furthest = 1;

/// The first place from `from` on of a list, of `length` rows, that has a row that is not taken;
/// `length` where there is none. All threads of the block take part.
template <int block>
[[gnu::always_inline]] inline int first_left(int* found, const int* list, int from, int length,
                                             const int* labels) {
    for (; from < length; from += block) {
        if (threadIdx.x == 0) {
            *found = length;
        }
        __syncthreads();
        const int own = from + static_cast<int>(threadIdx.x);
        if (own < length && labels[list[own]] != taken) {
            atomicMin(found, own);
        }
        __syncthreads();
        const int first = *found;
        __syncthreads();
        if (first < length) {
            return first;
        }
    }
    return length;
}

/// The sum over all threads of the block, of which warp_sums has those of the warps.
template <int block, typename Number>
[[gnu::always_inline]] inline Number sum_of_warps(const Number* warp_sums) {
    Number sum = 0;
    for (int w = 0; w < block / warp_size; ++w) {
        sum += warp_sums[w];
    }
    return sum;
}

/// Rows that are looked at together.
template <typename Offset, int block>
struct batch_of_rows {
    int rows[block];
    unsigned before[block];  ///< entries of those before each
    Offset begin[block];     ///< of each, in A, less those
};

/// Reads a batch; how many entries it has. All threads of the block take part.
template <int block, typename Offset>
[[gnu::always_inline]] inline unsigned read_batch(batch_of_rows<Offset, block>* batch,
                                                  unsigned* warp_sums, const int* order, int rows,
                                                  const Offset* row_ptr) {
    const int thread = static_cast<int>(threadIdx.x);
    Offset begin = 0;
    unsigned length = 0;
    if (thread < rows) {
        const int row = order[thread];
        begin = row_ptr[row];
        length = static_cast<unsigned>(row_ptr[row + 1] - begin);
        batch->rows[thread] = row;
    }
    const unsigned before = sum_before<block>(warp_sums, length);
    batch->before[thread] = before;
    batch->begin[thread] = begin - static_cast<Offset>(before);
    const unsigned entries = sum_of_warps<block>(warp_sums);
    __syncthreads();
    return entries;
}

/// Notes the first entry of a batch that names each row of the region that is not taken, and in
/// *found whether there is one; how far from the diagonal this thread's entries are.
template <int block, typename Index, typename Offset>
[[gnu::always_inline]] inline long note_first_entries(const batch_of_rows<Offset, block>* batch,
                                                      int rows, unsigned entries, int region,
                                                      long num_rows, const Index* csr_col_idx,
                                                      const int* labels, unsigned* first_entry,
                                                      int* found) {
    long furthest = 0;
    for (unsigned e = threadIdx.x; e < entries; e += block) {
        const long i = row_of_entry(batch->before, 0, rows, e);
        const long column = csr_col_idx[batch->begin[i] + static_cast<Offset>(e)];
        if (!is_row(column, num_rows)) {
            furthest = num_rows;
        } else {
            const long distance = column - batch->rows[i];
            furthest = distance > furthest ? distance : furthest;
            furthest = -distance > furthest ? -distance : furthest;
            if ((labels[column] & ~touched) == region) {
                atomicMin(first_entry + column, e);
                *found = 1;
            }
        }
    }
    return furthest;
}

template <typename Index, typename Offset, int block>
void clusters_of_regions(long num_rows, long num_regions, long cluster_size,
                         const Offset* __restrict__ row_ptr, const Index* __restrict__ csr_col_idx,
                         const int* __restrict__ region_ptr, const int* __restrict__ region_rows,
                         int* labels, unsigned* first_entry, int* touched_rows, int* clustered,
                         unsigned long long* __restrict__ counts) {
    __shared__ batch_of_rows<Offset, block> batch;
    __shared__ unsigned warp_entries[block / warp_size];
    __shared__ int warp_sums[block / warp_size];
    __shared__ int found;
    __shared__ unsigned long long furthest_of_block;
    const int thread = static_cast<int>(threadIdx.x);
    const int region = static_cast<int>(blockIdx.x);
    const int begin = region_ptr[region];
    const int size = region_ptr[region + 1] - begin;
    const int* const members = region_rows + begin;
    int* const order = clustered + begin;
    int* const waiting = touched_rows + begin;
    for (int i = thread; i < size; i += block) {
        first_entry[members[i]] = no_entry;
    }
    if (thread == 0) {
        furthest_of_block = 0;
    }
    long furthest = 0;
    int at = 0;     // rows that were looked at
    int count = 0;  // rows that are taken
    int end = 0;    // rows up to the end of the cluster
    int num_waiting = 0;
    int next_waiting = 0;
    int next_member = 0;
    while (at < size) {
        if (at == count) {
            if (count == end) {
                const int cluster = static_cast<int>(cluster_size);
                end = count + cluster - (begin + count) % cluster;
            }
            next_waiting = first_left<block>(&found, waiting, next_waiting, num_waiting, labels);
            int seed = 0;
            if (next_waiting < num_waiting) {
                seed = waiting[next_waiting];
            } else {
                next_member = first_left<block>(&found, members, next_member, size, labels);
                seed = members[next_member];
            }
            if (thread == 0) {
                order[count] = seed;
                labels[seed] = taken;
            }
            ++count;
        }
        if (thread == 0) {
            found = 0;
        }
        __syncthreads();
        const int rows = count - at < block ? count - at : block;
        const unsigned entries = read_batch<block>(&batch, warp_entries, order + at, rows, row_ptr);
        const long far = note_first_entries<block>(&batch, rows, entries, region, num_rows,
                                                   csr_col_idx, labels, first_entry, &found);
        furthest = far > furthest ? far : furthest;
        __syncthreads();
        const bool names_any = found != 0;
        // Those that have room are taken, in the order of these entries.
        for (unsigned tile = 0; names_any && tile < entries; tile += block) {
            const unsigned e = tile + threadIdx.x;
            int row = 0;
            int label = taken;
            bool is_first = false;
            if (e < entries) {
                const long i = row_of_entry(batch.before, 0, rows, e);
                const long column = csr_col_idx[batch.begin[i] + static_cast<Offset>(e)];
                if (is_row(column, num_rows)) {
                    row = static_cast<int>(column);
                    label = labels[row];
                    is_first = (label & ~touched) == region && first_entry[row] == e;
                }
            }
            int place = end;
            int taken_now = 0;
            if (count < end) {
                place = count + sum_before<block>(warp_sums, is_first ? 1 : 0);
                taken_now = sum_of_warps<block>(warp_sums);
                __syncthreads();
            }
            const bool has_room = place < end;
            if (is_first) {
                first_entry[row] = no_entry;
                if (has_room) {
                    order[place] = row;
                    labels[row] = taken;
                }
            }
            if (count + taken_now >= end) {
                const bool waits = is_first && !has_room && (label & touched) == 0;
                const int ahead = sum_before<block>(warp_sums, waits ? 1 : 0);
                if (waits) {
                    waiting[num_waiting + ahead] = row;
                    labels[row] = region | touched;
                }
                num_waiting += sum_of_warps<block>(warp_sums);
                __syncthreads();
            }
            count = count + taken_now < end ? count + taken_now : end;
        }
        at += rows;
        __syncthreads();
    }
    atomicMax(&furthest_of_block, static_cast<unsigned long long>(furthest));
    __syncthreads();
    if (thread == 0) {
        atomicMax(counts + count_furthest, furthest_of_block);
    }
}
