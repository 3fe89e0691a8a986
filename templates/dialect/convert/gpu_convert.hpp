// What conversions of CSR on the device share: sorting in shared memory, sums before, and the steps
// that look for columns and values that cannot be.
#pragma once
#include "dialect/coded_values.hpp"
#include "dialect/gpu.hpp"

/// Counts of a conversion that the host reads.
constexpr int count_outside = 5;  ///< threads, strips or chunks with a column that A has not
constexpr int count_inexact = 7;  ///< threads with values that are not stored as they must be
constexpr int count_falling = 9;  ///< block rows whose columns do not rise
constexpr int last_total = 10;    ///< no count: what the last scan summed up

/// Sorts `count` keys, a power of two, in shared memory: Batcher's bitonic network. All `block`
/// threads of the block take part, and see the sorted keys afterwards.
template <int count, int block>
[[gnu::always_inline]] inline void sort_keys(unsigned* keys) {
    for (int size = 2; size <= count; size *= 2) {
        for (int gap = size / 2; gap > 0; gap /= 2) {
            for (int pair = static_cast<int>(threadIdx.x); pair < count / 2; pair += block) {
                const int low = pair / gap * 2 * gap + pair % gap;
                const unsigned a = keys[low];
                const unsigned b = keys[low + gap];
                if ((a > b) == ((low & size) == 0)) {
                    keys[low] = b;
                    keys[low + gap] = a;
                }
            }
            __syncthreads();
        }
    }
}

/// Puts the places of `count` rows of a window, from `place` of it on, into keys % sigma: sorted by
/// falling length, equal ones in their order, long ones (of more than `long_above` entries) and
/// those that are none last. Rows that are not long have fewer than 2^(32 - log2 sigma) - 2 entries.
/// All threads of the block take part.
template <int count, int sigma, int block, typename Offset>
[[gnu::always_inline]] inline void sort_rows(unsigned* keys, const Offset* row_ptr, long first,
                                             int place, long num_rows, long long_above) {
    constexpr int bits = __builtin_ctz(sigma);
    constexpr unsigned longest = (1u << (32 - bits)) - 2u;
    // What sorts a row: how much shorter than the longest it is, then its place.
    for (int i = static_cast<int>(threadIdx.x); i < count; i += block) {
        const long row = first + i;
        unsigned rank = longest + 1u;
        if (row < num_rows) {
            const long length = row_ptr[row + 1] - row_ptr[row];
            if (length <= long_above) {
                rank = longest - static_cast<unsigned>(length);
            }
        }
        keys[i] = rank << bits | static_cast<unsigned>(place + i);
    }
    __syncthreads();
    sort_keys<count, block>(keys);
}

/// The same of a window as a whole.
template <int sigma, int block, typename Offset>
[[gnu::always_inline]] inline void sort_window(unsigned* keys, const Offset* row_ptr, long first,
                                               long num_rows, long long_above) {
    sort_rows<sigma, sigma, block>(keys, row_ptr, first, 0, num_rows, long_above);
}

/// The sum of what the threads before this one have. All `block` threads of the block take part;
/// warp_sums holds the sums of the warps afterwards.
template <int block, typename Number>
[[gnu::always_inline]] inline Number sum_before(Number* warp_sums, Number own) {
    const int lane = static_cast<int>(threadIdx.x) % warp_size;
    const int warp = static_cast<int>(threadIdx.x) / warp_size;
    Number sum = own;
    for (int delta = 1; delta < warp_size; delta *= 2) {
        const Number below = shuffle_up(sum, delta);
        sum += lane >= delta ? below : static_cast<Number>(0);
    }
    if (lane == warp_size - 1) {
        warp_sums[warp] = sum;
    }
    __syncthreads();
    for (int w = 0; w < block / warp_size; ++w) {
        sum += w < warp ? warp_sums[w] : static_cast<Number>(0);
    }
    return sum - own;
}

/// Sizes of a thread of a scan.
constexpr int scan_items = 4;

