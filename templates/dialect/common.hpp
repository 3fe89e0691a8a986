// What the CPU and the GPU dialect have in common: α/β modes, number types and their arithmetic.
// Freestanding: no standard headers, so that emitted text needs none.
#pragma once

/// What is known of α or β when the kernel is made.
enum class scale { zero, one, general };

/// How several vectors lie in memory: number i of vector r is v[i·num_rhs + r], v[i·ld + r] or
/// v[i + r·ld].
enum class vector_form { dense, rows, columns };

/// Where row `row` begins in vectors that begin at `first`.
template <vector_form form, int num_rhs, typename Vector>
[[gnu::always_inline]] inline Vector* row_at(Vector* first, long row, long ld) {
    if constexpr (form == vector_form::dense) {
        return first + row * num_rhs;
    } else if constexpr (form == vector_form::rows) {
        return first + row * ld;
    } else {
        return first + row;
    }
}

/// Where number `place` is in a row that begins at `row`.
template <vector_form form, typename Vector>
[[gnu::always_inline]] inline Vector* place_at(Vector* row, long place, long ld) {
    if constexpr (form == vector_form::columns) {
        return row + place * ld;
    } else {
        return row + place;
    }
}

/// Complex numbers, laid out as std::complex.
struct complex_f32 {
    float re;
    float im;
};
/// Complex numbers of twice the precision, laid out as std::complex.
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

/// Half and brain floats: types that values of A may be stored in.
struct f16 {
    unsigned short bits;
};
struct bf16 {
    unsigned short bits;
};

template <typename Storage>
inline constexpr bool is_f16 = false;
template <>
inline constexpr bool is_f16<f16> = true;
template <typename Storage>
inline constexpr bool is_bf16 = false;
template <>
inline constexpr bool is_bf16<bf16> = true;

template <typename First, typename Second>
inline constexpr bool is_same = false;
template <typename Type>
inline constexpr bool is_same<Type, Type> = true;

/// The number as a type of vectors or of sums.
template <typename To, typename From>
[[gnu::always_inline]] inline To converted(From number) {
    if constexpr (is_same<To, From>) {
        return number;
    } else if constexpr (is_complex<To>) {
        To result = {};
        result.re = number.re;
        result.im = number.im;
        return result;
    } else {
        return static_cast<To>(number);
    }
}

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
    if constexpr (count == 1 && !is_complex<Value>) {
        return !(numbers[0] == numbers[0]);
    } else {
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
}
