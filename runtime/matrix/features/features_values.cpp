// What the values are: few different ones, or representable in a narrower type.
#include <atomic>
#include <bit>
#include <limits>
#include <type_traits>

#include "matrix/chunks.hpp"
#include "matrix/features/features_parts.hpp"
#include "matrix/value_classes.hpp"

namespace spmvgen {
namespace {

constexpr std::size_t most_counted = 256;  ///< different values

/// What one thread has seen of the values. A property is looked for until it is refuted.
struct ValueSums {
    bool f32 = true, f16 = true, bf16 = true, int8 = true;
    std::int64_t zeros = 0, non_finite = 0;
    ValueSet distinct{most_counted};

    /// Tests every value.
    template <typename Value>
    void narrow(const Value* values, std::int64_t count) {
        using Real = typename RealOf<Value>::Type;
        const auto* const parts = reinterpret_cast<const Real*>(values);
        count *= static_cast<std::int64_t>(sizeof(Value) / sizeof(Real));
        f32 = f32 && all_fit(parts, count, fits_f32<Real>);
        const auto check = [&](bool& property, auto fits) {
            property = property && f32 &&
                       all_fit(parts, count, [&](Real v) { return fits(static_cast<float>(v)); });
        };
        check(f16, [](float v) { return fits_f16(v); });
        check(bf16, [](float v) { return fits_bf16(v); });
        check(int8, [](float v) { return fits_int8(v); });
    }
    /// Collects different values and tests each once, until there are too many. Returns how many
    /// entries are done.
    template <typename Value>
    std::int64_t collect(const Value* values, std::int64_t count) {
        ValueBits before{};
        for (std::int64_t k = 0; k < count; ++k) {
            if (distinct.full()) return k;
            const ValueBits bits = bits_of(values[k]);
            if (k > 0 && bits == before) continue;
            if (distinct.insert(bits)) narrow(values + k, 1);
            before = bits;
        }
        return count;
    }
    /// Counts zeros and infinite or undefined values, with shifts and sums only: these run in
    /// vector registers on any machine, comparisons of 64 bits do not. At most entries_a_part
    /// values.
    template <typename Value>
    void count(const Value* values, std::int64_t count) {
        using Real = typename RealOf<Value>::Type;
        using Word = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
        constexpr std::int64_t parts = sizeof(Value) / sizeof(Real);
        constexpr int top = 8 * sizeof(Word) - 1;
        constexpr Word exponent = std::bit_cast<Word>(std::numeric_limits<Real>::infinity());
        constexpr Word lowest_of_exponent = exponent & (~exponent + 1);
        const auto* const reals = reinterpret_cast<const Real*>(values);
        Word zero = 0, odd = 0;
        for (std::int64_t k = 0; k < count; ++k) {
            Word magnitude = 0, overflow = 0;
            for (std::int64_t p = 0; p < parts; ++p) {
                const Word bits = std::bit_cast<Word>(reals[parts * k + p]);
                magnitude |= bits << 1 >> 1;
                overflow |= (bits & exponent) + lowest_of_exponent;
            }
            zero += (magnitude - 1) >> top;
            odd += overflow >> top;
        }
        zeros += static_cast<std::int64_t>(zero);
        non_finite += static_cast<std::int64_t>(odd);
    }
    void add(const ValueSums& other) {
        f32 = f32 && other.f32;
        f16 = f16 && other.f16;
        bf16 = bf16 && other.bf16;
        int8 = int8 && other.int8;
        zeros += other.zeros;
        non_finite += other.non_finite;
        distinct.insert(other.distinct);
    }
};

template <typename Value>
ValueSums value_sums(const CsrView& a, int threads) {
    const Value* const values = a.values_as<Value>();
    std::vector<ValueSums> partial(static_cast<std::size_t>(thread_count(threads)));
    std::atomic<bool> many{false};
    for_parts(a.nnz, entries_a_part / 4, threads,
              [&](std::int64_t begin, std::int64_t end, int thread) {
                  ValueSums& sums = partial[static_cast<std::size_t>(thread)];
                  sums.count(values + begin, end - begin);
                  std::int64_t done = begin;
                  if (!many.load(std::memory_order_relaxed)) {
                      done += sums.collect(values + begin, end - begin);
                      if (sums.distinct.full()) many = true;
                  }
                  sums.narrow(values + done, end - done);
              });
    for (std::size_t t = 1; t < partial.size(); ++t) partial[0].add(partial[t]);
    return std::move(partial[0]);
}

}  // namespace

void analyse_values(const CsrView& a, int threads, Features& f) {
    if (a.nnz == 0) return;
    const ValueSums sums = dispatch(
        a.value_type, [&]<typename Value>(Value) { return value_sums<Value>(a, threads); });
    f.distinct_values = static_cast<std::int64_t>(sums.distinct.size());
    f.all_equal = f.distinct_values == 1;
    f.exact_f32 = sums.f32;
    f.exact_f16 = sums.f16;
    f.exact_bf16 = sums.bf16;
    f.exact_int8 = sums.int8;
    f.explicit_zeros = sums.zeros;
    f.non_finite = sums.non_finite;
}

}  // namespace spmvgen
