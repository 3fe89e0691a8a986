#pragma once
#include <complex>
#include <cstdint>
#include <type_traits>

#include "spmvgen/matrix.hpp"
#include "spmvgen/signature.hpp"

namespace spmvgen {

/// Stored elements that C++20 has no type for: the bits of IEEE binary16 and of bfloat16.
struct HalfBits {
    std::uint16_t bits = 0;
    bool operator==(const HalfBits&) const = default;
};
struct BfloatBits {
    std::uint16_t bits = 0;
    bool operator==(const BfloatBits&) const = default;
};

/// The number nearest to `value`, ties to even, in a binary format of 16 bits with that many bits
/// of exponent and of fraction; too large a number becomes infinite.
std::uint16_t round_to_16_bits(double value, int exponent_bits, int fraction_bits);

/// `value` as it is stored in type To: rounded to nearest, ties to even.
template <typename To, typename From>
To stored_value(From value) {
    if constexpr (std::is_same_v<To, HalfBits>)
        return {round_to_16_bits(value, 5, 10)};
    else if constexpr (std::is_same_v<To, BfloatBits>)
        return {round_to_16_bits(value, 8, 7)};
    else
        return static_cast<To>(value);
}

/// Place of the first finite value, of real ones, that would be stored as infinite in type
/// `storage`; nnz when there is none.
std::int64_t first_overflow(const CsrView& matrix, ValueType storage);

/// Throws Error(invalid_argument) that names the first finite value of the matrix that would be
/// stored as infinite in the signature's storage type, with its row and column.
void check_storable(const CsrView& matrix, const Signature& signature);

/// Calls f(From{}, To{}) with the types of the matrix's values and of the stored ones.
template <typename F>
void dispatch_values(const Signature& signature, F&& f) {
    dispatch(signature.value, [&]<typename From>(From from) {
        if constexpr (std::is_floating_point_v<From>) {
            const ValueType storage = storage_type(signature);
            if (storage == ValueType::f16) return f(from, HalfBits{});
            if (storage == ValueType::bf16) return f(from, BfloatBits{});
            if constexpr (std::is_same_v<From, double>)
                if (storage == ValueType::f32) return f(from, float{});
        }
        f(from, from);
    });
}

}  // namespace spmvgen
