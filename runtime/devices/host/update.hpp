#pragma once
#include <complex>

namespace spmvgen {

template <typename T>
T multiply(T a, T b) {
    return a * b;
}
/// The textbook product, as the emitted kernels form it, without C's recovery of infinities.
template <typename T>
std::complex<T> multiply(std::complex<T> a, std::complex<T> b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// α·sum + β·y; y is not read when β = 0.
template <typename Value>
Value update(Value sum, Value alpha, Value beta, const Value& y) {
    const Value scaled = alpha == Value(1) ? sum : multiply(alpha, sum);
    if (beta == Value(0)) return scaled;
    return scaled + (beta == Value(1) ? y : multiply(beta, y));
}

}  // namespace spmvgen
