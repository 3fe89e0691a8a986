#pragma once
#include <cstdint>

#include "devices/operands.hpp"
#include "spmvgen/matrix.hpp"

/// Precompiled loops that need no kernel: the product that serves when none can be had, and the
/// updates of y beside it. All take every value type, any number of right-hand sides, and a number
/// of threads; α and β are looked at when running, and β = 0 never reads y.
namespace spmvgen {

/// Types of x, y, α and β, and of the sums: A's, or A's values are f32 (c32) and one or both are
/// f64 (c64). Sums are never narrower than vectors.
struct NumberTypes {
    ValueType vectors = ValueType::f64, sums = ValueType::f64;
};

/// y = αAx + βy from plain CSR arrays; x is n×k and y is m×k, row-major.
void generic_csr(const CsrView& a, const NumberTypes& types, int num_rhs, const Operands& operands,
                 int threads);
inline void generic_csr(const CsrView& a, int num_rhs, const Operands& operands, int threads) {
    generic_csr(a, {a.value_type, a.value_type}, num_rhs, operands, threads);
}

/// y += αAᵀx, or with `conjugate` αAᴴx, from plain CSR arrays: x is m×k and y is n×k, row-major.
/// One thread, in the order of the entries; β is not looked at. The sums have the vectors' type.
void generic_csr_transposed(const CsrView& a, ValueType vectors, int num_rhs, bool conjugate,
                            const Operands& operands);

/// y = βy for `count` elements.
void scale_vector(ValueType type, std::int64_t count, const void* beta, void* y, int threads);

/// y = αt + βy for `count` elements.
void scale_add(ValueType type, std::int64_t count, const void* alpha, const void* t,
               const void* beta, void* y, int threads);

}  // namespace spmvgen
