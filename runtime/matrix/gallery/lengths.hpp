#pragma once
#include <cstdint>
#include <functional>

#include "matrix/random.hpp"

namespace spmvgen::generators {

/// Row lengths with P(length ≥ shortest·2^k) = tail^k.
struct PowerLaw {
    std::int64_t shortest = 1, longest = 1;
    double tail = 0.5;
};

/// The length of row i: shortest … 2·shortest - 1, doubled again and again with chance `tail` each
/// time, so that P(length ≥ L) ~ L^-log2(1/tail), without a power function whose last bit may
/// differ.
std::int64_t power_law(const Random& random, std::int64_t i, const PowerLaw& law);

/// Sum of length(i) over 0 … n-1; called from several threads.
std::int64_t sum_of(std::int64_t n, const std::function<std::int64_t(std::int64_t)>& length);

}  // namespace spmvgen::generators
