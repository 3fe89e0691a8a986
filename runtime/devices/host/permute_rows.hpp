#pragma once
#include <cstdint>
#include <span>

#include "spmvgen/types.hpp"

/// Rows of dense arrays of k elements, row-major, in another order. order[i] is a row of the
/// caller's array, each at most once. Precompiled; `threads` share the rows.
namespace spmvgen {

/// to[i] = from[order[i]].
void gather_rows(ValueType type, std::span<const std::int32_t> order, int num_rhs, const void* from,
                 void* to, int threads);

/// y[order[i]] = α·from[i] + β·y[order[i]]; y is not read when β = 0.
void scatter_rows(ValueType type, std::span<const std::int32_t> order, int num_rhs,
                  const void* alpha, const void* from, const void* beta, void* y, int threads);

/// y[order[i]] = β·y[order[i]]; y is not read when β = 0.
void scale_rows(ValueType type, std::span<const std::int32_t> order, int num_rhs, const void* beta,
                void* y, int threads);

}  // namespace spmvgen
