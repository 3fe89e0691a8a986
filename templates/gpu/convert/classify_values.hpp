// What all values of A have in common, found on the device that has them: whether they are equal,
// integers of 8 bits, or numbers of narrower types, and the different ones where these are few.
//
// What:       as encode_values() finds out on the host, bit for bit. A count is 0 where all values
//             are so; a value outside [-128, 127], a NaN or -0 is no integer. Different values are
//             listed in a table with open addressing, by each block and then by all; beyond 255 of
//             them it is given up.
// Source:     ours.
// Parameters: block  128, 256, 512, 1024: threads of a block.
// Work:       values shared out evenly.
// Reads:      values once, side by side; of the block's table a slot or a few for each value that
//             differs from the thread's one before.
#pragma once
#include "dialect/convert/gpu_convert.hpp"
#include "dialect/convert/gpu_value_bits.hpp"

constexpr int value_slots = 1024;   ///< of the table
constexpr int most_distinct = 255;  ///< values that a dictionary has numbers for

// What may not hold for a value, a bit each, and where its count stands.
constexpr int differs = 0;  ///< from the first
constexpr int no_small_integer = 1;
constexpr int no_bf16 = 2;
constexpr int no_f16 = 3;
constexpr int no_f32 = 4;
constexpr int value_misfits = 5;   ///< counts of these
constexpr int count_distinct = 8;  ///< different values, if they are few

/// Whether a number of f32 is one of f16.
[[gnu::always_inline]] inline bool fits_f16(float number) {
    const unsigned bits = __float_as_uint(number);
    const unsigned magnitude = bits & 0x7fffffffu;
    if (magnitude < 0x38800000u) {  // subnormal numbers are multiples of 2^-24
        const float scaled = __uint_as_float(magnitude) * 0x1p24f;
        return static_cast<float>(static_cast<int>(scaled)) == scaled;
    }
    const bool is_finite = magnitude <= 0x477fe000u && (bits & 0x1fffu) == 0;
    return is_finite || magnitude == 0x7f800000u;
}

/// Of which narrower types a real number is none.
template <typename Real>
[[gnu::always_inline]] inline unsigned misfits_of_real(Real number) {
    const float narrow = static_cast<float>(number);
    if (!(static_cast<Real>(narrow) == number)) {
        return 1u << no_bf16 | 1u << no_f16 | 1u << no_f32;
    }
    const unsigned wide = (__float_as_uint(narrow) & 0xffffu) != 0 ? 1u << no_bf16 : 0u;
    return fits_f16(narrow) ? wide : wide | 1u << no_f16;
}

/// What does not hold for a value; `first` is the matrix's first.
template <typename Vector>
[[gnu::always_inline]] inline unsigned misfits_of(Vector value, Vector first) {
    unsigned misfits = same_bits(bits_of(value), bits_of(first)) ? 0u : 1u << differs;
    if (!has_code<small_integers, Vector>(value, first)) {
        misfits |= 1u << no_small_integer;
    }
    if constexpr (is_complex<Vector>) {
        return misfits | misfits_of_real(value.re) | misfits_of_real(value.im);
    } else {
        return misfits | misfits_of_real(value);
    }
}

/// *p as others wrote it last, of memory of the block or of the device.
template <bool of_block>
[[gnu::always_inline]] inline unsigned long long latest(const unsigned long long* p) {
    if constexpr (of_block) {
        return *p;
    } else {
        return load_past_l1(p);
    }
}