/// Writes the sum of the sizes before each of those from `begin` on, of which a thread of the block
/// has scan_items; those before `begin` come to `before`. All threads of the block take part;
/// warp_sums holds the sums of the warps afterwards.
template <int block, typename Offset>
[[gnu::always_inline]] inline void scan_stretch(Offset* warp_sums, const Offset* sizes, Offset* ptr,
                                                long begin, long end, Offset before) {
    const long first = begin + static_cast<long>(threadIdx.x) * scan_items;
    Offset size[scan_items] = {};
    Offset own = 0;
    for (int i = 0; i < scan_items; ++i) {
        size[i] = first + i < end ? sizes[first + i] : static_cast<Offset>(0);
        own += size[i];
    }
    Offset at = before + sum_before<block>(warp_sums, own);
    for (int i = 0; i < scan_items; ++i) {
        if (first + i < end) {
            ptr[first + i] = at;
        }
        at += size[i];
    }
}

/// ptr[i] = the sum of the sizes before i, at last that of all, which the host reads among the
/// counts. One block.
template <typename Offset, int block>
void convert_scan(long num_sizes, const Offset* __restrict__ sizes, Offset* __restrict__ ptr,
                  unsigned long long* __restrict__ counts) {
    __shared__ Offset warp_sums[block / warp_size];
    Offset before = 0;  // of earlier rounds
    for (long begin = 0; begin < num_sizes; begin += block * scan_items) {
        scan_stretch<block>(warp_sums, sizes, ptr, begin, num_sizes, before);
        for (int w = 0; w < block / warp_size; ++w) {
            before += warp_sums[w];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        ptr[num_sizes] = before;
        counts[last_total] = static_cast<unsigned long long>(before);
    }
}

/// Prefix sums of many sizes begin with this: what each block's stretch of them comes to. Then
/// convert_scan makes part_ptr of part_sums, and convert_scan_parts the rest.
template <typename Offset, int block>
void convert_sum_parts(long num_items, const Offset* __restrict__ item_sizes,
                       Offset* __restrict__ part_sums) {
    __shared__ Offset warp_sums[block / warp_size];
    const long begin = static_cast<long>(blockIdx.x) * (block * scan_items);
    Offset own = 0;
    for (int i = 0; i < scan_items; ++i) {
        const long at = begin + static_cast<long>(i) * block + threadIdx.x;
        own += at < num_items ? item_sizes[at] : static_cast<Offset>(0);
    }
    const Offset before = sum_before<block>(warp_sums, own);
    if (threadIdx.x == block - 1) {
        part_sums[blockIdx.x] = before + own;
    }
}

/// item_ptr[i] = the sum of the sizes before item i, at last that of all.
template <typename Offset, int block>
void convert_scan_parts(long num_items, const Offset* __restrict__ item_sizes,
                        const Offset* __restrict__ part_ptr, Offset* __restrict__ item_ptr) {
    __shared__ Offset warp_sums[block / warp_size];
    const long begin = static_cast<long>(blockIdx.x) * (block * scan_items);
    const Offset before = part_ptr[blockIdx.x];
    scan_stretch<block>(warp_sums, item_sizes, item_ptr, begin, num_items, before);
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) {
        item_ptr[num_items] = part_ptr[gridDim.x];
    }
}

/// The row of those from `begin` to `end`-1 that holds an entry.
template <typename Offset>
[[gnu::always_inline]] inline long row_of_entry(const Offset* row_ptr, long begin, long end,
                                                long entry) {
    while (end - begin > 1) {
        const long middle = begin + (end - begin) / 2;
        const bool is_below = row_ptr[middle] <= entry;
        begin = is_below ? middle : begin;
        end = is_below ? end : middle;
    }
    return begin;
}

