#pragma once
#include <bit>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "formats/stored_matrix.hpp"
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

/// The same of bfloat16; numbers that it has are the upper half of an f32.
inline BfloatBits stored_bfloat(double value) {
    const auto single = static_cast<float>(value);
    const auto bits = std::bit_cast<std::uint32_t>(single);
    if (single == value && (bits & 0xffff) == 0) return {static_cast<std::uint16_t>(bits >> 16)};
    return {round_to_16_bits(value, 8, 7)};
}

/// `value` as it is stored in type To: rounded to nearest, ties to even.
template <typename To, typename From>
To stored_value(From value) {
    if constexpr (std::is_same_v<To, HalfBits>)
        return {round_to_16_bits(value, 5, 10)};
    else if constexpr (std::is_same_v<To, BfloatBits>)
        return stored_bfloat(value);
    else
        return static_cast<To>(value);
}

/// The number that such bits stand for.
double number_of(HalfBits half);
double number_of(BfloatBits bits);

/// Puts f32 numbers in place of the array "values" when it holds f16 or bf16: for loops that are
/// precompiled, which have no such types.
void widen_values(StoredMatrix& stored, ValueType storage);
/// The type that the array then has.
constexpr ValueType widened_type(ValueType storage) {
    return is_storage_only(storage) ? ValueType::f32 : storage;
}

/// Calls f(From{}, To{}) with the types of the matrix's values and of the stored ones, which are as
/// takes_values() has it.
template <typename F>
void dispatch_values(ValueType matrix, const Signature& signature, F&& f) {
    const ValueType storage = storage_type(signature);
    dispatch(matrix, [&]<typename From>(From from) {
        if constexpr (std::is_floating_point_v<From>) {
            if (storage == ValueType::f16) return f(from, HalfBits{});
            if (storage == ValueType::bf16) return f(from, BfloatBits{});
        }
        if constexpr (std::is_same_v<From, double>)
            if (storage == ValueType::f32) return f(from, float{});
        if constexpr (std::is_same_v<From, std::complex<double>>)
            if (storage == ValueType::c32) return f(from, std::complex<float>{});
        f(from, from);
    });
}

}  // namespace spmvgen
