// Entries, of which a vector of lanes is loaded and multiplied at a time.
#pragma once

#include "dialect/common.hpp"

/// The number whose IEEE single precision form is `bits`.
[[gnu::always_inline]] inline float float_of_bits(unsigned bits) {
    float number = 0;
    __builtin_memcpy(&number, &bits, sizeof(number));
    return number;
}

/// The number whose IEEE half precision form is `bits`.
[[gnu::always_inline]] inline float widened_f16(unsigned bits) {
    const unsigned magnitude = bits & 0x7fffu;
    // The exponent's bias grows by 112; infinities and NaNs have the largest exponent of each type.
    const unsigned rebased = (magnitude << 13) + (magnitude < 0x7c00u ? 0x38000000u : 0x70000000u);
    // Subnormals count units of 2^-24, which is the last place of 0.5.
    const float units = float_of_bits(0x3f000000u + magnitude) - 0.5f;
    unsigned number = 0;
    __builtin_memcpy(&number, &units, sizeof(number));
    number = magnitude < 0x400u ? number : rebased;
    return float_of_bits(number | (bits & 0x8000u) << 16);
}

/// A stored value of A as the type that is computed with.
template <typename Value, typename Storage>
[[gnu::always_inline]] inline Value widened(Storage stored) {
    if constexpr (is_same<Value, Storage>) {
        return stored;
    } else if constexpr (is_f16<Storage>) {
        return static_cast<Value>(widened_f16(stored.bits));
    } else if constexpr (is_bf16<Storage>) {
        return static_cast<Value>(float_of_bits(static_cast<unsigned>(stored.bits) << 16));
    } else {
        return converted<Value>(stored);
    }
}

/// to[l] = from[l] for every lane l, as the type that is computed with.
template <int lanes, typename Value, typename Storage>
[[gnu::always_inline]] inline void widen_lanes(Value* to, const Storage* from) {
    if constexpr (is_same<Value, Storage>) {
        __builtin_memcpy(to, from, lanes * sizeof(Value));
    } else {
        for (int l = 0; l < lanes; ++l) {
            to[l] = widened<Value>(from[l]);
        }
    }
}

/// sum[l] += values[l] · x[col_idx[l]] for every lane l.
template <int lanes, typename Value, typename Storage, typename Index, typename Vector>
[[gnu::always_inline]] inline void add_products(Value* sum, const Storage* values,
                                                const Index* col_idx, const Vector* x) {
    if constexpr (is_complex<Value>) {
        for (int l = 0; l < lanes; ++l) {
            sum[l] =
                multiply_add(widened<Value>(values[l]), converted<Value>(x[col_idx[l]]), sum[l]);
        }
    } else if constexpr (!is_same<Value, Storage>) {
        Value wide[lanes] = {};
        widen_lanes<lanes>(wide, values);
        add_products<lanes>(sum, wide, col_idx, x);
    } else {
        // A vector type, copied in and out of plain arrays: Clang then keeps `sum` in registers
        // and loads x with gathers where the machine has them.
        typedef Value Lanes __attribute__((vector_size(lanes * sizeof(Value))));
        Lanes total = {};
        Lanes a = {};
        Lanes b = {};
        __builtin_memcpy(&total, sum, sizeof(Lanes));
        __builtin_memcpy(&a, values, sizeof(Lanes));
        for (int l = 0; l < lanes; ++l) {
            b[l] = converted<Value>(x[col_idx[l]]);
        }
        total += a * b;
        __builtin_memcpy(sum, &total, sizeof(Lanes));
    }
}

/// sum[l] += values[l] · x[col_idx[l]] for the lanes l below `count`. All lanes are loaded, so that all columns must be
/// legal; what the others give, NaN included, is dropped.
template <int lanes, typename Value, typename Storage, typename Index, typename Vector>
[[gnu::always_inline]] inline void add_first_products(Value* sum, const Storage* values,
                                                      const Index* col_idx, const Vector* x,
                                                      long count) {
    if constexpr (is_complex<Value>) {
        for (long l = 0; l < count; ++l) {
            sum[l] =
                multiply_add(widened<Value>(values[l]), converted<Value>(x[col_idx[l]]), sum[l]);
        }
    } else if constexpr (!is_same<Value, Storage>) {
        Value wide[lanes] = {};
        widen_lanes<lanes>(wide, values);
        add_first_products<lanes>(sum, wide, col_idx, x, count);
    } else {
        typedef Value Lanes __attribute__((vector_size(lanes * sizeof(Value))));
        Lanes total = {};
        Lanes a = {};
        Lanes b = {};
        decltype(a < b) counts = {};
        __builtin_memcpy(&total, sum, sizeof(Lanes));
        __builtin_memcpy(&a, values, sizeof(Lanes));
        for (int l = 0; l < lanes; ++l) {
            b[l] = converted<Value>(x[col_idx[l]]);
            counts[l] = l < count ? -1 : 0;
        }
        total += counts ? a * b : Lanes{};
        __builtin_memcpy(sum, &total, sizeof(Lanes));
    }
}

