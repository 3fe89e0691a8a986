// Which columns are used most, for conversions of CSR on the device into tiles with hubs. The host
// reads how many columns have how many uses, then those with enough, and chooses among these.
#pragma once
#include "dialect/convert/gpu_convert_values.hpp"

/// Bins of a histogram of uses; the last is of all uses from there on.
constexpr int use_bins = 4096;

/// No column has a use yet, and no bin a column.
template <int block>
void convert_tiles_clear(long num_cols, unsigned long long* __restrict__ uses,
                         unsigned long long* __restrict__ bins) {
    const long i = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (i < num_cols) {
        uses[i] = 0ull;
    }
    for (long bin = i; bin < use_bins; bin += static_cast<long>(gridDim.x) * block) {
        bins[bin] = 0ull;
    }
}

/// How often each column is used. All columns are A's.
template <typename Index, int block>
void convert_tiles_count_uses(long nnz, const Index* __restrict__ csr_col_idx,
                              unsigned long long* __restrict__ uses) {
    for (long i = static_cast<long>(blockIdx.x) * block + threadIdx.x; i < nnz;
         i += static_cast<long>(gridDim.x) * block) {
        atomicAdd(uses + csr_col_idx[i], 1ull);
    }
}

/// How many columns have how many uses; unused ones are left out.
template <int block>
void convert_tiles_bins(long num_cols, const unsigned long long* __restrict__ uses,
                        unsigned long long* __restrict__ bins) {
    __shared__ int own[use_bins];
    for (int bin = static_cast<int>(threadIdx.x); bin < use_bins; bin += block) {
        own[bin] = 0;
    }
    __syncthreads();
    for (long j = static_cast<long>(blockIdx.x) * block + threadIdx.x; j < num_cols;
         j += static_cast<long>(gridDim.x) * block) {
        const unsigned long long count = uses[j];
        if (count > 0) {
            atomicAdd(own + (count < use_bins ? static_cast<int>(count) : use_bins - 1), 1);
        }
    }
    __syncthreads();
    for (int bin = static_cast<int>(threadIdx.x); bin < use_bins; bin += block) {
        if (own[bin] > 0) {
            atomicAdd(bins + bin, static_cast<unsigned long long>(own[bin]));
        }
    }
}

/// Whether each column has at least so many uses.
template <typename Offset, int block>
void convert_tiles_often(long num_cols, long least_uses,
                         const unsigned long long* __restrict__ uses,
                         Offset* __restrict__ item_sizes) {
    const long j = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (j < num_cols) {
        item_sizes[j] = static_cast<Offset>(static_cast<long>(uses[j]) >= least_uses ? 1 : 0);
    }
}

/// Those columns, ascending, with their uses; and what stands for each column that is no hub.
template <typename Index, typename Offset, int block>
void convert_tiles_list(long num_cols, long least_uses, long hot_columns,
                        const unsigned long long* __restrict__ uses,
                        const Offset* __restrict__ item_ptr, Index* __restrict__ often_cols,
                        unsigned long long* __restrict__ often_uses,
                        Index* __restrict__ column_codes) {
    const long j = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (j < num_cols) {
        if (static_cast<long>(uses[j]) >= least_uses) {
            often_cols[item_ptr[j]] = static_cast<Index>(j);
            often_uses[item_ptr[j]] = uses[j];
        }
        column_codes[j] = static_cast<Index>(hot_columns + j);
    }
}

/// What stands for the hubs.
template <typename Index, int block>
void convert_tiles_hot(long num_hot, const Index* __restrict__ hot_cols,
                       Index* __restrict__ column_codes) {
    const long k = static_cast<long>(blockIdx.x) * block + threadIdx.x;
    if (k < num_hot) {
        column_codes[hot_cols[k]] = static_cast<Index>(k);
    }
}
