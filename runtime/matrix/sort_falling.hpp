#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace spmvgen {

/// Sorts numbers, none below 0 and at least one, the greatest first; small ones by counting, in
/// `counts`, which the next call may use again.
inline void sort_falling(std::span<std::int32_t> numbers, std::vector<std::uint32_t>& counts) {
    const std::int32_t most = std::ranges::max(numbers);
    if (most > std::ssize(numbers)) {
        std::ranges::sort(numbers, std::greater<>());
        return;
    }
    counts.assign(static_cast<std::size_t>(most) + 1, 0);
    for (const std::int32_t n : numbers) ++counts[static_cast<std::size_t>(n)];
    auto to = numbers.begin();
    for (std::int32_t n = most; n >= 0; --n)
        to = std::fill_n(to, counts[static_cast<std::size_t>(n)], n);
}

}  // namespace spmvgen
