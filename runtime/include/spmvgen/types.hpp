#pragma once
#include <compare>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spmvgen {

/// Element type. c32 and c64 are complex numbers of two f32 or two f64 (re, im), laid out as
/// std::complex. f16 (IEEE binary16) and bf16 are for the stored values of A only: x, y, α, β and
/// the sums are of one of the other types.
enum class ValueType { f32, f64, c32, c64, f16, bf16 };
/// Integer type of column indices or of row offsets; always signed.
enum class IndexType { i32, i64 };
/// What is known of α or β when the kernel is made: exactly 0, exactly 1, any number given at run
/// time, or, of GPU kernels, any number that the kernel reads from the device's memory.
enum class Scale { zero, one, general, device };
/// How several vectors lie in memory: number i of vector r of k is v[i·k + r] (dense), v[i·ld + r]
/// (rows, of which the first k of ld numbers are those of the vectors), or v[i + r·ld] (columns).
enum class VectorForm { dense, rows, columns };
/// Which product of A: y = αAx + βy, with Aᵀ, with the conjugate of Aᵀ (which is Aᵀ for real
/// values), or with the conjugate of A. In texts "N", "T", "H" and "C".
enum class Op { none, transpose, conj_transpose, conjugate };
/// Whether x belongs to the rows of A, and y to its columns.
constexpr bool is_transposed(Op op) {
    return op == Op::transpose || op == Op::conj_transpose;
}
/// Storage format of A, by its name. Kernels bring their formats along (format_names() lists them);
/// the constants are for what is about one of them.
class Format {
  public:
    /// `name` lives as long as the program.
    constexpr explicit Format(const char* name) : name_(name) {}
    constexpr const char* name() const { return name_; }
    friend constexpr bool operator==(Format a, Format b) {
        return std::string_view(a.name_) == b.name_;
    }
    /// Alphabetically.
    friend constexpr auto operator<=>(Format a, Format b) {
        return std::string_view(a.name_) <=> b.name_;
    }
    static const Format csr, coo, ell, sell, hyb, csr_k, bcsr, strips, tiles;

  private:
    const char* name_;
};
inline constexpr Format Format::csr{"csr"}, Format::coo{"coo"}, Format::ell{"ell"},
    Format::sell{"sell"}, Format::hyb{"hyb"}, Format::csr_k{"csr-k"}, Format::bcsr{"bcsr"},
    Format::strips{"strips"}, Format::tiles{"tiles"};

const char* to_string(ValueType);
const char* to_string(IndexType);
const char* to_string(Scale);
const char* to_string(VectorForm);
const char* to_string(Format);
const char* to_string(Op);

/// The inverse of to_string; throw Error(invalid_argument) that lists what is allowed.
ValueType parse_value_type(std::string_view text);
IndexType parse_index_type(std::string_view text);
Scale parse_scale(std::string_view text);
VectorForm parse_vector_form(std::string_view text);
Format parse_format(std::string_view text);
Op parse_op(std::string_view text);

/// What parse_format takes, in the order of the registry: "csr, coo, …".
std::string format_names();

/// Bytes of one element.
constexpr std::size_t size_of(ValueType t) {
    switch (t) {
        case ValueType::f16:
        case ValueType::bf16:
            return 2;
        case ValueType::f32:
            return 4;
        case ValueType::c64:
            return 16;
        default:
            return 8;
    }
}
/// Whether values of this type are only stored, never computed with.
constexpr bool is_storage_only(ValueType t) {
    return t == ValueType::f16 || t == ValueType::bf16;
}
/// Whether every number of type `narrow` is one of type `wide`, which has more: f16, bf16, f32 in
/// f64; f16, bf16 in f32; c32 in c64. Real and complex types do not mix.
constexpr bool is_narrower(ValueType narrow, ValueType wide) {
    switch (narrow) {
        case ValueType::f16:
        case ValueType::bf16:
            return wide == ValueType::f32 || wide == ValueType::f64;
        case ValueType::f32:
            return wide == ValueType::f64;
        case ValueType::c32:
            return wide == ValueType::c64;
        default:
            return false;
    }
}
constexpr std::size_t size_of(IndexType t) {
    return t == IndexType::i32 ? 4 : 8;
}
constexpr bool is_complex(ValueType t) {
    return t == ValueType::c32 || t == ValueType::c64;
}

template <typename T>
struct type_tag;  // defined for the types that spmvgen takes
template <>
struct type_tag<float> {
    static constexpr ValueType value = ValueType::f32;
};
template <>
struct type_tag<double> {
    static constexpr ValueType value = ValueType::f64;
};
template <>
struct type_tag<std::complex<float>> {
    static constexpr ValueType value = ValueType::c32;
};
template <>
struct type_tag<std::complex<double>> {
    static constexpr ValueType value = ValueType::c64;
};
template <>
struct type_tag<std::int32_t> {
    static constexpr IndexType value = IndexType::i32;
};
template <>
struct type_tag<std::int64_t> {
    static constexpr IndexType value = IndexType::i64;
};

/// Calls f with a value of the C++ type that `type` names: f(float{}), f(std::complex<double>{}),
/// …. `type` must not be is_storage_only: C++20 has no type for it.
template <typename F>
decltype(auto) dispatch(ValueType type, F&& f) {
    switch (type) {
        case ValueType::f32:
            return f(float{});
        case ValueType::f64:
            return f(double{});
        case ValueType::c32:
            return f(std::complex<float>{});
        default:
            return f(std::complex<double>{});
    }
}
template <typename F>
decltype(auto) dispatch(IndexType type, F&& f) {
    return type == IndexType::i32 ? f(std::int32_t{}) : f(std::int64_t{});
}

}  // namespace spmvgen
