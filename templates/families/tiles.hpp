#pragma once
#include <cstdint>

#include "spmvgen/signature.hpp"

namespace spmvgen {

/// Shared memory of a block of such a kernel, with its hubs.
std::int64_t tiles_shared_bytes(const Signature& signature);

/// Most threads of tiles_hubs, with what this signature says of its sums, whose registers a
/// multiprocessor of an NVIDIA GPU has. With half as many each ptxas spills for sm_120.
std::int64_t most_tiles_hubs_threads(const Signature& signature);

/// Throws Error(invalid_argument) for a signature of one of them, its parameters filled in, that
/// needs more shared memory than a block has on its target.
void check_tiles(const Signature& signature);

}  // namespace spmvgen
