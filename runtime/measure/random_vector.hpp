#pragma once
#include <cstdint>

#include "spmvgen/types.hpp"

namespace spmvgen {

/// Fills `count` elements with numbers (of complex ones both parts) uniform in [0.5, 1.5): no
/// zeros, no cancellation worth the name, no overflow. The same seed gives the same numbers on
/// every machine and for any number of threads. Parallel.
void fill_random(ValueType type, void* data, std::int64_t count, std::uint64_t seed);

}  // namespace spmvgen
