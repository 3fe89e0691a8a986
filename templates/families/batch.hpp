#pragma once

#include "spmvgen/signature.hpp"

namespace spmvgen {

/// What complete() checks of a batch's kernel beside all else: one right-hand side a system, and
/// shared memory that every GPU has. Throws Error(invalid_argument).
void check_batch(const Signature& signature);

/// Shared memory that a block of a GPU's batch kernel may have, in bytes: what every GPU gives
/// without being asked.
inline constexpr std::int64_t most_batch_shared = 48 * 1024;

/// Shared memory that a block of the signature's batch kernel has, in bytes.
std::int64_t batch_shared_bytes(const Signature& signature);

}  // namespace spmvgen
