// What the CPU and the GPU dialect have in common: α/β modes, number types and their arithmetic.
// Freestanding: no standard headers, so that emitted text needs none.
#pragma once

/// What is known of α or β when the kernel is made.
enum class scale { zero, one, general };

/// Complex numbers, laid out as std::complex.
struct complex_f32 {
    float re;
    float im;
};
struct complex_f64 {
    double re;
    double im;
};

template <typename Value>
inline constexpr bool is_complex = false;
template <>
inline constexpr bool is_complex<complex_f32> = true;
template <>
inline constexpr bool is_complex<complex_f64> = true;

/// a + b.
template <typename Value>
[[gnu::always_inline]] inline Value add(Value a, Value b) {
    if constexpr (is_complex<Value>) {
        return {a.re + b.re, a.im + b.im};
    } else {
        return a + b;
    }
}

/// a · b.
template <typename Value>
[[gnu::always_inline]] inline Value multiply(Value a, Value b) {
    if constexpr (is_complex<Value>) {
        return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    } else {
        return a * b;
    }
}

/// sum + a · b.
template <typename Value>
[[gnu::always_inline]] inline Value multiply_add(Value a, Value b, Value sum) {
    if constexpr (is_complex<Value>) {
        return {sum.re + a.re * b.re - a.im * b.im, sum.im + a.re * b.im + a.im * b.re};
    } else {
        return sum + a * b;
    }
}

/// Whether one of `count` numbers is NaN, in a part of it when they are complex.
template <int count, typename Value>
[[gnu::always_inline]] inline bool has_nan(const Value* numbers) {
    bool found = false;
    for (int i = 0; i < count; ++i) {
        if constexpr (is_complex<Value>) {
            found |= !(numbers[i].re == numbers[i].re) || !(numbers[i].im == numbers[i].im);
        } else {
            found |= !(numbers[i] == numbers[i]);
        }
    }
    return found;
}