/// Tells whether there is a column that A has not.
template <typename Index, int block>
void convert_check_columns(long nnz, long num_cols, const Index* __restrict__ csr_col_idx,
                           unsigned long long* __restrict__ counts) {
    bool outside = false;
    for (long i = static_cast<long>(blockIdx.x) * block + threadIdx.x; i < nnz;
         i += static_cast<long>(gridDim.x) * block) {
        const long column = csr_col_idx[i];
        outside |= static_cast<unsigned long>(column) >= static_cast<unsigned long>(num_cols);
    }
    if (outside) {
        atomicAdd(counts + count_outside, 1ull);
    }
}

/// Whether two numbers have the same bits; not so of NaNs.
template <typename Real>
[[gnu::always_inline]] inline bool is_same_number(Real a, Real b) {
    return a == b && (a != 0 || (1 / a < 0) == (1 / b < 0));
}

/// Whether a real number can be had back from its code; `first` is the matrix's first.
template <int value_code, typename Real>
[[gnu::always_inline]] inline bool has_real_code(Real value, Real first) {
    if constexpr (value_code == one_value) {
        return is_same_number(value, first);
    } else {
        return value >= -128 && value <= 127 &&
               is_same_number(value, static_cast<Real>(static_cast<int>(value)));
    }
}

/// Whether a number that is finite stays so in type Narrow.
template <typename Narrow, typename Real>
[[gnu::always_inline]] inline bool stays_finite(Real number) {
    const Narrow narrow = static_cast<Narrow>(number);
    return narrow - narrow == 0 || !(number - number == 0);
}

/// Whether a value can be stored in a narrower type.
template <typename Storage, typename Vector>
[[gnu::always_inline]] inline bool is_in_range(Vector value) {
    if constexpr (is_complex<Vector>) {
        return stays_finite<float>(value.re) && stays_finite<float>(value.im);
    } else if constexpr (is_f16<Storage> || is_bf16<Storage>) {
        // The smallest number that rounds to infinity.
        constexpr double limit = is_f16<Storage> ? 0x1.ffep15 : 0x1.ffp127;
        const double number = value;
        return (number < limit && number > -limit) || !(number - number == 0);
    } else {
        return stays_finite<Storage>(value);
    }
}

/// Tells whether there is a value that would become infinite in the storage type.
template <typename Vector, typename Storage, int block>
void convert_check_range(long nnz, const Vector* __restrict__ csr_values,
                         unsigned long long* __restrict__ counts) {
    bool fits = true;
    for (long i = static_cast<long>(blockIdx.x) * block + threadIdx.x; i < nnz;
         i += static_cast<long>(gridDim.x) * block) {
        fits &= is_in_range<Storage>(csr_values[i]);
    }
    if (!fits) {
        atomicAdd(counts + count_inexact, 1ull);
    }
}

/// Whether a value can be stored so.
template <int value_code, typename Storage, typename Vector>
[[gnu::always_inline]] inline bool has_code(Vector value, Vector first) {
    if constexpr (value_code == plain_values || value_code == dictionary_values) {
        return is_in_range<Storage>(value);
    } else if constexpr (!is_complex<Vector>) {
        return has_real_code<value_code>(value, first);
    } else if constexpr (value_code == one_value) {
        return is_same_number(value.re, first.re) && is_same_number(value.im, first.im);
    } else {
        return has_real_code<value_code>(value.re, first.re) &&
               is_same_number(value.im, value.im - value.im);
    }
}

/// Of values that may be coded, whether there is one that its code has not.
template <typename Vector, typename Storage, int value_code, int block>
void convert_check_values(long nnz, const Vector* __restrict__ csr_values,
                          unsigned long long* __restrict__ counts) {
    const Vector first = csr_values[0];
    bool fits = true;
    for (long i = static_cast<long>(blockIdx.x) * block + threadIdx.x; i < nnz;
         i += static_cast<long>(gridDim.x) * block) {
        fits = fits && has_code<value_code, Storage>(csr_values[i], first);
    }
    if (!fits) {
        atomicAdd(counts + count_inexact, 1ull);
    }
}
