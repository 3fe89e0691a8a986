#include "formats/value_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

#include "matrix/chunks.hpp"
#include "matrix/overflow.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

constexpr std::int64_t values_a_part = 8192;
constexpr std::int64_t values_of_team = 1024;  ///< as team_for() takes them
/// What is looked at before all of the values, where there are far more.
constexpr std::int64_t sampled_parts = 16, values_a_sample = 1024;
constexpr std::int64_t least_sampled = 4 * sampled_parts * values_a_sample;

constexpr unsigned equal = ValueProperty::equal, int8 = ValueProperty::int8,
                   bf16 = ValueProperty::bf16, f16 = ValueProperty::f16, f32 = ValueProperty::f32;

template <typename Real>
bool keeps_f32(Real value) {
    return value == value && fits_f32(value);
}

/// Whether all are integers of 8 bits, and none is -0: have the bits of the integer next to them.
template <typename Real>
bool all_int8(const Real* values, std::int64_t count) {
    using Word = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    // What is added to it has a unit of 1: the sum is rounded to an integer.
    constexpr Real rounds = sizeof(Real) == 4 ? Real(0x1.8p23) : Real(0x1.8p52);
    Word difference = 0;
    for (std::int64_t k = 0; k < count; ++k) {
        const Real value = values[k];
        const Real integer = (value + rounds) - rounds;
        difference |= std::bit_cast<Word>(integer) ^ std::bit_cast<Word>(value);
        difference |= value >= -128 && value <= 127 ? Word{0} : Word{1};
    }
    return difference == 0;
}

/// Of `properties`, those that all of these numbers have. No number of `Real` is a NaN where a
/// property but `equal` is left.
template <typename Value>
unsigned narrow_properties(const Value* values, std::int64_t count, unsigned properties) {
    using Real = typename RealOf<Value>::Type;
    const auto* const parts = reinterpret_cast<const Real*>(values);
    const std::int64_t all = count * static_cast<std::int64_t>(sizeof(Value) / sizeof(Real));
    // Integers of 8 bits, without -0, are numbers of all the other types.
    if constexpr (std::is_same_v<Value, Real>)
        if ((properties & int8) != 0) {
            if (all_int8(parts, all)) return properties;
            properties &= ~int8;
        }
    if (!all_fit(parts, all, keeps_f32<Real>)) return 0;
    const auto test = [&](unsigned property, auto fits) {
        if ((properties & property) != 0 &&
            !all_fit(parts, all, [&](Real v) { return fits(static_cast<float>(v)); }))
            properties &= ~property;
    };
    test(bf16, [](float v) { return fits_bf16(v); });
    test(f16, [](float v) { return fits_f16(v); });
    if constexpr (!std::is_same_v<Value, Real>)
        if ((properties & int8) != 0) {
            const auto is_integer = [](const Value& v) {
                return fits_int8(static_cast<float>(v.real())) && v.imag() == 0 &&
                       !std::signbit(v.imag());
            };
            if (!all_fit(values, count, is_integer)) properties &= ~int8;
        }
    return properties;
}

/// Whether all have the bits of `first`.
template <typename Value>
bool all_equal(const Value* values, std::int64_t count, const Value& first) {
    // Each has those of the one before it.
    const auto bytes = static_cast<std::size_t>(count - 1) * sizeof(Value);
    return std::memcmp(values, &first, sizeof(Value)) == 0 &&
           std::memcmp(values, values + 1, bytes) == 0;
}

constexpr unsigned narrow = int8 | bf16 | f16 | f32;

/// Of `wanted`, the properties of the matrix's first value.
template <typename Value>
unsigned of_first_value(const Value* values, unsigned wanted) {
    return (wanted & equal) | narrow_properties(values, 1, wanted & narrow);
}

/// Of `before`, the properties that the values begin … end-1 have, too.
template <typename Value>
unsigned left_of(unsigned before, const Value* values, std::int64_t begin, std::int64_t end) {
    if (before == 0 || all_equal(values + begin, end - begin, values[0])) return before;
    if ((before & narrow) == 0) return 0;
    return narrow_properties(values + begin, end - begin, before & narrow);
}

/// Of `wanted`, the properties that all values have.
template <typename Value>
unsigned common_properties(const CsrView& a, unsigned wanted, int threads) {
    const Value* const values = a.values_as<Value>();
    std::atomic<unsigned> left{of_first_value(values, wanted)};
    if (left == 0) return 0;
    const int team = team_for(a.nnz, values_of_team, threads);
    for_parts(a.nnz, values_a_part, team, [&](std::int64_t begin, std::int64_t end, int) {
        const unsigned before = left.load(std::memory_order_relaxed);
        left.fetch_and(left_of(before, values, begin, end), std::memory_order_relaxed);
    });
    return left;
}

/// What a few values from all over the matrix leave possible for all of them.
struct Possible {
    unsigned properties;
    bool dictionary;
};