/// Lists the value of an entry among the different ones, each of which a slot names by an entry
/// that has it, counted from 1; `distinct` counts them. Whether all are listed still. The block's
/// table has no `slot_values`.
template <bool of_block, typename Vector>
[[gnu::always_inline]] inline bool list_value(unsigned long long* slots, Vector* slot_values,
                                              unsigned long long* distinct,
                                              const Vector* csr_values, long entry, Vector value) {
    const value_bits bits = bits_of(value);
    const unsigned long long mixed =
        bits.first * 0x9e3779b97f4a7c15ull + bits.second * 0xbf58476d1ce4e5b9ull;
    int slot = static_cast<int>((mixed ^ mixed >> 32) * 0x94d049bb133111ebull >> 54);
    bool is_listed = false;
    bool is_full = false;
    for (int probe = 0; probe < value_slots && !is_listed && !is_full; ++probe) {
        unsigned long long holder = latest<of_block>(slots + slot);
        if (holder == 0) {
            is_full = latest<of_block>(distinct) > most_distinct;
            if (!is_full) {
                holder = atomicCAS(slots + slot, 0ull, static_cast<unsigned long long>(entry) + 1);
                if (holder == 0) {
                    if constexpr (!of_block) {
                        slot_values[slot] = value;
                    }
                    is_listed = true;
                    is_full = atomicAdd(distinct, 1ull) >= most_distinct;
                }
            }
        }
        if (holder != 0) {
            is_listed = same_bits(bits_of(csr_values[holder - 1]), bits);
        }
        slot = (slot + 1) % value_slots;
    }
    return is_listed && !is_full;
}

template <typename Vector, int block>
void value_traits(long nnz, const Vector* __restrict__ csr_values,
                  unsigned long long* __restrict__ slots, Vector* __restrict__ slot_values,
                  unsigned long long* __restrict__ counts) {
    // What blocks have found is put together at their ends: atomics on one address wait in line.
    __shared__ unsigned long long block_slots[value_slots];
    __shared__ unsigned long long block_counts[count_distinct + 1];
    constexpr unsigned nothing_left = (1u << value_misfits) - 1;
    const int thread = static_cast<int>(threadIdx.x);
    for (int slot = thread; slot < value_slots; slot += block) {
        block_slots[slot] = 0;
    }
    if (thread < value_misfits) {
        block_counts[thread] = 0;
    }
    if (thread == count_distinct) {
        const bool is_given_up = load_past_l1(counts + thread) > most_distinct;
        block_counts[thread] = is_given_up ? most_distinct + 1 : 0;
    }
    __syncthreads();
    const Vector first = csr_values[0];
    Vector before = first;
    unsigned misfits = 0;
    bool all_listed = block_counts[count_distinct] <= most_distinct;
    bool is_first = true;
    for (long i = static_cast<long>(blockIdx.x) * block + thread;
         i < nnz && (all_listed || misfits != nothing_left);
         i += static_cast<long>(gridDim.x) * block) {
        const Vector value = csr_values[i];
        misfits |= misfits_of(value, first);
        const bool is_new = is_first || !same_bits(bits_of(value), bits_of(before));
        if (all_listed && is_new) {
            all_listed = list_value<true>(block_slots, slot_values, block_counts + count_distinct,
                                          csr_values, i, value);
        }
        before = value;
        is_first = false;
    }
    for (int m = 0; m < value_misfits; ++m) {
        const bool found = any_lane((misfits >> m & 1u) != 0);
        if (found && thread % warp_size == 0) {
            atomicAdd(block_counts + m, 1ull);
        }
    }
    __syncthreads();
    if (thread < value_misfits && block_counts[thread] > 0 && load_past_l1(counts + thread) == 0) {
        atomicAdd(counts + thread, 1ull);
    }
    if (block_counts[count_distinct] > most_distinct) {
        if (thread == count_distinct && load_past_l1(counts + thread) <= most_distinct) {
            atomicAdd(counts + thread, static_cast<unsigned long long>(most_distinct) + 1);
        }
    } else {
        for (int slot = thread; slot < value_slots; slot += block) {
            if (block_slots[slot] != 0) {
                const long entry = static_cast<long>(block_slots[slot] - 1);
                (void)list_value<false>(slots, slot_values, counts + count_distinct, csr_values,
                                        entry, csr_values[entry]);
            }
        }
    }
}
