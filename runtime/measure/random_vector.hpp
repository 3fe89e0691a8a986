#pragma once
#include <cstdint>

#include "spmvgen/types.hpp"

namespace spmvgen {

/// Fills `count` elements with numbers (of complex ones both parts) uniform in [0.5, 1.5): no
/// zeros, no cancellation worth the name, no overflow. The same seed gives the same numbers on
/// every machine and for any number of threads, and the same in f32 and f64. Parallel.
void fill_random(ValueType type, void* data, std::int64_t count, std::uint64_t seed);

/// The same with all digits that the type has: no narrower type holds them.
void fill_random_wide(ValueType type, void* data, std::int64_t count, std::uint64_t seed);

}  // namespace spmvgen