template <typename Value>
Possible possible(const CsrView& a, Possible wanted) {
    if (a.nnz < least_sampled) return wanted;
    const Value* const values = a.values_as<Value>();
    Possible left{of_first_value(values, wanted.properties), wanted.dictionary};
    ValueSet different;
    for (const auto [begin, end] : values_looked_at_first(a.nnz)) {
        left.properties = left_of(left.properties, values, begin, end);
        for (std::int64_t k = begin; k < end && left.dictionary; ++k) {
            different.insert(bits_of(values[k]));
            left.dictionary = !different.full();
        }
    }
    return left;
}

/// The different values, sorted by their bits; nothing when there are more than most_distinct.
template <typename Value>
std::optional<std::vector<ValueBits>> different_values(const CsrView& a, int threads) {
    const Value* const values = a.values_as<Value>();
    const int team = team_for(a.nnz, values_of_team, threads);
    std::vector<ValueSet> sets(static_cast<std::size_t>(team));
    std::atomic<bool> many{false};
    for_parts(a.nnz, values_a_part, team, [&](std::int64_t begin, std::int64_t end, int thread) {
        if (many.load(std::memory_order_relaxed)) return;
        ValueSet& set = sets[static_cast<std::size_t>(thread)];
        for (std::int64_t k = begin; k < end && !set.full(); ++k) {
            const ValueBits bits = bits_of(values[k]);
            if (!set.is_at_home(bits)) set.insert(bits);
        }
        if (set.full()) many = true;
    });
    for (std::size_t t = 1; t < sets.size(); ++t) sets[0].insert(sets[t]);
    if (many || sets[0].full()) return std::nullopt;
    std::vector<ValueBits> different;
    sets[0].visit([&](std::size_t, const ValueBits& bits) { different.push_back(bits); });
    std::ranges::sort(different);
    return different;
}

unsigned wanted_properties(ValueType type, const EncodingChoice& allowed) {
    unsigned wanted = (allowed.one_value ? equal : 0) | (allowed.small_integers ? int8 : 0);
    if (!allowed.narrow_storage) return wanted;
    if (!is_complex(type)) wanted |= bf16 | (allowed.half ? f16 : 0);
    return type == ValueType::f64 || type == ValueType::c64 ? wanted | f32 : wanted;
}

/// That all values are of this type, which is narrower than theirs.
unsigned property_of(ValueType storage) {
    return storage == ValueType::bf16 ? bf16 : storage == ValueType::f16 ? f16 : f32;
}

EncodingChoice only(ValueCode code) {
    return {.narrow_storage = false,
            .small_integers = code == ValueCode::small_integers,
            .one_value = code == ValueCode::one_value,
            .dictionary = code == ValueCode::dictionary};
}

ValueType narrowest(ValueType type, unsigned has) {
    return (has & bf16) != 0  ? ValueType::bf16
           : (has & f16) != 0 ? ValueType::f16
           : (has & f32) != 0 ? (is_complex(type) ? ValueType::c32 : ValueType::f32)
                              : type;
}

/// The values that are looked at for a dictionary.
enum class Dictionary { of_few, of_all };

template <typename Value>
ValueEncoding encode(const CsrView& a, const EncodingChoice& allowed, int threads,
                     Dictionary dictionary) {
    const Possible left =
        possible<Value>(a, {wanted_properties(a.value_type, allowed), allowed.dictionary});
    const unsigned has = common_properties<Value>(a, left.properties, threads);
    const auto listed = [&]() -> std::optional<std::vector<ValueBits>> {
        if ((has & (equal | int8)) != 0 || !left.dictionary) return std::nullopt;
        if (dictionary == Dictionary::of_few && a.nnz >= least_sampled)
            return std::vector<ValueBits>();
        return different_values<Value>(a, threads);
    };
    return encoding_of({has, listed()}, a.value_type, allowed);
}

/// Place of the first value that the code does not have; nnz when there is none.
template <typename Value>
std::int64_t first_uncoded(const CsrView& a, ValueCode code) {
    const Value* const values = a.values_as<Value>();
    ValueSet set;
    for (std::int64_t k = 0; k < a.nnz; ++k) {
        if (code == ValueCode::small_integers) {
            if (narrow_properties(values + k, 1, int8) == 0) return k;
        } else {
            set.insert(bits_of(values[k]));
            if (code == ValueCode::one_value ? set.size() > 1 : set.full()) return k;
        }
    }
    return a.nnz;
}

/// The codes and storage types of which each holds values that the ones before it do not.
int rank(const Signature& s, ValueType given) {
    switch (value_code_of(s)) {
        case ValueCode::one_value:
            return 0;
        case ValueCode::small_integers:
            return 1;
        case ValueCode::dictionary:
            return 2;
        case ValueCode::plain:
            break;
    }
    const ValueType storage = storage_type(s);
    return storage == given ? 5 : is_storage_only(storage) ? 3 : 4;
}

[[noreturn]] void refuse_code(const CsrView& a, ValueCode code) {
    const std::int64_t place = dispatch(
        a.value_type, [&]<typename Value>(Value) { return first_uncoded<Value>(a, code); });
    const char* const why = code == ValueCode::small_integers ? "is no integer of 8 bits"
                            : code == ValueCode::one_value
                                ? "differs from the first, but all must be equal"
                                : "is the 256th different one, but at most 255 can be listed";
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} {}: value_code={} does not fit this matrix, use value_code=0",
                            entry_text(a, place), why, static_cast<int>(code)));
}

}  // namespace

