#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>

#include "matrix/random.hpp"
#include "tuner/request.hpp"

namespace spmvgen {

/// Two sums of 64 bits that depend on everything that is added, and on its order. Fast, and no
/// guard against who wants to deceive.
class Digest {
  public:
    void add_bytes(const void* data, std::size_t size) {
        const auto* at = static_cast<const unsigned char*>(data);
        add_word(size);
        for (; size >= pair; at += pair, size -= pair) add_pair(at, pair);
        if (size > 0) add_pair(at, size);
    }
    /// A number, a text, what a request is made of, or several of these.
    template <typename Value>
    void add(const Value& value) {
        if constexpr (std::is_floating_point_v<Value>)
            add_word(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
        else if constexpr (std::is_arithmetic_v<Value> || std::is_enum_v<Value>)
            add_word(static_cast<std::uint64_t>(value));
        else
            add_parts(value);
    }
    /// Each of the two depends on everything.
    std::array<std::uint64_t, 2> bits() const {
        return {generators::mix(a_ + generators::mix(b_)),
                generators::mix(b_ + generators::mix(a_))};
    }

  private:
    static constexpr std::size_t pair = 2 * sizeof(std::uint64_t);
    static constexpr std::uint64_t odd_a = 0x9e3779b97f4a7c15u, odd_b = 0xc2b2ae3d27d4eb4fu;

    static std::uint64_t step(std::uint64_t sum, std::uint64_t word, std::uint64_t odd) {
        return std::rotl(sum ^ word, 29) * odd;
    }
    void add_word(std::uint64_t word) {
        a_ = step(a_, word, odd_a);
        b_ = step(b_, word, odd_b);
    }
    void add_pair(const unsigned char* at, std::size_t size) {
        std::uint64_t words[2] = {0, 0};
        std::memcpy(words, at, size);
        a_ = step(a_, words[0], odd_a);
        b_ = step(b_, words[1], odd_b);
    }
    void add_parts(std::string_view text) { add_bytes(text.data(), text.size()); }
    void add_parts(const Format& format) { add(std::string_view(format.name())); }
    void add_parts(const Params& params) {
        add(params.size());
        for (auto& [name, value] : params) {
            add(name.view());
            add(value);
        }
    }
    void add_parts(const ExactValues& values) {
        add(values.storage);
        add(values.value_code);
    }
    template <typename Value>
    void add_parts(const std::optional<Value>& value) {
        add(value.has_value());
        if (value) add(*value);
    }
    template <typename Range>
        requires requires(const Range& range) { std::size(range), *std::begin(range); }
    void add_parts(const Range& range) {
        add(std::size(range));
        for (auto& value : range) add(value);
    }

    std::uint64_t a_ = odd_b, b_ = odd_a;
};

}  // namespace spmvgen
