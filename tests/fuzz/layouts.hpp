#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "matrix/buffer.hpp"
#include "matrix/csr_matrix.hpp"
#include "matrix/value_order.hpp"
#include "numbers.hpp"
#include "spmvgen/error.hpp"
#include "spmvgen/matrix.hpp"
#include "support.hpp"

/// What the fuzzers of matrices as callers give them share. An input of theirs begins with a byte
/// of flags (1 = counted from 1; 2 = 64-bit indices; 4 = 64-bit offsets; 8 = the arrays are made
/// right; 16 = one size is negative; the others are the target's own) and the sizes in a byte each
/// (rows, columns, entries or blocks, height and width of a block). Then come the arrays, a byte
/// for a number. They are as long as the sizes say, and the values 1, 2, ….
namespace spmvgen::fuzz {

struct Sizes {
    unsigned flags = 0;
    std::int64_t rows = 0, cols = 0, count = 0, height = 1, width = 1;

    explicit Sizes(Input& input);
    std::int64_t base() const { return flags & 1; }
    bool made_right() const { return (flags & 8) != 0; }
};

std::vector<double> ascending(std::int64_t count);

/// Other values for the same places, which are whole numbers, too.
std::vector<double> new_values(std::int64_t count);

/// The entries of a valid matrix.
Places places_of(const CsrView& matrix);

/// The same with other values.
Places places_of(CsrView matrix, const Buffer& values);

/// That values which come later get the places that the order tells.
void check_order(const CsrView& matrix, const ValueOrder& order, const std::vector<double>& given,
                 const Places& expected);

/// Whether begin ≤ number < begin + size.
template <typename Number>
bool is_within(Number number, std::int64_t begin, std::int64_t size) {
    return static_cast<std::int64_t>(number) >= begin &&
           static_cast<std::int64_t>(number) < begin + size;
}

/// Numbers in begin … begin + size - 1, of any numbers; they stay where there are none.
template <typename Number>
void put_within(std::vector<Number>& numbers, std::int64_t begin, std::int64_t size) {
    if (size <= 0) return;
    for (Number& number : numbers)
        number = static_cast<Number>(begin +
                                     static_cast<std::int64_t>(static_cast<std::uint64_t>(number) %
                                                               static_cast<std::uint64_t>(size)));
}

/// Compressed lines: offsets, and places in each line. There are no more places than the offsets
/// tell of, whatever the sizes say.
template <typename Index, typename Offset>
struct Compressed {
    std::vector<Offset> ptr;
    std::vector<Index> places;
    std::int64_t count;  ///< of places, as the sizes say

    Compressed(Input& input, const Sizes& sizes, std::int64_t lines, std::int64_t length)
        : ptr(numbers<Offset>(input, lines >= 0 ? lines + 1 : 0)),
          places(numbers<Index>(input, sizes.count)),
          count(sizes.count) {
        if (sizes.made_right())
            make_right(sizes.base(), length);
        else
            drop_untold(sizes.base());
    }

    /// Whether they are what docs and headers say.
    bool is_right(std::int64_t lines, std::int64_t length, std::int64_t base) const {
        if (lines == 0) return count == 0;
        return static_cast<std::int64_t>(ptr.front()) == base && std::ranges::is_sorted(ptr) &&
               static_cast<std::int64_t>(ptr.back()) == base + count &&
               std::ranges::all_of(places, [&](Index j) { return is_within(j, base, length); });
    }

    /// visit(line, place, entry) for each entry of right arrays.
    template <typename Visit>
    void each(std::int64_t base, const Visit& visit) const {
        for (std::size_t line = 0; line + 1 < ptr.size(); ++line)
            for (auto k = static_cast<std::int64_t>(ptr[line]) - base;
                 k < static_cast<std::int64_t>(ptr[line + 1]) - base; ++k)
                visit(static_cast<std::int64_t>(line),
                      static_cast<std::int64_t>(places.at(static_cast<std::size_t>(k))) - base, k);
    }

  private:
    void make_right(std::int64_t base, std::int64_t length) {
        put_within(places, base, length);
        put_within(ptr, base, count + 1);
        std::ranges::sort(ptr);
        if (ptr.empty()) return;
        ptr.front() = static_cast<Offset>(base);
        ptr.back() = static_cast<Offset>(base + std::ssize(places));
    }

    /// The array is then as long as it may be read.
    void drop_untold(std::int64_t base) {
        if (ptr.empty() || !is_within(ptr.back(), base, std::ssize(places))) return;
        const auto end = static_cast<std::ptrdiff_t>(ptr.back()) - base;
        places = std::vector<Index>(places.begin(), places.begin() + end);
    }
};

/// Calls `take`, and compares what becomes of the matrix with what has to.
template <typename Take>
void check_taken(bool right, const Places& expected, const Take& take) {
    try {
        const Places places = take();
        check(right, "what is wrong is refused");
        check(places == expected, "every entry keeps its place and value");
    } catch (const Error& error) {
        const std::string text = error.what();
        check(!right, "what is right is taken: " + text);
        check(error.code() == ErrorCode::invalid_argument, "it is the caller's fault: " + text);
        check(text.starts_with("broken "), "it says what is broken: " + text);
    }
}

/// run(input, sizes, an index, an offset) of the types that the sizes name, which come first in the
/// bytes. Returns what libFuzzer wants of a target.
template <typename Run>
int run_with_types(const std::uint8_t* data, std::size_t size, const Run& run) {
    Input input(data, size);
    const Sizes sizes(input);
    dispatch((sizes.flags & 2) != 0 ? IndexType::i64 : IndexType::i32, [&]<typename Index>(Index) {
        dispatch((sizes.flags & 4) != 0 ? IndexType::i64 : IndexType::i32,
                 [&]<typename Offset>(Offset) { run(input, sizes, Index(), Offset()); });
    });
    return 0;
}

}  // namespace spmvgen::fuzz
