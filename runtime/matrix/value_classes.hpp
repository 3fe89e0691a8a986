#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

/// What values are: few different ones, or representable in a narrower type.
namespace spmvgen {

/// Elements of a dictionary of values: a byte names one, and the last is 0, for what is missing.
constexpr std::size_t dictionary_elements = 256;
/// Most different values that are told apart: those of a dictionary.
constexpr std::size_t most_distinct = dictionary_elements - 1;

/// The bits of a value: -0 differs from 0, and NaNs differ by payload.
using ValueBits = std::array<std::uint64_t, 2>;

template <typename Value>
ValueBits bits_of(const Value& value) {
    ValueBits bits{};
    std::memcpy(bits.data(), &value, sizeof(Value));
    return bits;
}

/// The inverse.
template <typename Value>
Value value_of(const ValueBits& bits) {
    Value value{};
    std::memcpy(static_cast<void*>(&value), bits.data(), sizeof(Value));
    return value;
}

/// What may hold for all values of a matrix, a bit each: that they are equal, to the last bit, or
/// numbers of these types, with every part of them (of int8 with the imaginary part +0). No NaN is
/// one, and -0 is no int8.
struct ValueProperty {
    static constexpr unsigned equal = 1, int8 = 2, bf16 = 4, f16 = 8, f32 = 16;
    static constexpr int count = 5;
};

/// What all values of a matrix have in common.
struct ValueTraits {
    unsigned properties = 0;  ///< of ValueProperty
    /// The different ones, sorted by their bits; nothing when there are more than most_distinct.
    std::optional<std::vector<ValueBits>> distinct{};
};

/// Up to `most` different values and whether there are more: open addressing.
class ValueSet {
  public:
    explicit ValueSet(std::size_t most = most_distinct) : most_(most) {}
    bool full() const { return size_ > most_; }
    std::size_t size() const { return size_; }
    /// Whether the value was not there yet; false when the set is full.
    bool insert(const ValueBits& bits) {
        const std::size_t slot = slot_of(bits);
        if (used_[slot] || full()) return false;
        used_[slot] = true;
        slots_[slot] = bits;
        ++size_;
        return true;
    }
    void insert(const ValueSet& other) {
        other.visit([&](std::size_t, const ValueBits& bits) { insert(bits); });
    }
    /// Where the value is, or would be: a number below `slots`.
    std::size_t slot_of(const ValueBits& bits) const {
        std::size_t slot = hash(bits);
        while (used_[slot] && differ(slots_[slot], bits)) slot = (slot + 1) % slots;
        return slot;
    }
    /// Whether the value is where it is looked for first, as most that are there are; no branches.
    bool is_at_home(const ValueBits& bits) const {
        const std::size_t slot = hash(bits);
        return used_[slot] & !differ(slots_[slot], bits);
    }
    bool contains(const ValueBits& bits) const { return used_[slot_of(bits)]; }
    /// Calls f(slot, bits) for each value, in no order.
    template <typename F>
    void visit(F&& f) const {
        for (std::size_t s = 0; s < slots; ++s)
            if (used_[s]) f(s, slots_[s]);
    }

    static constexpr std::size_t slots = 1024;

  private:
    static bool differ(const ValueBits& a, const ValueBits& b) {
        return ((a[0] ^ b[0]) | (a[1] ^ b[1])) != 0;
    }
    static std::size_t hash(const ValueBits& bits) {
        return (bits[0] * 0x9e3779b97f4a7c15u + bits[1] * 0xbf58476d1ce4e5b9u) >> 54;
    }
    std::array<ValueBits, slots> slots_;
    std::array<bool, slots> used_{};
    std::size_t most_;
    std::size_t size_ = 0;
};

/// Whether the number is one of f32; a NaN counts as one, whatever its payload.
template <typename Real>
bool fits_f32(Real value) {
    return static_cast<Real>(static_cast<float>(value)) == value || value != value;
}
/// These three take values that fit f32.
inline bool fits_bf16(float value) {
    return (std::bit_cast<std::uint32_t>(value) & 0xffff) == 0 || value != value;
}
inline bool fits_f16(float value) {
    const float size = std::fabs(value);
    if (size < 0x1p-14f) {  // subnormal numbers are multiples of 2^-24
        const float scaled = size * 0x1p24f;
        return static_cast<float>(static_cast<std::int32_t>(scaled)) == scaled;
    }
    const bool short_mantissa = (std::bit_cast<std::uint32_t>(value) & 0x1fff) == 0;
    return (size <= 65504 && short_mantissa) || std::isinf(size) || value != value;
}
inline bool fits_int8(float value) {
    const float inside = value >= -128 && value <= 127 ? value : 0.5f;
    return static_cast<float>(static_cast<std::int32_t>(inside)) == value &&
           std::bit_cast<std::uint32_t>(value) != 0x80000000u;  // -0
}

template <typename Real, typename Fits>
bool all_fit(const Real* values, std::int64_t count, Fits fits) {
    int misfits = 0;
    for (std::int64_t k = 0; k < count; ++k) misfits |= !fits(values[k]);
    return misfits == 0;
}

/// The type of a value's parts: itself, or that of the parts of a complex number.
template <typename Value>
struct RealOf {
    using Type = Value;
};
template <typename Real>
struct RealOf<std::complex<Real>> {
    using Type = Real;
};

}  // namespace spmvgen