ValueCode value_code_of(const Signature& signature) {
    return static_cast<ValueCode>(param(signature, "value_code", 0));
}

std::vector<EntryRange> values_looked_at_first(std::int64_t entries) {
    std::vector<EntryRange> ranges;
    for (std::int64_t part = 0; entries >= least_sampled && part < sampled_parts; ++part) {
        const std::int64_t begin = entries / sampled_parts * part;
        ranges.push_back({begin, begin + values_a_sample});
    }
    return ranges;
}

std::int64_t value_bytes(const ValueEncoding& encoding) {
    switch (encoding.code) {
        case ValueCode::plain:
            return static_cast<std::int64_t>(size_of(encoding.storage));
        case ValueCode::one_value:
            return 0;
        default:
            return 1;
    }
}

ValueEncoding encoding_of(ValueTraits traits, ValueType type, const EncodingChoice& allowed) {
    const unsigned has = traits.properties & wanted_properties(type, allowed);
    ValueEncoding found{narrowest(type, has)};
    if ((has & equal) != 0) {
        found.code = ValueCode::one_value;
    } else if ((has & int8) != 0) {
        found.code = ValueCode::small_integers;
    } else if (allowed.dictionary && traits.distinct) {
        found.code = ValueCode::dictionary;
        found.dictionary = std::move(*traits.distinct);
    }
    return found;
}

ValueEncoding encode_values(const CsrView& matrix, const EncodingChoice& allowed, int threads) {
    if (matrix.nnz == 0) return {matrix.value_type};
    return dispatch(matrix.value_type, [&]<typename Value>(Value) {
        return encode<Value>(matrix, allowed, threads, Dictionary::of_all);
    });
}

ValueEncoding likely_encoding(const CsrView& matrix, const EncodingChoice& allowed, int threads) {
    if (matrix.nnz == 0) return {matrix.value_type};
    return dispatch(matrix.value_type, [&]<typename Value>(Value) {
        return encode<Value>(matrix, allowed, threads, Dictionary::of_few);
    });
}

ValueEncoding required_encoding(const CsrView& matrix, const Signature& signature) {
    const auto code = value_code_of(signature);
    ValueEncoding encoding{storage_type(signature), code};
    if (code == ValueCode::plain || matrix.nnz == 0) return encoding;
    ValueEncoding found = encode_values(matrix, only(code));
    if (found.code != code) refuse_code(matrix, code);
    encoding.dictionary = std::move(found.dictionary);
    return encoding;
}

bool is_encoded(const Signature& signature, ValueType given) {
    return value_code_of(signature) != ValueCode::plain || storage_type(signature) != given;
}

std::vector<Signature> wider_signatures(const Signature& signature, ValueType given) {
    std::vector<Signature> all;
    const auto add = [&](ValueCode code, ValueType storage) {
        Signature s = signature;
        if (s.params.contains("value_code")) s.params["value_code"] = static_cast<int>(code);
        s.storage = storage;
        if (storage == s.value) s.storage.reset();
        if (rank(s, given) > rank(signature, given)) all.push_back(std::move(s));
    };
    for (auto& p : kernel_entry(signature.kernel).params) {
        if (p.name != "value_code") continue;
        for (const auto code : {ValueCode::small_integers, ValueCode::dictionary})
            if (allows(p, static_cast<int>(code))) add(code, given);
    }
    for (const auto storage : {ValueType::bf16, ValueType::f16, ValueType::f32, ValueType::c32})
        if (is_narrower(storage, given) && (storage != ValueType::f16 || is_gpu(signature)))
            add(ValueCode::plain, storage);
    add(ValueCode::plain, given);
    return all;
}

std::int64_t value_array_bytes(const Signature& signature, std::int64_t entries) {
    const auto element = static_cast<std::int64_t>(size_of(storage_type(signature)));
    switch (value_code_of(signature)) {
        case ValueCode::plain:
            return entries * element;
        case ValueCode::one_value:
            return element;
        case ValueCode::dictionary:
            return entries + static_cast<std::int64_t>(dictionary_elements) * element;
        default:
            return entries;
    }
}

bool holds_exactly(const CsrView& matrix, const Signature& signature) {
    if (matrix.nnz == 0) return true;
    const ValueCode code = value_code_of(signature);
    if (code != ValueCode::plain) return encode_values(matrix, only(code)).code == code;
    const ValueType storage = storage_type(signature);
    return storage == matrix.value_type || dispatch(matrix.value_type, [&]<typename Value>(Value) {
               const unsigned wanted = property_of(storage);
               return common_properties<Value>(matrix, wanted, 0) == wanted;
           });
}

bool holds_exactly(const ValueTraits& traits, ValueType type, const Signature& signature) {
    const ValueCode code = value_code_of(signature);
    if (code != ValueCode::plain) return encoding_of(traits, type, only(code)).code == code;
    const ValueType storage = storage_type(signature);
    return storage == type || (traits.properties & property_of(storage)) != 0;
}

}  // namespace spmvgen
