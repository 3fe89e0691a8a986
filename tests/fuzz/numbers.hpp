#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "support.hpp"

/// What fuzzers of matrices' arrays share.
namespace spmvgen::fuzz {

/// Sums of small integers, which are exact in any order.
using Places = std::map<std::pair<std::int64_t, std::int64_t>, double>;

/// Small numbers, and the two ends of the type.
template <typename Number>
std::vector<Number> numbers(Input& input, std::int64_t count) {
    std::vector<Number> all;
    for (std::int64_t k = 0; k < count; ++k) {
        const auto byte = static_cast<signed char>(input.byte());
        all.push_back(byte == 127    ? std::numeric_limits<Number>::max()
                      : byte == -128 ? std::numeric_limits<Number>::min()
                                     : static_cast<Number>(byte));
    }
    return all;
}

}  // namespace spmvgen::fuzz