/// sum[l] += values[l] · x[col_idx[l]] for the lanes that hold an entry; padding has the column -1.
/// Padded lanes load x[0], which exists because some lane holds an entry, and drop what it gives.
template <int lanes, typename Value, typename Storage, typename Index, typename Vector>
[[gnu::always_inline]] inline void add_unpadded_products(Value* sum, const Storage* values,
                                                         const Index* col_idx, const Vector* x) {
    if constexpr (is_complex<Value>) {
        for (int l = 0; l < lanes; ++l) {
            if (col_idx[l] >= 0) {
                sum[l] = multiply_add(widened<Value>(values[l]), converted<Value>(x[col_idx[l]]),
                                      sum[l]);
            }
        }
    } else if constexpr (!is_same<Value, Storage>) {
        Value wide[lanes] = {};
        widen_lanes<lanes>(wide, values);
        add_unpadded_products<lanes>(sum, wide, col_idx, x);
    } else {
        typedef Value Lanes __attribute__((vector_size(lanes * sizeof(Value))));
        typedef Index Columns __attribute__((vector_size(lanes * sizeof(Index))));
        Columns col = {};
        Lanes total = {};
        Lanes a = {};
        Lanes b = {};
        __builtin_memcpy(&col, col_idx, sizeof(Columns));
        __builtin_memcpy(&total, sum, sizeof(Lanes));
        __builtin_memcpy(&a, values, sizeof(Lanes));
        const Columns padding = col < 0;
        col = padding ? Columns{} : col;
        for (int l = 0; l < lanes; ++l) {
            b[l] = converted<Value>(x[col[l]]);
        }
        total += __builtin_convertvector(padding, decltype(a < b)) ? Lanes{} : a * b;
        __builtin_memcpy(sum, &total, sizeof(Lanes));
    }
}

/// The sum of all lanes, added pairwise. `lanes` is a power of two; overwrites sum.
template <int lanes, typename Value>
[[gnu::always_inline]] inline Value sum_of_lanes(Value* sum) {
    for (int half = lanes / 2; half > 0; half /= 2) {
        for (int l = 0; l < half; ++l) {
            sum[l] = add(sum[l], sum[l + half]);
        }
    }
    return sum[0];
}

/// Asks for the cache lines of `bytes` bytes that lie `ahead` bytes behind `at`, into the
/// second-level cache; nothing for ahead = 0. What lies beyond an array is asked for in vain, and
/// does no harm. A core's own prefetcher stops at each 4 KiB and keeps fewer lines under way.
template <int ahead, int bytes, typename Element>
[[gnu::always_inline]] inline void prefetch_ahead(const Element* at) {
    if constexpr (ahead > 0) {
        for (int line = 0; line < bytes; line += 64) {
            __builtin_prefetch(reinterpret_cast<const char*>(at) + (ahead + line), 0, 2);
        }
    }
}

/// Asks for the values and the columns of `count` entries, so many bytes ahead, into the second-level
/// cache. What lies beyond the arrays is asked for in vain, and does no harm.
template <int ahead, int count, typename Storage, typename Index>
[[gnu::always_inline]] inline void prefetch_entries(const Storage* values, const Index* col_idx) {
    prefetch_ahead<ahead, count* static_cast<int>(sizeof(Storage))>(values);
    prefetch_ahead<ahead, count* static_cast<int>(sizeof(Index))>(col_idx);
}

/// Σ values[k] · x[col_idx[k]] for k = begin … end-1, `unroll` vectors of `lanes` entries at a
/// time; the arrays have `limit` elements, beyond which nothing is read.
template <int lanes, int unroll, int prefetch, typename Value, typename Storage, typename Index,
          typename Vector>
[[gnu::always_inline]] inline Value row_product(const Storage* values, const Index* col_idx,
                                                const Vector* x, long begin, long end, long limit) {
    if constexpr (lanes * unroll == 1) {
        Value total = {};
        for (long k = begin; k < end; ++k) {
            total = multiply_add(widened<Value>(values[k]), converted<Value>(x[col_idx[k]]), total);
        }
        return total;
    } else {
        Value lane_sums[lanes * unroll] = {};
        long k = begin;
        for (; k + lanes * unroll <= end; k += lanes * unroll) {
            prefetch_entries<prefetch, lanes * unroll>(values + k, col_idx + k);
            for (int u = 0; u < unroll; ++u) {
                add_products<lanes>(lane_sums + u * lanes, values + k + u * lanes,
                                    col_idx + k + u * lanes, x);
            }
        }
        if constexpr (unroll > 1) {
            for (; k + lanes <= end; k += lanes) {
                add_products<lanes>(lane_sums, values + k, col_idx + k, x);
            }
        }
        prefetch_entries<prefetch, lanes>(values + k, col_idx + k);
        if (k < end && k + lanes <= limit) {
            add_first_products<lanes>(lane_sums, values + k, col_idx + k, x, end - k);
        } else {
            for (; k < end; ++k) {
                lane_sums[0] = multiply_add(widened<Value>(values[k]),
                                            converted<Value>(x[col_idx[k]]), lane_sums[0]);
            }
        }
        return sum_of_lanes<lanes * unroll>(lane_sums);
    }
}
