// The CPU dialect: what kernel templates may use. Freestanding: no standard headers, so that
// emitted text needs none.
#pragma once

/// What is known of α or β when the kernel is made.
enum class scale { zero, one, general };

/// First row of a thread's share: rows are cut so that every thread gets about the same number of
/// rows plus nonzeros.
template <typename Offset>
inline long first_row(long num_rows, const Offset* row_ptr, long thread, long threads) {
    const long work = (num_rows + row_ptr[num_rows] - row_ptr[0]) / threads * thread;
    if (thread == threads) {
        return num_rows;
    }
    long low = 0;
    long high = num_rows;
    while (low < high) {
        const long middle = low + (high - low) / 2;
        if (middle + row_ptr[middle] - row_ptr[0] < work) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// y[i] = α·sum + β·y[i]; y is not read when β = 0.
template <scale alpha_mode, scale beta_mode, typename Value>
inline void store(Value* y, long i, Value sum, Value alpha, Value beta) {
    if constexpr (alpha_mode == scale::general) {
        sum = alpha * sum;
    }
    if constexpr (beta_mode == scale::zero) {
        y[i] = sum;
    } else if constexpr (beta_mode == scale::one) {
        y[i] += sum;
    } else {
        y[i] = sum + beta * y[i];
    }
}
